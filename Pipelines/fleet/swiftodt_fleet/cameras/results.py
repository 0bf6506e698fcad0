"""What a broker is told besides events."""

import json
import time
from typing import Any, NamedTuple

from .mqtt import level


class Retained(NamedTuple):
    """Something for a topic below a camera's; kept by the broker, or as it comes and may be lost."""

    topic: str
    payload: bytes
    is_kept: bool


class Results:
    """Of results, the newest once a second as `objects`, and of each zone what has been counted, where that changes."""

    INTERVAL = 1.0

    def __init__(self) -> None:
        self._told = -self.INTERVAL
        self._line: bytes | None = None
        self._zones: dict[str, Any] = {}

    def messages(self, line: bytes | None) -> list[Retained]:
        """What is to be told of the newest result."""
        now = time.monotonic()
        if line is None or line is self._line or now - self._told < self.INTERVAL:
            return []
        self._line, self._told = line, now
        found = [Retained("objects", line, False)]
        for zone in json.loads(line).get("zones", []):
            if self._zones.get(zone["name"]) != zone:
                self._zones[zone["name"]] = zone
                found.append(Retained(f"zones/{level(zone['name'])}", json.dumps(zone, ensure_ascii=False).encode(), True))
        return found

    def forget(self) -> None:
        """A new connection: all counts are told again."""
        self._zones.clear()
