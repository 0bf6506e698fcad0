"""What one `odt watch` of one camera says, until all of it has been told."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import secrets
import shutil
import time
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from .lines import last_lines

# How names begin of what is not a journal yet, and of what is none any more.
UNDER_WAY, OVER = ".new-", ".over-"


class Journal:
    """A folder on disk that outlives whoever writes and reads it:

        FOLDER/CAMERA/20261122T190000.123456Z-3f2a/
            lock          held by its reader and by the odt that writes: whoever gets it knows that both are dead
            watch.conf    what odt watch is to do
            lines.jsonl   what it says. odt writes it itself: between it and the disk there is nobody who could die with a line
            events.jsonl  the events among these, each with its id
            *.json        how far all that has been read and told
    """

    def __init__(self, path: Path, lock: int) -> None:
        self.path, self.lock = path, lock
        self.camera, self.run = path.parent.name, path.name
        self.lines, self.events = path / "lines.jsonl", path / "events.jsonl"
        # Whether nobody adds lines any more, and why odt ended, if it could say so.
        self.is_over, self.last_word = False, ""

    @classmethod
    def begin(cls, folder: Path, camera: str) -> Journal:
        """A new one. It appears under its name with its lock held, so that nobody takes it for one that was left."""
        moment = datetime.now(timezone.utc).strftime("%Y%m%dT%H%M%S.%fZ")
        name = f"{moment}-{secrets.token_hex(2)}"
        part = folder / camera / f"{UNDER_WAY}{name}"
        part.mkdir(parents=True, mode=0o700)
        lock = _take_lock(part)
        assert lock is not None
        path = folder / camera / name
        part.rename(path)
        return cls(path, lock)

    @classmethod
    def left_by_others(cls, folder: Path, camera: str) -> list[Path]:
        """The journals of a camera that are there, the oldest first."""
        with contextlib.suppress(FileNotFoundError):
            return sorted(path for path in (folder / camera).iterdir() if not path.name.startswith("."))
        return []

    @classmethod
    def adopt(cls, path: Path) -> Journal | None:
        """One that somebody left who is dead; nothing while its writer or its reader lives."""
        lock = _take_lock(path)
        if lock is None:
            return None
        journal = cls(path, lock)
        journal.close("whoever looked after its watch died")
        return journal

    def close(self, reason: str) -> None:
        """Nobody writes any more. Where odt could not say so itself, a line says that the camera is lost, and why."""
        said = [json.loads(line) for line in last_lines(self.lines) if _is_object(line)]
        last = said[-1] if said else {}
        is_said = last.get("message") == "swiftodt-camera" and (last["event"] == "ended" or "run" in last)
        self.last_word = str(last.get("reason")) if is_said else ""
        if self.lines.exists() and not is_said:
            line = {
                "message": "swiftodt-camera", "version": 1, "source": self.camera, "event": "lost", "reason": reason, "attempt": 0,
                "utc-time": time.time_ns(), "session": last.get("session", 0), "run": self.run,
            }  # fmt: skip
            # It begins with the end of a line that odt was in the middle of, if it was.
            descriptor = os.open(self.lines, os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC)
            with os.fdopen(descriptor, "wb", buffering=0) as file:
                file.write(b"\n" + json.dumps(line, ensure_ascii=False).encode() + b"\n")
        self.is_over = True

    def discard(self) -> None:
        """All has been told. It loses its name at once: what is left of it halfway is nobody's journal."""
        gone = self.path.with_name(OVER + self.path.name)
        self.path.rename(gone)
        self.release()
        shutil.rmtree(gone, ignore_errors=True)

    def release(self) -> None:
        """Leaves it to others."""
        if self.lock >= 0:
            os.close(self.lock)
            self.lock = -1


def sweep(folder: Path, camera: str) -> None:
    """Takes away what discarding or beginning left halfway when it was interrupted."""
    with contextlib.suppress(FileNotFoundError):
        for path in (folder / camera).iterdir():
            if path.name.startswith((OVER, UNDER_WAY)):
                lock = _take_lock(path)
                if lock is not None or path.name.startswith(OVER):
                    shutil.rmtree(path, ignore_errors=True)
                if lock is not None:
                    os.close(lock)


def _take_lock(path: Path) -> int | None:
    try:
        lock = os.open(path / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except FileNotFoundError:
        return None
    with contextlib.suppress(OSError):
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        # Another may have discarded it while this one came.
        if os.path.samestat(os.stat(path / "lock"), os.fstat(lock)):
            return lock
    os.close(lock)
    return None


def _is_object(line: bytes) -> bool:
    try:
        found: Any = json.loads(line)
    except ValueError:
        return False
    return isinstance(found, dict)
