"""Determines the camera and start time of a recording from its file name."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from urllib.parse import unquote, urlsplit

# Dates and times in names of odt watch and most recorders: front-2026-11-22T15-45-01Z, cam3_20261122_154501, 20261122154501+0200.
MOMENT = re.compile(r"(?<!\d)(20\d\d|19\d\d)[-_.]?([01]\d)[-_.]?([0-3]\d)"
                    r"(?:([T_ -]*)([0-2]\d)[-_:.h]?([0-5]\d)(?:[-_:.m]?([0-5]\d)(\+[01]\d:?[0-5]\d|-[01]\d:[0-5]\d(?!:?\d))?)?)?(?!\d)")
# The time in the name of a file whose folder has the date: 2026-11-22/15-45-01.mp4. Digits without separators are a time only as the
# whole name, because they may be a sequence number. Four numbers with dots are an IP address.
TIME = re.compile(r"(?<!\d)(?<!\d\.)([01]\d|2[0-3])([-_:.]|h|(?<=^..)(?=\d{4}$))([0-5]\d)(?:\2|(?<=h..)m)([0-5]\d)(?!\.?\d)")


@dataclass(frozen=True)
class Origin:
    """The camera, the day, and the time of the first frame in nanoseconds since 1970, or None if unknown."""

    source: str
    day: str
    begin: int | None


def origin(address: str, changed: float | None) -> Origin:
    """Parses the name of a file or its folder. Without a time in it, the camera is the folder and the day that of the last change."""
    path = unquote(urlsplit(address).path) if "://" in address else address
    folders, name = os.path.split(path)
    stem = os.path.splitext(name)[0]
    above, folder = os.path.split(folders)
    for text, is_name in ((stem, True), (folder, False)):
        found = MOMENT.search(text)
        if found is None:
            continue
        year, month, day, separator, hour, minute, second, offset = found.groups()
        cameras = [text[: found.start()], folder] if is_name else [stem]
        if not is_name and hour is None and (time := TIME.search(stem)):
            hour, _, minute, second = time.groups()
            cameras = [stem[: time.start()], folder[: found.start()], os.path.basename(above)]
        # After a time without T, a minus begins a number or the time of the end.
        zone = timezone.utc if offset is None or (offset[0] == "-" and separator != "T") else time_zone(offset)
        try:
            moment = datetime(int(year), int(month), int(day), int(hour or 0), int(minute or 0), int(second or 0), tzinfo=zone)
        except ValueError:
            continue
        camera = next(filter(None, (camera.strip("-_. ") for camera in cameras)), stem)
        return Origin(plain(camera), moment.date().isoformat(), int(moment.timestamp()) * 10**9 if hour else None)
    return Origin(plain(folder or stem), day_of(changed), None)


def time_zone(offset: str) -> timezone:
    """Parses +0200 or +02:00."""
    distance = timedelta(hours=int(offset[1:3]), minutes=int(offset[-2:]))
    return timezone(-distance if offset[0] == "-" else distance)


def day_of(changed: float | None) -> str:
    try:
        return datetime.fromtimestamp(changed, timezone.utc).date().isoformat() if changed is not None else "unknown"
    except (ValueError, OverflowError, OSError):
        return "unknown"


def plain(name: str) -> str:
    """Returns the text as a valid folder name."""
    return re.sub(r"[^\w.-]+", "_", name).strip("._")[:80] or "video"
