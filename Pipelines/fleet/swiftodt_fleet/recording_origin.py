"""Determines the camera and start time of a recording from its file name."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from urllib.parse import unquote, urlsplit

# Dates and times in names of odt watch and most recorders: front-2026-11-22T15-45-01Z, cam3_20261122_154501, 20261122154501+0200.
# After a minus, four digits can also be a number. They are an offset only if a time zone has this offset.
MOMENT = re.compile(r"""(?<!\d)(?P<year>20\d\d|19\d\d) [-_.]? (?P<month>[01]\d) [-_.]? (?P<day>[0-3]\d)
    (?:(?P<separator>[T_\ -]*) (?P<hour>[0-2]\d) [-_:.h]? (?P<minute>[0-5]\d)
       (?:[-_:.m]? (?P<second>[0-5]\d) (?P<offset>\+[01]\d:?[0-5]\d | -[01]\d:[0-5]\d(?!:?\d) | -(?:(?:0[1-9]|1[0-2])00|0[239]30))?)?)?(?!\d)""", re.VERBOSE)
# The time in the name of a file whose folder has the date: 2026-11-22/15-45-01.mp4. Four numbers with dots are an IP address.
TIME = re.compile(r"""(?<!\d)(?<!\d\.)(?P<hour>[01]\d|2[0-3])
    (?P<separator>[-_:.h]) (?P<minute>[0-5]\d) (?:(?P=separator)|(?<=h..)m) (?P<second>[0-5]\d)(?!\.?\d)""", re.VERBOSE)
# Digits without separators are a time only as the whole name, because they may be a sequence number.
PLAIN_TIME = re.compile(r"(?P<hour>[01]\d|2[0-3])(?P<minute>[0-5]\d)(?P<second>[0-5]\d)")


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
        cameras = [text[: found.start()], folder] if is_name else [stem]
        time = found
        if not is_name and found["hour"] is None and (other := PLAIN_TIME.fullmatch(stem) or TIME.search(stem)):
            time = other
            cameras = [stem[: time.start()], folder[: found.start()], os.path.basename(above)]
        # After a time without T, a minus begins a number or the time of the end.
        offset = found["offset"]
        zone = timezone.utc if offset is None or (offset[0] == "-" and found["separator"] != "T") else time_zone(offset)
        year, month, day = map(int, found.group("year", "month", "day"))
        hour, minute, second = (int(number or 0) for number in time.group("hour", "minute", "second"))
        try:
            moment = datetime(year, month, day, hour, minute, second, tzinfo=zone)
        except ValueError:
            continue
        camera = next(filter(None, (camera.strip("-_. ") for camera in cameras)), stem)
        return Origin(plain(camera), moment.date().isoformat(), int(moment.timestamp()) * 10**9 if time["hour"] else None)
    return Origin(plain(folder or stem), day_of(changed), None)


def time_zone(offset: str) -> timezone:
    """Parses an offset such as +0200 or -05:00."""
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
