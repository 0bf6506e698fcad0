"""Plays a video and yields its frames with their objects."""
from __future__ import annotations

import os
import pathlib
import re
import sys
import threading
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Optional, Union

from swiftodt.errors import Error
from swiftodt.gstreamer import gstreamer, is_fork, set_property, size
from swiftodt.messages import Object, Result, TrackEvent, ZoneEvent
from swiftodt.packages import package
from swiftodt.reading import from_buffer, from_message, plain

PIXELS = {"RGB": 3, "BGR": 3, "RGBA": 4, "BGRA": 4, "GRAY8": 1}
# The longest wait for a frame in nanoseconds. Python handles Ctrl-C only between two waits.
PATIENCE = 100_000_000


@dataclass(frozen=True)
class Frame:
    """One frame and the element's result for it."""

    result: Result
    # The events since the previous frame.
    events: tuple[Union[TrackEvent, ZoneEvent], ...]
    sample: Any = field(repr=False)
    format: Optional[str] = field(repr=False, default=None)

    @property
    def seconds(self) -> Optional[float]:
        """The stream time in seconds."""
        return self.result.seconds

    @property
    def objects(self) -> tuple[Object, ...]:
        return self.result.objects

    @property
    def buffer(self) -> Any:
        """The `Gst.Buffer`, with all its metadata."""
        return self.sample.get_buffer()

    @property
    def pixels(self) -> Any:
        """The frame as a numpy array of bytes (rows, columns, channels; no channels for GRAY8). The caller owns the copy."""
        if self.format is None:
            raise Error('the frames have no pixels; call track(..., pixels="RGB")')
        numpy = package("numpy", "frame.pixels")
        buffer, channels = self.buffer, PIXELS[self.format]
        width, height = size(self.sample.get_caps())
        # The stride of GStreamer's packed formats is a multiple of four bytes.
        stride = -(-width * channels // 4) * 4
        array = numpy.frombuffer(buffer.extract_dup(0, stride * height), dtype=numpy.uint8).reshape(height, stride)
        array = array[:, : width * channels]
        return array.copy() if channels == 1 else array.reshape(height, width, channels).copy()


def track(
    video: Union[str, os.PathLike[str], None] = None, /, *, pipeline: Optional[str] = None, pixels: Optional[str] = None, **properties: Any
) -> Tracking:
    """Plays a video and returns an iterator over (frame, objects).

    video: a file, a URI (rtsp://...) or a camera (/dev/video0).
    pipeline: in place of `video`, a source in the syntax of gst-launch-1.0: "videotestsrc num-buffers=90 pattern=ball". Other swiftodt
        elements in it attach no custom metadata, unless detector="upstream".
    pixels: RGB, BGR, RGBA, BGRA or GRAY8, for `frame.pixels`. Without it frames are not converted.
    properties: the element's, with underscores: zoom="auto". Defaults here: multiple_objects=True, max_objects=100, draw=False.

    Errors of the pipeline raise `Error`, and its warnings become RuntimeWarning. Leaving the loop stops the pipeline.
    """
    return Tracking(video, pipeline, pixels, properties)


class Tracking(Iterator["tuple[Frame, tuple[Object, ...]]"]):
    """An iterator over the frames of a playing video, and a context manager that stops it. Made by `track`."""

    def __init__(
        self, video: Union[str, os.PathLike[str], None], pipeline: Optional[str], pixels: Optional[str], properties: dict[str, Any]
    ) -> None:
        self._pipeline: Any = None
        self._reading, self._closing = threading.Lock(), threading.Lock()
        # The events that came without a frame; after the last frame, the end events of the remaining tracks.
        self.events: list[Union[TrackEvent, ZoneEvent]] = []
        if (video is None) == (pipeline is None):
            raise TypeError("track() takes either a video or a pipeline")
        if pixels is not None and pixels not in PIXELS:
            raise ValueError(f"pixels can be {', '.join(PIXELS)}, not {pixels!r}")
        self._format = pixels
        self._stats: dict[str, Any] = {}
        self._build(video, pipeline, properties)

    def _build(self, video: Union[str, os.PathLike[str], None], description: Optional[str], properties: dict[str, Any]) -> None:
        Gst = gstreamer()
        name = None if video is None else os.fsdecode(video)
        self._missing: list[str] = []
        # Addresses and pipelines can contain passwords.
        self._has_video = name is not None
        self._source = "the pipeline" if name is None else "the address" if is_address(name) else name
        source = description if name is None else f"{beginning(name)} ! videoconvert"
        convert = f"! videoconvert ! video/x-raw,format={self._format}" if self._format else ""
        try:
            whole = Gst.parse_launch(
                f"{source} ! swiftodt name=swiftodt-element {convert} ! appsink name=swiftodt-frames sync=false max-buffers=2")
        except Exception as error:  # GLib.Error, which has no type of its own here
            raise Error(f"{self._source} cannot be parsed as a pipeline: {getattr(error, 'message', error)}") from None
        element = whole.get_by_name("swiftodt-element")
        for keyword, value in ({"draw": False, "multiple_objects": True, "max_objects": 100} | properties).items():
            set_property(element, keyword, value)
        # Results are read from the buffers' metadata, so that each is paired with its frame.
        if "custom" not in element.get_property("attach-meta").value_nicks:
            Gst.util_set_object_arg(element, "attach-meta", "+".join([*element.get_property("attach-meta").value_nicks, "custom"]))
        # Only the first results of a buffer can be read. With detector=upstream, the element itself removes those of earlier elements.
        if element.get_property("detector").value_nick != "upstream":
            for other in whole.iterate_all_by_element_factory_name("swiftodt"):
                if other != element:
                    kinds = [kind for kind in other.get_property("attach-meta").value_nicks if kind != "custom"]
                    Gst.util_set_object_arg(other, "attach-meta", "+".join(kinds) or "0")
        if name is not None:
            name_source(whole, name)
        self._pipeline, self._element, self._sink, self._bus = whole, element, whole.get_by_name("swiftodt-frames"), whole.get_bus()
        if whole.set_state(Gst.State.PLAYING) == Gst.StateChangeReturn.FAILURE:
            try:
                self._read_bus(stacklevel=5)
                raise Error("the pipeline does not start")
            finally:
                self.close()

    def __iter__(self) -> Tracking:
        return self

    def __next__(self) -> tuple[Frame, tuple[Object, ...]]:
        gstreamer()
        # Several threads may share the iterator. close() does not take this lock, because it ends the thread that holds it.
        with self._reading:
            return self._next()

    def _next(self) -> tuple[Frame, tuple[Object, ...]]:
        while self._pipeline is not None:
            sample = self._sink.emit("try-pull-sample", PATIENCE)
            # Read before the bus, so that all messages from before the end of stream are already on the bus.
            is_over = sample is None and self._sink.get_property("eos")
            try:
                self._read_bus(stacklevel=4)
            except BaseException:
                self.close()
                raise
            if sample is not None:
                result = from_buffer(sample.get_buffer())
                if result is None:
                    # The element attached no result, for example because it could not map the frame.
                    continue
                frame = Frame(result, self._events_until(result), sample, self._format)
                return frame, result.objects
            if is_over:
                self.close()
        raise StopIteration

    def _read_bus(self, stacklevel: int) -> None:
        """Handles the messages on the bus: raises errors, issues warnings for the caller's line and keeps events."""
        Gst = gstreamer()
        while (message := self._bus.pop()) is not None:
            if message.type == Gst.MessageType.ERROR:
                error, details = message.parse_error()
                # The first line of the details can be a place in GStreamer's source code.
                lines = (details or "").splitlines()
                raise Error("\n".join([f"{self._source}: {error.message}", *lines[1 if lines and "): " in lines[0] else 0:]]))
            if message.type == Gst.MessageType.WARNING:
                error, _ = message.parse_warning()
                # The decoder has no stream for the video converter. The demuxer may reach the end without an error.
                if self._has_video and error.matches(Gst.ParseError.quark(), Gst.ParseError.DELAYED_LINK):
                    remedy = f" that can be decoded; GStreamer has no {', no '.join(self._missing)}" if self._missing else ""
                    raise Error(f"{self._source} contains no video{remedy}")
                warnings.warn(f"{self._source}: {error.message}", RuntimeWarning, stacklevel=stacklevel)
            elif message.type == Gst.MessageType.ELEMENT and message.get_structure().get_name() == "missing-plugin":
                self._missing.append(message.get_structure().get_string("name"))
            elif message.type == Gst.MessageType.ELEMENT:
                event = from_message(message)
                if isinstance(event, (TrackEvent, ZoneEvent)):
                    self.events.append(event)

    def _events_until(self, result: Result) -> tuple[Union[TrackEvent, ZoneEvent], ...]:
        """Removes and returns the events up to a result. The element may be ahead of the reader.

        End events with the reason `eos` belong to no frame and stay in `events`.
        """
        now = result.running_time
        due = [
            event for event in self.events
            if not (isinstance(event, TrackEvent) and event.reason == "eos")
            and (now is None or event.running_time is None or event.running_time <= now)
        ]
        self.events = [event for event in self.events if event not in due]
        return tuple(due)

    @property
    def stats(self) -> dict[str, Any]:
        """The element's statistics by name. They remain available after the end."""
        stats: dict[str, Any] = self._stats if self._pipeline is None else plain(self._element.get_property("stats"))
        # The last statistics are those that close() stores. Another thread may have called it.
        return self._stats if self._pipeline is None else stats

    def close(self) -> None:
        """Stops the pipeline. May be called at any time, in any thread and more than once."""
        if self._pipeline is None:
            return
        gstreamer()
        stats = self._stats
        try:
            stats = plain(self._element.get_property("stats"))
        finally:
            with self._closing:
                # Stored first, so that other threads find the statistics when they find no pipeline.
                if self._pipeline is not None:
                    self._stats = stats
                whole, self._pipeline = self._pipeline, None
            if whole is not None:
                self._stop(whole)

    def _stop(self, whole: Any) -> None:
        Gst = gstreamer()
        if sys.is_finalizing():
            # No other thread runs any more while the interpreter ends.
            whole.set_state(Gst.State.NULL)
            return
        # Setting the pipeline to NULL releases a frame that waits in the appsink. A hanging element blocks only this thread.
        stopping = threading.Thread(target=whole.set_state, args=[Gst.State.NULL], daemon=True)
        stopping.start()
        stopping.join(10)

    def __enter__(self) -> Tracking:
        return self

    def __exit__(self, kind: Optional[type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]) -> None:
        if not is_fork():
            self.close()

    def __del__(self) -> None:
        if self.__dict__.get("_pipeline") is not None and not is_fork():
            self.close()


def is_address(name: str) -> bool:
    return re.match(r"[A-Za-z][A-Za-z0-9+.-]*://", name) is not None and not os.path.lexists(name)


def is_camera(name: str) -> bool:
    return not is_address(name) and pathlib.Path(name).is_char_device()


def beginning(name: str) -> str:
    """Returns the elements that read and decode a source. Its name is set as a property, because pipeline syntax cannot express every name."""
    if is_address(name):
        return "uridecodebin name=source"
    if not name:
        raise Error("the name of the video is empty")
    if not os.path.exists(name):
        raise Error(f"there is no {name}")
    if os.path.isfile(name):
        try:
            with open(name, "rb") as file:
                start = file.read(4)
        except OSError as error:
            raise Error(f"{name} cannot be read: {error.strerror}") from None
        if not start:
            raise Error(f"{name} is empty")
        if start == b"GIF8":
            raise Error(f"GStreamer cannot find the end of GIF files; convert {name} to a video, for example to MP4")
    return ("v4l2src" if is_camera(name) else "filesrc") + " name=source ! decodebin"


def name_source(pipeline: Any, name: str) -> None:
    source = pipeline.get_by_name("source")
    if is_address(name):
        source.set_property("uri", name)
    elif is_camera(name):
        source.set_property("device", name)
    else:
        source.set_uri(pathlib.Path(os.path.abspath(name)).as_uri())
