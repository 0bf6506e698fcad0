"""One part of a video: what a detector answers, frame by frame."""

from __future__ import annotations

import json
import os
import tempfile
from dataclasses import dataclass

from .copies import Identity, local_copy
from .parts import WHOLE, Seen, Span
from .place import Place
from .settings import Settings
from .tool import odt


@dataclass(frozen=True)
class Video:
    """A file that is at work."""

    name: str
    address: str
    identity: Identity

    @property
    def workshop(self) -> str:
        """Where its parts wait for one another."""
        return f"work/{self.name}"


def look(video: Video, settings: Settings, number: int, span: Span) -> Seen:
    """Records a part, and puts it where the others are. What says that it is there comes last."""
    place = Place(settings.place)
    with tempfile.TemporaryDirectory(prefix="swiftodt-fleet-") as folder, local_copy(video.address, video.identity) as path:
        recording = os.path.join(folder, "part.jsonl")
        said = odt("detect", path, "--detections", recording, *settings.for_looking(), *span.words)
        seen = Seen(**json.loads(said)) if span != WHOLE else Seen(0, [], [])
        place.put(recording, recording_name(video, number))
    place.write_json(seen_name(video, number), seen.__dict__)
    return seen


def recording_name(video: Video, number: int) -> str:
    return f"{video.workshop}/{number:05}.jsonl"


def seen_name(video: Video, number: int) -> str:
    return f"{video.workshop}/{number:05}.json"


def seen_already(place: Place, video: Video) -> dict[int, Seen]:
    """The parts that an earlier run has left."""
    names = (name for name in place.names(video.workshop) if name.endswith(".json") and name != "plan.json")
    found = {int(name.removesuffix(".json")): place.read_json(f"{video.workshop}/{name}") for name in names}
    return {number: Seen(**value) for number, value in found.items() if value is not None}
