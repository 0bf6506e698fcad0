"""The events among all that `odt watch` says."""

import errno
import json
import os
from typing import Any

from .journal import Journal
from .lines import complete_lines, cut_torn_line, give_back, last_lines
from .progress import read_progress, write_progress

# How a result begins: there is one for each picture that was looked at, and they are counted, not kept.
RESULT = b'{"message": "swiftodt",'
# Room goes back to the disk in such steps; the latest lines stay, for whoever reads along (tail -f).
STEP, MARGIN = 4 << 20, 1 << 20


class Collector:
    """Reads a journal's lines and adds the events among them to its events, each with an id, a number and a time.

    An event says where its line ends. Whoever comes after a death reads on from there: no line is read twice, and none is left out.
    """

    def __init__(self, journal: Journal) -> None:
        self.journal = journal
        cut_torn_line(journal.events)
        self._saved = journal.path / "collected.json"
        last: dict[str, int] = json.loads((last_lines(journal.events) or [b"{}"])[-1])
        self.offset = max(last.get("end", 0), read_progress(self._saved).get("offset", 0))
        self._given_back = self.offset
        self._number = last.get("number", -1) + 1
        # When the latest connection began: for files, which know no time of day.
        self._began = last.get("began", 0)
        # How many pictures were looked at, and the newest result.
        self.pictures = 0
        self.newest: bytes | None = None
        # What the page shows.
        self.last_event: dict[str, Any] | None = None
        self.last_camera_event: dict[str, Any] | None = None
        self._events = os.open(journal.events, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)

    def pump(self) -> bool:
        """Reads what is there; says whether there was something. Where there is no room for events, they stay where they are."""
        end, pictures, newest, events = self.offset, 0, self.newest, []
        for line, end in complete_lines(self.journal.lines, self.offset):
            if line.startswith(RESULT):
                pictures += 1
                newest = line
            elif (said := _event(line)) is not None:
                events.append((said, end))
        if events:
            self._add(events)
        is_more = end > self.offset
        self.offset, self.newest = end, newest
        self.pictures += pictures
        if self.offset - MARGIN - self._given_back >= STEP:
            self._give_back()
        return is_more

    def _add(self, events: list[tuple[dict[str, Any], int]]) -> None:
        number, began = self._number, self._began
        text = b"".join(self._record(said, end) for said, end in events)
        size = os.fstat(self._events).st_size
        try:
            # In one call; where a death tears it, the last line is cut, and read again.
            if os.write(self._events, text) < len(text):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(self.journal.events))
        except OSError:
            os.ftruncate(self._events, size)
            self._number, self._began = number, began
            raise

    @property
    def is_done(self) -> bool:
        """Whether nothing more can come."""
        if not self.journal.is_over:
            return False
        return not self.journal.lines.exists() or self.offset >= self.journal.lines.stat().st_size

    def close(self) -> None:
        """Lets go of the file."""
        os.close(self._events)

    def _record(self, said: dict[str, Any], end: int) -> bytes:
        if said["message"] == "swiftodt-camera":
            self.last_camera_event = said
            if said["event"] == "connected":
                self._began = said["utc-time"]
        else:
            self.last_event = said
        time = said.get("utc-time")
        if time is None:
            time = self._began + (said.get("running-time") or 0)
        name = f"{self.journal.camera}/{self.journal.run}/{self._number}"
        record = {"number": self._number, "time": time, "end": end, "began": self._began, "said": {"id": name, **said}}
        self._number += 1
        return json.dumps(record, ensure_ascii=False).encode() + b"\n"

    def _give_back(self) -> None:
        """What has been read goes, once what it told is on the disk."""
        os.fdatasync(self._events)
        write_progress(self._saved, offset=self.offset)
        self._given_back = self.offset - MARGIN
        give_back(self.journal.lines, self._given_back)


def _event(line: bytes) -> dict[str, Any] | None:
    """An event of a line; nothing where it is none, or was torn."""
    try:
        said = json.loads(line)
    except ValueError:
        return None
    known = isinstance(said, dict) and said.get("message") in ("swiftodt-track", "swiftodt-zone", "swiftodt-camera")
    return said if known else None
