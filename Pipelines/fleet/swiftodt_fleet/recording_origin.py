"""Determines the camera and start time of a recording from its file name."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from datetime import datetime, timezone
from urllib.parse import unquote, urlsplit

# The form of times in names of odt watch and most recorders: front-2026-11-22T15-45-01Z, cam3_20261122_154501.
MOMENT = re.compile(r"(?<!\d)(20\d\d|19\d\d)[-_.]?([01]\d)[-_.]?([0-3]\d)(?:[T_ -]+([0-2]\d)[-_:.h]?([0-5]\d)(?:[-_:.m]?([0-5]\d))?)?(?!\d)")


@dataclass(frozen=True)
class Origin:
    """The camera, the day, and the time of the first frame in nanoseconds since 1970, or None if unknown."""

    source: str
    day: str
    begin: int | None


def origin(address: str, changed: float | None) -> Origin:
    """Parses the name of a file or its folder. Without a time in it, the camera is the folder and the day that of the last change."""
    path = unquote(urlsplit(address).path) if "://" in address else address
    folder = os.path.basename(os.path.dirname(path))
    stem = os.path.splitext(os.path.basename(path))[0]
    for text in (stem, folder):
        found = MOMENT.search(text)
        if found is None:
            continue
        year, month, day, hour, minute, second = found.groups()
        try:
            moment = datetime(int(year), int(month), int(day), int(hour or 0), int(minute or 0), int(second or 0), tzinfo=timezone.utc)
        except ValueError:
            continue
        camera = text[: found.start()].strip("-_. ") if text == stem else ""
        begin = int(moment.timestamp()) * 10**9 if hour else None
        return Origin(plain(camera or (folder if text == stem else "") or stem), moment.date().isoformat(), begin)
    return Origin(plain(folder or stem), day_of(changed), None)


def day_of(changed: float | None) -> str:
    try:
        return datetime.fromtimestamp(changed, timezone.utc).date().isoformat() if changed is not None else "unknown"
    except (ValueError, OverflowError, OSError):
        return "unknown"


def plain(name: str) -> str:
    """Returns the text as a valid folder name."""
    return re.sub(r"[^\w.-]+", "_", name).strip("._")[:80] or "video"
