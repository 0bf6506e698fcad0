"""Runs the detector on one part of a video and stores the recorded detections."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import Any

from .file_cache import Identity, local_copy, temporary_folder
from .segments import WHOLE, SegmentResult, Span
from .errors import RunError
from .storage import Storage
from .settings import Settings
from .odt_program import odt


@dataclass(frozen=True)
class Video:
    """A file that is being processed."""

    name: str
    address: str
    identity: Identity

    @property
    def work_folder(self) -> str:
        """The folder of the parts that are finished."""
        return f"work/{self.name}"


def infer(video: Video, settings: Settings, span: Span) -> SegmentResult:
    """Records the detections of a part and stores them. The .json file, which marks the part as finished, is written last."""
    storage = Storage(settings.storage)
    with temporary_folder() as folder, local_copy(video.address, video.identity) as path:
        recording = os.path.join(folder, "part.jsonl")
        answer = odt("detect", path, "--detections", recording, *settings.for_inference(), *span.words)
        seen = SegmentResult(**json.loads(answer)) if span != WHOLE else SegmentResult(0, [], [])
        try:
            storage.put(recording, recording_name(video, span))
            storage.write_json(result_name(video, span), seen.__dict__)
        except RunError:
            # Another run may have finished the video and removed the folder of the parts.
            if finished(storage, video) is None:
                raise
    return seen


def recording_name(video: Video, span: Span) -> str:
    return f"{video.work_folder}/{span.name}.jsonl"


def result_name(video: Video, span: Span) -> str:
    return f"{video.work_folder}/{span.name}.json"


def finished(storage: Storage, video: Video) -> dict[str, Any] | None:
    """Returns the content of done/NAME.json if it belongs to this content of the file, else None."""
    done: dict[str, Any] | None = storage.read_json(f"done/{video.name}.json")
    return done if done is not None and done["identity"] == video.identity.key else None


def finished_segments(storage: Storage, video: Video, spans: list[Span]) -> dict[int, SegmentResult]:
    """Returns the results of finished parts whose recordings exist, by index in `spans`.

    Files of other parts belong to a run with another plan and are ignored.
    """
    names = set(storage.names(video.work_folder))
    found = {number: storage.read_json(result_name(video, span)) for number, span in enumerate(spans)
             if {f"{span.name}.json", f"{span.name}.jsonl"} <= names}
    return {number: SegmentResult(**value) for number, value in found.items() if value is not None}
