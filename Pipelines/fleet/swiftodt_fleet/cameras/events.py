"""The events of a journal, as those read them who tell them on."""

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from .journal import Journal
from .lines import complete_lines


class Event(NamedTuple):
    """One, and where the next one begins."""

    number: int
    # Nanoseconds since 1970.
    time: int
    said: dict[str, Any]
    end: int

    @property
    def kind(self) -> str:
        """`track`, `zone` or `camera`."""
        return str(self.said["message"]).removeprefix("swiftodt-")


def events(journal: Journal, offset: int) -> Iterator[Event]:
    """Those that are there from an offset on; a megabyte of them at most."""
    for line, end in complete_lines(journal.events, offset):
        record = json.loads(line)
        yield Event(record["number"], record["time"], record["said"], end)
