"""The parts of a video that are processed separately, and the joining of their recordings."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import IO, Any

from .odt_program import odt


@dataclass(frozen=True)
class Span:
    """A time range in nanoseconds of stream time; None stands for the start or end of the video."""

    start: int | None
    end: int | None

    @property
    def words(self) -> list[str]:
        return [word for name, time in (("--from", self.start), ("--to", self.end)) if time is not None for word in (name, seconds(time))]

    @property
    def name(self) -> str:
        """The base name of the part's files. Equal parts of different plans have the same name."""
        return f"{'start' if self.start is None else self.start}-{'end' if self.end is None else self.end}"


WHOLE = Span(None, None)


def seconds(time: int) -> str:
    return f"{time // 10**9}.{time % 10**9:09}"


def spans(video: str, length: float) -> list[Span]:
    """Returns parts of about this length that begin at key frames, or a single one if the video cannot be cut."""
    cuts = json.loads(odt("detect", video, "--cuts", str(length)))["cuts"]
    return [Span(start, end) for start, end in zip([None, *cuts], [*cuts, None])]


@dataclass(frozen=True)
class SegmentResult:
    """The number of frames of a part, and the identity (time and checksum) of its first frames and of the frames after its end."""

    frames: int
    first: list[list[Any]]
    behind: list[list[Any]]

    def fits(self, following: SegmentResult) -> bool:
        """Whether the frames after this part's end are the first frames of the following part."""
        count = min(len(self.behind), len(following.first))
        return count > 0 and self.behind[:count] == following.first[:count]


class RecordingMismatch(Exception):
    """The recordings do not belong to one video, so the video has to be processed as a single part."""


def parsed(line: str) -> dict[str, Any]:
    """Parses a line of a recording."""
    try:
        fields = json.loads(line)
    except ValueError:
        fields = None
    if not isinstance(fields, dict):
        raise RecordingMismatch("the recording of a part is damaged")
    return fields


def join(recordings: Iterable[IO[str]], into: IO[str]) -> tuple[int, int]:
    """Joins the recordings of the parts to the recording of one pass.

    :return: how many frames the video has, and how many of them are in the recording.
    """
    shared, frames, written, last = None, 0, 0, None
    for recording in recordings:
        header = next(recording, "")
        # Each part has its own first frame.
        fields = parsed(header) | {"first-frame": None}
        if shared is None:
            shared = fields
            into.write(header)
        elif fields != shared:
            raise RecordingMismatch("the video format differs between the parts")
        held, end = None, {}
        for line in recording:
            if held is not None:
                into.write(held)
                written += 1
            held, end = line, parsed(line)
        if end.get("end") is not True or not isinstance(end.get("frames"), int):
            raise RecordingMismatch("a part is incomplete")
        frames += end["frames"]
        last = end.get("time", last)
    into.write(json.dumps({"end": True, "frames": frames, "time": last}, separators=(",", ":")) + "\n")
    return frames, written
