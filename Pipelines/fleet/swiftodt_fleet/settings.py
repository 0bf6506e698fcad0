"""The settings for processing each file."""

from __future__ import annotations

import contextlib
import hashlib
import json
import re
from dataclasses import asdict, dataclass

from .errors import Usage

# Properties that affect the detections, and those of them that the tracking pass does not get. The tracking pass compares the others
# with the recording.
OF_LOOKING = {"detector", "model-file", "label-file", "device", "threads", "score-threshold", "iou-threshold", "inference-interval", "zoom"}
OF_LOOKING_ALONE = {"detector", "model-file", "label-file", "threads", "inference-interval", "zoom"}
# Properties that the fleet sets itself, with the option to use instead.
OURS = {"zones": "--zones FILE", "detections-file": "the source itself", "record-detections": "--out", "record-existing": "--out",
        "message-format": "--out", "source": "the name of the camera", "strategy": "--out"}
# The values of box-style that do not redact, by name and by number.
STYLES = {"rectangle", "rounded", "corners", "filled", "0", "1", "2", "3"}


@dataclass(frozen=True)
class Settings:
    """Settings that are the same for all files. They are sent to other machines."""

    storage: str
    # The content of the zones file.
    zones: str | None = None
    properties: tuple[tuple[str, str], ...] = ()
    annotate: bool = False
    pictures: bool = False
    # The approximate length of a part in seconds; 0 for no parts.
    part_seconds: float = 120.0

    @property
    def fingerprint(self) -> str:
        """A hash of all settings that affect the results. The length of parts does not, nor does the order of the properties."""
        facts = {key: value for key, value in asdict(self).items() if key not in ("storage", "part_seconds")}
        facts["properties"] = dict(self.properties)
        return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()[:16]

    @property
    def reason_against_segments(self) -> str | None:
        """Why files cannot be split: if a detection depends on earlier frames, it differs after a cut."""
        values = dict(self.properties)
        if self.part_seconds == 0:
            return "--part-length whole"
        if values.get("detector") == "motion":
            return "detector=motion depends on earlier frames"
        if values.get("inference-interval", "1") != "1":
            return "with inference-interval the choice of frames depends on earlier frames"
        if values.get("zoom", "off") not in ("off", "grid"):
            return "with zoom the choice of regions depends on earlier frames"
        if values.get("mode", "stream") != "stream":
            return "mode=single-image"
        return None

    @property
    def redaction(self) -> str | None:
        """The property that redacts objects in annotated videos, as NAME=VALUE."""
        values = dict(self.properties)
        if values.get("box-style", "rectangle") not in STYLES:
            return f"box-style={values['box-style']}"
        return next((f"{name}={values[name]}" for name in ("privacy-labels", "privacy-labels-array") if values.get(name, "").strip(" ,")), None)

    @property
    def has_low_iou_threshold(self) -> bool:
        """Whether recordings can lack one of two overlapping people. False for values that are not numbers, which odt refuses."""
        with contextlib.suppress(ValueError):
            return float(dict(self.properties).get("iou-threshold", "0.5")) < 0.5
        return False

    def for_inference(self) -> list[str]:
        """The options for odt detect. One thread each, because every core runs its own task."""
        values = {"threads": "1"} | {name: value for name, value in self.properties if name in OF_LOOKING}
        return [word for name, value in values.items() for word in ("--set", f"{name}={value}")]

    def for_tracking(self) -> list[str]:
        """The options for odt annotate with recorded detections."""
        return [word for name, value in self.properties if name not in OF_LOOKING_ALONE for word in ("--set", f"{name}={value}")]

    def for_both_at_once(self) -> list[str]:
        """The options for odt annotate when it runs the detector itself."""
        values = {"detector": "neural"} | dict(self.properties)
        return [word for name, value in values.items() for word in ("--set", f"{name}={value}")]

    @property
    def plays_back(self) -> bool:
        """Whether tracking a recording gives the same result as detecting and tracking in one pass. It does not if tracks choose the regions."""
        return dict(self.properties).get("zoom", "off") in ("off", "grid")

    def inferred(self, frames: int) -> int:
        """The number of frames in the recording of a video with `frames` frames, if all of them have different times."""
        return -(-frames // int(dict(self.properties).get("inference-interval", "1")))


def property_setting(word: str) -> tuple[str, str]:
    """Parses NAME=VALUE."""
    name, equals, value = word.partition("=")
    # GObject accepts underscores in names, too.
    name = name.replace("_", "-")
    if not equals or not name:
        raise Usage(f"--set {word}: expected NAME=VALUE, such as max-objects=20")
    if name in OURS:
        raise Usage(f"--set {word} cannot be set here; use {OURS[name]}")
    if name == "detector" and value in ("upstream", "tensors", "recorded"):
        raise Usage(f"--set {word}: a fleet runs the detector itself: neural, salient or motion")
    if name == "inference-interval" and not re.fullmatch(r"[1-9]\d{0,8}", value):
        raise Usage(f"--set {word}: a fleet needs a fixed interval from 1")
    return name, "neural" if word == "detector=auto" else value
