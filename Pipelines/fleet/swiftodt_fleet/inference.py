"""One part of a video: what a detector answers, frame by frame."""

from __future__ import annotations

import json
import os
import tempfile
from dataclasses import dataclass

from .file_cache import Identity, local_copy
from .segments import WHOLE, SegmentResult, Span
from .storage import Storage
from .settings import Settings
from .odt_program import odt


@dataclass(frozen=True)
class Video:
    """A file that is at work."""

    name: str
    address: str
    identity: Identity

    @property
    def work_folder(self) -> str:
        """Where its parts wait for one another."""
        return f"work/{self.name}"


def infer(video: Video, settings: Settings, number: int, span: Span) -> SegmentResult:
    """Records a part, and puts it where the others are. What says that it is there comes last."""
    storage = Storage(settings.storage)
    with tempfile.TemporaryDirectory(prefix="swiftodt-fleet-") as folder, local_copy(video.address, video.identity) as path:
        recording = os.path.join(folder, "part.jsonl")
        said = odt("detect", path, "--detections", recording, *settings.for_inference(), *span.words)
        seen = SegmentResult(**json.loads(said)) if span != WHOLE else SegmentResult(0, [], [])
        storage.put(recording, recording_name(video, number))
    storage.write_json(result_name(video, number), seen.__dict__)
    return seen


def recording_name(video: Video, number: int) -> str:
    return f"{video.work_folder}/{number:05}.jsonl"


def result_name(video: Video, number: int) -> str:
    return f"{video.work_folder}/{number:05}.json"


def finished_segments(storage: Storage, video: Video) -> dict[int, SegmentResult]:
    """The parts that an earlier run has left."""
    names = (name for name in storage.names(video.work_folder) if name.endswith(".json") and name != "plan.json")
    found = {int(name.removesuffix(".json")): storage.read_json(f"{video.work_folder}/{name}") for name in names}
    return {number: SegmentResult(**value) for number, value in found.items() if value is not None}
