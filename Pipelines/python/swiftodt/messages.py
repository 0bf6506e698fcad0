"""The element's messages as dataclasses, with the fields of docs/messages.md.

Field names have underscores in place of dashes. Times are in nanoseconds, None if unknown. Boxes are in pixels of the buffer,
from its top left corner.
"""
from __future__ import annotations

from dataclasses import dataclass
from typing import Optional, Union


@dataclass(frozen=True)
class Object:
    """One object in one frame."""

    x: int
    y: int
    width: int
    height: int
    x_min: float
    y_min: float
    x_max: float
    y_max: float
    score: float
    category: str
    category_index: int
    label: str
    label_index: int
    state: str
    first_seen: Optional[int]
    last_seen: Optional[int]
    time_since_update: Optional[int]
    velocity_x: float
    velocity_y: float
    prominent: bool
    rank: int
    tracking_id: Optional[int] = None
    confidence: Optional[float] = None
    classifier_label: Optional[str] = None
    classifier_label_index: Optional[int] = None
    classifier_score: Optional[float] = None

    @property
    def box(self) -> tuple[int, int, int, int]:
        """(x, y, width, height) in pixels."""
        return self.x, self.y, self.width, self.height

    @property
    def name(self) -> str:
        """The label, else the classifier's label, else the category, else "object"."""
        return self.label or self.classifier_label or (self.category if self.category != "unknown" else "object")


@dataclass(frozen=True)
class LabelCount:
    """The counts of one label in a zone or at a line."""

    label: str
    count: Optional[int] = None
    entered: Optional[int] = None
    left: Optional[int] = None
    in_: Optional[int] = None
    out: Optional[int] = None


@dataclass(frozen=True)
class ZoneCount:
    """The counts of a zone or line since the stream began."""

    name: str
    kind: str
    by_label: tuple[LabelCount, ...]
    count: Optional[int] = None
    entered: Optional[int] = None
    left: Optional[int] = None
    in_: Optional[int] = None
    out: Optional[int] = None


@dataclass(frozen=True)
class Result:
    """The objects in one frame: a message `swiftodt`, or the metadata of a buffer, which has no sequence number."""

    version: int
    epoch: int
    timestamp: Optional[int]
    stream_time: Optional[int]
    running_time: Optional[int]
    utc_time: Optional[int]
    duration: Optional[int]
    width: int
    height: int
    orientation: str
    mode: str
    detection_timestamp: Optional[int]
    detection_latency: Optional[int]
    object_count: int
    objects: tuple[Object, ...]
    sequence: Optional[int] = None
    best_rejected_label: Optional[str] = None
    best_rejected_score: Optional[float] = None
    best_rejected_reason: Optional[str] = None
    zones: tuple[ZoneCount, ...] = ()
    model: Optional[str] = None
    model_sum: Optional[str] = None
    source: Optional[str] = None
    # The number of the connection to the camera, in messages of odt watch.
    session: Optional[int] = None

    @property
    def seconds(self) -> Optional[float]:
        """The stream time in seconds."""
        return seconds(self.stream_time)


@dataclass(frozen=True)
class TrackEvent:
    """A track begins, changes a label or category, or ends: a message `swiftodt-track`."""

    event: str
    tracking_id: int
    category: str
    label: str
    timestamp: Optional[int]
    stream_time: Optional[int]
    running_time: Optional[int]
    utc_time: Optional[int]
    duration: Optional[int]
    first_seen: Optional[int]
    last_seen: Optional[int]
    best_score: float
    best_x: int
    best_y: int
    best_width: int
    best_height: int
    best_timestamp: Optional[int]
    best_running_time: Optional[int]
    path_length: float
    epoch: int
    classifier_label: Optional[str] = None
    reason: Optional[str] = None
    source: Optional[str] = None
    # The number of the connection to the camera, in messages of odt watch.
    session: Optional[int] = None


@dataclass(frozen=True)
class ZoneEvent:
    """An object enters, leaves or stays in a zone, or crosses a line: a message `swiftodt-zone`."""

    event: str
    zone: str
    tracking_id: int
    label: str
    event_running_time: Optional[int]
    timestamp: Optional[int]
    stream_time: Optional[int]
    running_time: Optional[int]
    utc_time: Optional[int]
    epoch: int
    direction: Optional[str] = None
    dwell: Optional[int] = None
    source: Optional[str] = None
    # The number of the connection to the camera, in messages of odt watch.
    session: Optional[int] = None


Message = Union[Result, TrackEvent, ZoneEvent]


def seconds(time: Optional[int]) -> Optional[float]:
    """Converts nanoseconds to seconds."""
    return None if time is None else time / 1e9
