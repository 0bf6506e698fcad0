"""The parts of a video that are looked at apart, and how their recordings become one."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import IO, Any

from .odt_program import odt


@dataclass(frozen=True)
class Span:
    """From one time until another, in nanoseconds of the video; None for its beginning and its end."""

    start: int | None
    end: int | None

    @property
    def words(self) -> list[str]:
        return [word for name, time in (("--from", self.start), ("--to", self.end)) if time is not None for word in (name, seconds(time))]


WHOLE = Span(None, None)


def seconds(time: int) -> str:
    return f"{time // 10**9}.{time % 10**9:09}"


def spans(video: str, length: float) -> list[Span]:
    """Parts of about a length that begin at key frames; one alone where the video cannot be cut."""
    cuts = json.loads(odt("detect", video, "--cuts", str(length)))["cuts"]
    return [Span(start, end) for start, end in zip([None, *cuts], [*cuts, None])]


@dataclass(frozen=True)
class SegmentResult:
    """What a part had: how many frames, and what its first ones and those right behind it are known by (time and sum of pixels)."""

    frames: int
    first: list[list[Any]]
    behind: list[list[Any]]

    def fits(self, following: SegmentResult) -> bool:
        """Whether a pass over this part, had it gone on, would have seen what the following one saw."""
        count = min(len(self.behind), len(following.first))
        return count > 0 and self.behind[:count] == following.first[:count]


class RecordingMismatch(Exception):
    """Recordings that are none of one video: it has to be taken whole."""


def join(recordings: Iterable[IO[str]], into: IO[str]) -> tuple[int, int]:
    """Writes the recording that one pass would have written.

    :return: how many frames the video has, and how many of them are in the recording.
    """
    header, frames, written, last = "", 0, 0, None
    for recording in recordings:
        first = next(recording, "")
        if header and first != header:
            raise RecordingMismatch("the picture's form differs from part to part")
        if not header:
            header = first
            into.write(header)
        held = None
        for line in recording:
            if held is not None:
                into.write(held)
                written += 1
            held = line
        end = json.loads(held) if held else {}
        if end.get("end") is not True:
            raise RecordingMismatch("a part is unfinished")
        frames += end["frames"]
        last = end.get("time", last)
    into.write(json.dumps({"end": True, "frames": frames, "time": last}, separators=(",", ":")) + "\n")
    return frames, written
