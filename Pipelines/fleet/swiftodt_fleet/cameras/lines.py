"""Files of lines that another process adds to."""

import ctypes
import os
from collections.abc import Iterator
from pathlib import Path

# What is read at a time.
CHUNK = 1 << 20
# From linux/falloc.h: the size stays, what was there reads as zeros, and its room goes back to the disk.
KEEP_SIZE, PUNCH_HOLE = 1, 2

_library = ctypes.CDLL(None, use_errno=True)
_library.fallocate.argtypes = [ctypes.c_int, ctypes.c_int, ctypes.c_int64, ctypes.c_int64]


def complete_lines(path: Path, offset: int) -> Iterator[tuple[bytes, int]]:
    """The lines from `offset` on that are whole by now, each without its end, and where the next one begins.

    A megabyte at most: who wants more asks again.
    """
    try:
        file = path.open("rb")
    except FileNotFoundError:
        return
    with file:
        file.seek(offset)
        text = file.read(CHUNK)
        while b"\n" not in text and (more := file.read(CHUNK)):
            text += more
    for line in text[: text.rfind(b"\n") + 1].splitlines(keepends=True):
        offset += len(line)
        yield line.rstrip(b"\n"), offset


def last_lines(path: Path, most: int = 1 << 16) -> list[bytes]:
    """The last whole lines of a file."""
    try:
        with path.open("rb") as file:
            begin = max(0, file.seek(0, os.SEEK_END) - most)
            file.seek(begin)
            text = file.read()
    except FileNotFoundError:
        return []
    lines = text[: text.rfind(b"\n") + 1].split(b"\n")[:-1]
    # The first may be the end of a longer one, or follow zeros where the room was given back.
    return lines[1:] if begin else lines


def cut_torn_line(path: Path) -> None:
    """Takes away what a writer that died left of its last line."""
    try:
        size = path.stat().st_size
    except FileNotFoundError:
        return
    with path.open("rb+") as file:
        begin = size
        while begin > 0:
            begin = max(0, begin - CHUNK)
            file.seek(begin)
            end = file.read(CHUNK).rfind(b"\n")
            if end >= 0 or begin == 0:
                file.truncate(begin + end + 1)
                return


def give_back(path: Path, end: int) -> bool:
    """Gives the room of what stands before `end` back to the disk; offsets stay. Says whether the file system can do so."""
    descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    try:
        done: int = _library.fallocate(descriptor, KEEP_SIZE | PUNCH_HOLE, 0, end)
        return done == 0
    finally:
        os.close(descriptor)
