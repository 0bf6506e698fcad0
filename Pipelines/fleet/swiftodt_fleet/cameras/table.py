"""Events in Parquet."""

from __future__ import annotations

import io
import json
import time
from datetime import datetime, timezone
from typing import Any
from urllib.parse import quote

import pyarrow
from pyarrow import parquet

from ..place import Place
from .events import Event, events
from .journal import Journal
from .progress import read_progress, write_progress

SCHEMA = pyarrow.schema([
    ("id", pyarrow.string()), ("time", pyarrow.timestamp("us", tz="UTC")), ("kind", pyarrow.string()), ("event", pyarrow.string()),
    ("run", pyarrow.string()), ("number", pyarrow.int64()), ("session", pyarrow.int64()), ("epoch", pyarrow.int64()),
    ("tracking_id", pyarrow.int64()), ("label", pyarrow.string()), ("category", pyarrow.string()), ("zone", pyarrow.string()),
    ("direction", pyarrow.string()), ("dwell", pyarrow.float64()), ("duration", pyarrow.float64()), ("path_length", pyarrow.float64()),
    ("best_score", pyarrow.float64()), ("reason", pyarrow.string()), ("message", pyarrow.string()),
])  # fmt: skip


class EventTable:
    """Writes a journal's events into files PLACE/events/day=DAY/camera=CAMERA/RUN-NUMBER.parquet.

    NUMBER is that of a file's first event. A file grows by being written anew under its name, until it is full, its day or an hour is over; only
    then it is noted that the next one begins. Who is killed between the two, or anywhere, is followed by one who writes
    the same file again: each event is in one file, once.
    """

    MOST_ROWS = 50_000
    LONGEST = 3600.0

    def __init__(self, journal: Journal, place: Place, every: float) -> None:
        self.journal, self._place, self._every = journal, place, every
        self._saved = journal.path / "table.json"
        self.offset = read_progress(self._saved).get("offset", 0)
        # Where what has been read ends; between both there are the rows of the file that grows.
        self._read = self.offset
        self._rows: list[Event] = []
        self._written = 0
        self._begun = self._wrote = time.monotonic()

    def pump(self, is_last: bool = False) -> None:
        """Reads what is there, and writes what is due.

        is_last: nothing more comes, or this reader is about to go: all is written now.
        """
        while self._take():
            pass
        now = time.monotonic()
        is_due = now - self._wrote >= self._every or is_last
        if len(self._rows) > self._written and is_due:
            # A place that cannot be written is tried again when the next writing is due.
            self._wrote = now
            self._write()
        if self._rows and (is_last or now - self._begun >= self.LONGEST):
            self._finish()

    @property
    def is_done(self) -> bool:
        """Whether all that has been read is in its last place."""
        return not self._rows and self.offset == self._read

    def _take(self) -> bool:
        begin = self._read
        for event in events(self.journal, self._read):
            if self._rows and (_day(event) != _day(self._rows[0]) or len(self._rows) >= self.MOST_ROWS):
                self._finish()
            if not self._rows:
                self._begun = time.monotonic()
            self._rows.append(event)
            self._read = event.end
        return self._read > begin

    def _finish(self) -> None:
        """Closes the file that grows. What has been read so far is all in it."""
        if len(self._rows) > self._written:
            self._write()
        write_progress(self._saved, offset=self._rows[-1].end)
        self.offset = self._rows[-1].end
        self._rows, self._written = [], 0

    def _write(self) -> None:
        sink = io.BytesIO()
        table = pyarrow.Table.from_pylist([self._row(event) for event in self._rows], SCHEMA)
        parquet.write_table(table, sink, compression="zstd")
        name = f"{self.journal.run}-{self._rows[0].number:09}.parquet"
        # As Hive, Arrow and DuckDB read it.
        folder = f"events/day={_day(self._rows[0])}/camera={quote(self.journal.camera, safe='')}"
        self._place.write(f"{folder}/{name}", sink.getvalue())
        self._written = len(self._rows)

    def _row(self, event: Event) -> dict[str, Any]:
        said = event.said
        plain = ("id", "event", "session", "epoch", "label", "category", "zone", "direction", "reason")
        return {name: said.get(name) for name in plain} | {
            "time": event.time // 1000, "kind": event.kind, "run": self.journal.run, "number": event.number,
            "tracking_id": said.get("tracking-id"), "dwell": _seconds(said.get("dwell")), "duration": _seconds(said.get("duration")),
            "path_length": said.get("path-length"), "best_score": said.get("best-score"),
            "message": json.dumps(said, ensure_ascii=False),
        }  # fmt: skip


def _day(event: Event) -> str:
    return datetime.fromtimestamp(event.time / 1e9, timezone.utc).strftime("%Y-%m-%d")


def _seconds(nanoseconds: int | None) -> float | None:
    return None if nanoseconds is None else nanoseconds / 1e9
