"""Converts results to tables and to types of other packages."""
from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterable, Iterator
from typing import IO, TYPE_CHECKING, Any, Union

from swiftodt.messages import Message, Object, Result, TrackEvent, ZoneEvent, seconds
from swiftodt.packages import package
from swiftodt.reading import messages

if TYPE_CHECKING:
    from swiftodt.tracking import Frame

# The fields of a result in each row.
RESULT_FIELDS = ("timestamp", "epoch", "source", "session")

Sources = Union[str, os.PathLike[str], IO[str], IO[bytes], Iterable[Union[Message, None, "tuple[Frame, tuple[Object, ...]]"]]]


def rows(source: Sources) -> Iterator[dict[str, Any]]:
    """Yields one row for each object and frame, as plain values, from a file of JSON lines (its path or an open file), from messages or from
    `track`.

    In addition to the fields of the object a row has `seconds` (stream time), `timestamp`, `epoch`, `source` and `session`.
    """
    for result in results(source):
        head = {"seconds": result.seconds, **{name: getattr(result, name) for name in RESULT_FIELDS}}
        for thing in result.objects:
            yield head | {field.name: getattr(thing, field.name) for field in dataclasses.fields(thing)}


def results(source: Sources) -> Iterator[Result]:
    items: Any = source
    if isinstance(source, (str, os.PathLike)) or hasattr(source, "read"):
        items = messages(items)
    for item in items:
        message = item[0].result if isinstance(item, tuple) else item
        if isinstance(message, Result):
            yield message
        # from_json returns None for the statistics at the end of a file.
        elif message is not None and not isinstance(message, (TrackEvent, ZoneEvent)):
            raise TypeError(f"{message!r:.100} is neither a message nor a pair of track(); parse lines with from_json")


def dataframe(source: Sources) -> Any:
    """Returns the rows as a pandas.DataFrame, with first_seen and last_seen in seconds of running time."""
    pandas = package("pandas", "swiftodt.dataframe")
    columns = ["seconds", *RESULT_FIELDS, *(field.name for field in dataclasses.fields(Object))]
    table = pandas.DataFrame(list(rows(source)), columns=columns)
    for name in ("first_seen", "last_seen"):
        table[name] = table[name].map(seconds)
    return table


def detections(result: Union[Result, Frame]) -> Any:
    """Returns the objects of a result as supervision.Detections, with their names in data["class_name"]."""
    supervision = package("supervision", "swiftodt.detections")
    numpy = package("numpy", "swiftodt.detections")
    objects = result.objects
    ids = [thing.tracking_id for thing in objects]
    return supervision.Detections(
        xyxy=numpy.array([[thing.x, thing.y, thing.x + thing.width, thing.y + thing.height] for thing in objects], dtype=float).reshape(-1, 4),
        confidence=numpy.array([thing.score for thing in objects], dtype=float),
        class_id=numpy.array([thing.label_index for thing in objects], dtype=int),
        tracker_id=None if None in ids else numpy.array(ids, dtype=int),
        data={"class_name": numpy.array([thing.name for thing in objects], dtype=str)})
