"""What is to be done with each file."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import asdict, dataclass

from .errors import Usage

# Properties of the element that count while it looks; all others count when tracking. Those in both are compared with the recording.
OF_LOOKING = {"detector", "model-file", "label-file", "device", "threads", "score-threshold", "iou-threshold", "inference-interval", "zoom"}
OF_LOOKING_ALONE = {"detector", "model-file", "label-file", "threads", "inference-interval", "zoom"}
# What the fleet itself says.
OURS = {"zones": "--zones FILE", "detections-file": "the source itself", "record-detections": "--out", "record-existing": "--out",
        "message-format": "--out", "source": "the name of the camera", "strategy": "--out"}


@dataclass(frozen=True)
class Settings:
    """All of it can be sent to other machines."""

    storage: str
    # The text of the zones' file.
    zones: str | None = None
    properties: tuple[tuple[str, str], ...] = ()
    annotate: bool = False
    pictures: bool = False
    # About how long the parts are that long files are cut into; 0 for none.
    part_seconds: float = 120.0

    @property
    def fingerprint(self) -> str:
        """What results hang on: cuts do not count."""
        facts = {key: value for key, value in asdict(self).items() if key not in ("storage", "part_seconds")}
        return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()[:16]

    @property
    def reason_against_segments(self) -> str | None:
        """Why files cannot be cut: an answer that hangs on the frames before it is another one after a cut."""
        said = dict(self.properties)
        if self.part_seconds == 0:
            return "--part-length whole"
        if said.get("detector") == "motion":
            return "detector=motion learns from frame to frame"
        if said.get("inference-interval", "1") != "1":
            return "with inference-interval which frames are looked at hangs on those before"
        if said.get("zoom", "off") not in ("off", "grid"):
            return "with zoom where is looked hangs on the frames before"
        if said.get("mode", "stream") != "stream":
            return "mode=single-image"
        return None

    def for_inference(self) -> list[str]:
        """For odt detect. One thread each: cores have tasks of their own."""
        said = {"threads": "1"} | {name: value for name, value in self.properties if name in OF_LOOKING}
        return [word for name, value in said.items() for word in ("--set", f"{name}={value}")]

    def for_tracking(self) -> list[str]:
        """For odt annotate."""
        return [word for name, value in self.properties if name not in OF_LOOKING_ALONE for word in ("--set", f"{name}={value}")]

    def for_both_at_once(self) -> list[str]:
        """For odt annotate, where it looks itself."""
        said = {"detector": "neural"} | dict(self.properties)
        return [word for name, value in said.items() for word in ("--set", f"{name}={value}")]

    @property
    def plays_back(self) -> bool:
        """Whether tracking a recording gives what looking and tracking at once gives: not where tracks say what is looked at."""
        return dict(self.properties).get("zoom", "off") in ("off", "grid")

    def inferred(self, frames: int) -> int:
        """How many of so many frames a recording has, if none of them has the time of another."""
        return -(-frames // int(dict(self.properties).get("inference-interval", "1")))


def property_setting(word: str) -> tuple[str, str]:
    """NAME=VALUE."""
    name, equals, value = word.partition("=")
    if not equals or not name:
        raise Usage(f"--set {word}: it is NAME=VALUE, such as max-objects=20")
    if name in OURS:
        raise Usage(f"--set {word} has no use here: {OURS[name]} says that")
    if name == "detector" and value in ("upstream", "recorded"):
        raise Usage(f"--set {word}: a fleet looks itself, with neural, salient or motion")
    if name == "inference-interval" and not re.fullmatch(r"[1-9]\d{0,8}", value):
        raise Usage(f"--set {word}: a fleet looks at every n-th frame, n from 1")
    return name, "neural" if word == "detector=auto" else value
