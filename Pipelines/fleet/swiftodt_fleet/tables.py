"""Converts messages to tables: tracks, boxes and zone events. Each video has one Parquet file per table, in a folder by day and camera."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from .recording_origin import Origin

# Many programs cannot read nanoseconds.
TIME = pa.timestamp("us", tz="UTC")
WORD = pa.dictionary(pa.int32(), pa.string())
COMMON: list[tuple[str, pa.DataType]] = [("video", WORD), ("seconds", pa.float64()), ("time", TIME), ("tracking_id", pa.int64()), ("label", WORD)]
SCHEMAS = {
    "tracks": pa.schema([*COMMON, ("category", WORD), ("first_seen", pa.float64()), ("last_seen", pa.float64()), ("duration", pa.float64()),
                         ("best_score", pa.float64()), ("best_x", pa.int32()), ("best_y", pa.int32()), ("best_width", pa.int32()),
                         ("best_height", pa.int32()), ("path_length", pa.float64()), ("reason", WORD), ("epoch", pa.int32())]),
    "boxes": pa.schema([*COMMON, ("category", WORD), ("x", pa.int32()), ("y", pa.int32()), ("width", pa.int32()), ("height", pa.int32()),
                        ("score", pa.float64()), ("state", WORD), ("rank", pa.int32())]),
    "zone_events": pa.schema([*COMMON, ("event", WORD), ("zone", WORD), ("direction", WORD), ("dwell", pa.float64())]),
}
# The number of rows that are kept in memory before they are written, some megabytes.
BATCH = 20_000


@dataclass
class Figures:
    """The counts of a video for the overview."""

    seconds: float = 0.0
    inferred: int = 0
    # The name of each object by its id. An object that comes back ends more than once.
    names: dict[int, str] = field(default_factory=dict)
    zone_events: int = 0

    @property
    def tracks(self) -> dict[str, int]:
        """The number of objects by name."""
        return dict(Counter(self.names.values()))


class Table:
    """Writes one Parquet file in batches of rows."""

    def __init__(self, kind: str, path: str) -> None:
        self.schema = SCHEMAS[kind]
        self.writer = pq.ParquetWriter(path, self.schema, compression="zstd")
        self.rows: list[dict[str, Any]] = []

    def add(self, row: dict[str, Any]) -> None:
        self.rows.append(row)
        if len(self.rows) >= BATCH:
            self.flush()

    def flush(self) -> None:
        if self.rows:
            self.writer.write_table(pa.Table.from_pylist(self.rows, schema=self.schema))
            self.rows = []

    def close(self) -> None:
        self.flush()
        self.writer.close()


def name_in_tables(kind: str, video: str, origin: Origin) -> str:
    return f"tables/{kind}/day={origin.day}/source={origin.source}/{video}.parquet"


def write_tables(messages: str, video: str, origin: Origin, folder: str) -> tuple[dict[str, str], Figures]:
    """Converts a file of messages line by line.

    :return: the path of each table, and the counts.
    """
    paths = {kind: os.path.join(folder, f"{kind}.parquet") for kind in SCHEMAS}
    tables = {kind: Table(kind, path) for kind, path in paths.items()}
    figures = Figures()
    moment = clock(video, origin)
    with open(messages, encoding="utf-8") as lines:
        for line in lines:
            add(json.loads(line), tables, figures, moment)
    for table in tables.values():
        table.close()
    return paths, figures


def clock(video: str, origin: Origin) -> Callable[[int | None, int | None], dict[str, Any]]:
    def moment(time: int | None, utc: int | None) -> dict[str, Any]:
        """Returns the columns for a time: stream time, and UTC from the message or else from the start time of the recording."""
        if utc is None and time is not None and origin.begin is not None:
            utc = origin.begin + time
        return {"video": video, "seconds": None if time is None else time / 1e9, "time": utc and utc // 1000}
    return moment


def add(message: dict[str, Any], tables: dict[str, Table], figures: Figures, moment: Callable[[int | None, int | None], dict[str, Any]]) -> None:
    kind = message.get("message")
    if kind == "swiftodt":
        figures.inferred += 1
        figures.seconds = max(figures.seconds, ((message["stream-time"] or 0) + (message["duration"] or 0)) / 1e9)
        for row in box_rows(message, moment(message["stream-time"], message["utc-time"])):
            tables["boxes"].add(row)
    # A track with the reason "reidentified" continues with an earlier id.
    elif kind == "swiftodt-track" and message["event"] == "end" and message.get("reason") != "reidentified":
        figures.names[message["tracking-id"]] = message["label"] or (message["category"] if message["category"] != "unknown" else "object")
        first, last = message["first-seen"], message["last-seen"]
        # The message was posted after the object was last seen; its running time gives the difference.
        utc = None if message["utc-time"] is None else message["utc-time"] - (message["running-time"] - first)
        tables["tracks"].add(moment(first, utc) | {
            "tracking_id": message["tracking-id"], "label": message["label"], "category": message["category"], "first_seen": first / 1e9,
            "last_seen": last / 1e9, "duration": message["duration"] / 1e9, "best_score": message["best-score"],
            **{f"best_{side}": message[f"best-{side}"] for side in ("x", "y", "width", "height")},
            "path_length": message["path-length"], "reason": message.get("reason"), "epoch": message["epoch"]})
    elif kind == "swiftodt-zone":
        figures.zone_events += 1
        when = message["event-running-time"]
        utc = None if message["utc-time"] is None else message["utc-time"] - (message["running-time"] - when)
        tables["zone_events"].add(moment(when, utc) | {
            "tracking_id": message["tracking-id"], "label": message["label"], "event": message["event"], "zone": message["zone"],
            "direction": message.get("direction"), "dwell": message["dwell"] / 1e9 if "dwell" in message else None})


def box_rows(message: dict[str, Any], when: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for thing in message["objects"]:
        yield when | {
            "tracking_id": thing.get("tracking-id"), "label": thing["label"], "category": thing["category"], "x": thing["x"], "y": thing["y"],
            "width": thing["width"], "height": thing["height"], "score": thing["score"], "state": thing["state"], "rank": thing["rank"]}
