"""How far something has come, over the death of whoever does it."""

import json
import os
from pathlib import Path


def read_progress(path: Path) -> dict[str, int]:
    """What was written last; empty where nothing was."""
    try:
        found: dict[str, int] = json.loads(path.read_bytes())
        return found
    except FileNotFoundError:
        return {}


def write_progress(path: Path, **values: int) -> None:
    """Replaces what was there. It is on the disk afterwards: a power cut finds the old values or these."""
    write_whole(path, json.dumps(values).encode())


def write_whole(path: Path, content: bytes, mode: int = 0o666) -> None:
    """Writes a file that has its name once it is whole, and on the disk."""
    part = path.with_name(f".{path.name}.part")
    descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, mode)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    os.replace(part, path)
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
