"""Validates the frames and messages of an element."""
import collections
import json
import math
import threading
import time

import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstVideo", "1.0")
from gi.repository import GObject, Gst, GstVideo  # noqa: E402, F401

from stress_test import SLOWNESS, Finding, require  # noqa: E402

Gst.init(None)

ODT = Gst.ElementFactory.find("swiftodt")
NONE = Gst.CLOCK_TIME_NONE
CATEGORIES = {"fashion good", "home good", "food", "place", "plant", "unknown"}
STATES = {"new", "tracked", "coasting", "lost"}
# Seconds, more than any state change takes, even with a sanitizer on a busy machine.
PATIENCE = 60


def formats():
    """Returns the formats in the element's pad templates."""
    caps = next(one for one in ODT.get_static_pad_templates() if one.direction == Gst.PadDirection.SINK).get_caps()
    known = []
    # Parsed as text, because the type of a caps structure in Python differs from GStreamer 1.26 on.
    for text in caps.to_string().split(";"):
        if "memory:" not in text.replace("memory:SystemMemory", "") and "format=(string){" in text:
            known += [name.strip() for name in text.split("format=(string){")[1].split("}")[0].split(",")]
    require(known, "the element names no formats")
    return known


class MessageValidator:
    """Validates each message of an element."""

    def __init__(self):
        self.findings = []
        self.results = 0
        self.objects = 0
        self.ids = set()
        self.begun = set()
        self.ended = {}
        self.sequence = None
        self.epoch = None
        self.errors = []
        self.warnings = []
        self.sizes = None

    def find(self, finding):
        if len(self.findings) < 20:
            self.findings.append(finding)

    def restart(self):
        """Resets the state of the stream after the element has stopped."""
        self.begun, self.ended, self.sequence, self.epoch = set(), {}, None, None

    def hear(self, message):
        if message.type == Gst.MessageType.ERROR:
            error, details = message.parse_error()
            self.errors.append((message.src.get_factory().get_name() if isinstance(message.src, Gst.Element) else "?",
                                error.message, details))
            if isinstance(message.src, Gst.Element) and message.src.get_factory() == ODT:
                if len(error.message.split()) < 4 or "Internal data" in error.message or "GStreamer error:" in error.message:
                    self.find(f"an error that helps nobody: {error.message!r} ({details})")
        elif message.type == Gst.MessageType.WARNING:
            self.warnings.append(message.parse_warning()[0].message)
        elif message.type == Gst.MessageType.ELEMENT:
            structure = message.get_structure()
            if structure.get_name() == "swiftodt":
                self.check_result(structure)
            elif structure.get_name() == "swiftodt-track":
                self.check_event(structure)

    def parses(self, structure):
        text = structure.to_string()
        parsed = Gst.Structure.from_string(text)
        parsed = parsed[0] if isinstance(parsed, tuple) else parsed
        if parsed is None or parsed.n_fields() != structure.n_fields():
            self.find(f"a message does not parse back: {text[:400]}")
        if structure.has_field("json"):
            try:
                json.loads(structure.get_string("json"), parse_constant=lambda word: self.find(f"{word} in JSON"))
            except ValueError as problem:
                self.find(f"no JSON ({problem}): {structure.get_string('json')[:400]}")

    def check_result(self, result):
        self.results += 1
        self.parses(result)
        sequence, epoch = result.get_value("sequence"), result.get_value("epoch")
        if self.sequence is not None and sequence <= self.sequence:
            self.find(f"sequence {sequence} after {self.sequence}")
        if self.epoch is not None and epoch < self.epoch:
            self.find(f"epoch {epoch} after {self.epoch}")
        self.sequence, self.epoch = sequence, epoch
        width, height = result.get_value("width"), result.get_value("height")
        if self.sizes is not None and (width, height) not in self.sizes:
            self.find(f"a result for {width}x{height}, which never came")
        objects = result.get_value("objects") if result.has_field("objects") else []
        if result.has_field("objects") and len(objects) != result.get_value("object-count"):
            self.find(f"object-count {result.get_value('object-count')} with {len(objects)} objects")
        seen = set()
        for thing in objects:
            self.check_object(thing, width, height, seen, sequence)

    def check_object(self, thing, width, height, seen, sequence):
        self.objects += 1
        text = thing.to_string()
        box = [thing.get_value(name) for name in ("x", "y", "width", "height")]
        if box[0] + box[2] > width or box[1] + box[3] > height:
            self.find(f"a box outside the picture of {width}x{height}: {text}")
        edges = [thing.get_value(name) for name in ("x-min", "y-min", "x-max", "y-max")]
        if not all(0 <= edge <= 1 for edge in edges) or edges[0] > edges[2] or edges[1] > edges[3]:
            self.find(f"edges that are none: {text}")
        if not 0 <= thing.get_value("score") <= 1:
            self.find(f"a score that is none: {text}")
        if thing.get_value("category") not in CATEGORIES or thing.get_value("state") not in STATES:
            self.find(f"words of no meaning: {text}")
        if thing.get_value("category") == "unknown" and thing.has_field("confidence"):
            self.find(f"a confidence of nothing: {text}")
        if thing.has_field("velocity-x") and not math.isfinite(thing.get_value("velocity-x") + thing.get_value("velocity-y")):
            self.find(f"a velocity that is none: {text}")
        if thing.has_field("tracking-id"):
            id = thing.get_value("tracking-id")
            self.ids.add(id)
            if id < 1 or id in seen:
                self.find(f"id {id} twice in one message, or none: {text}")
            if thing.get_value("state") != "lost" and self.ended.get(id, sequence) < sequence - 1:
                self.find(f"id {id} was ended and is back: {text}")
            seen.add(id)

    def check_event(self, event):
        self.parses(event)
        id, kind = event.get_value("tracking-id"), event.get_value("event")
        if kind == "begin":
            if id < 1 or id in self.begun:
                self.find(f"id {id} begins twice")
            self.begun.add(id)
        elif kind == "end":
            if id in self.ended:
                self.find(f"id {id} ends twice")
            self.ended[id] = self.sequence if self.sequence is not None else 0
        elif kind != "update":
            self.find(f"a track event of no meaning: {event.to_string()}")


class FrameTracker:
    """Compares the frames at an element's pads: none is lost or duplicated, and none gets another time."""

    def __init__(self, element, validator):
        self.validator = validator
        self.waiting = collections.deque()
        self.entered = self.left = self.flushes = 0
        self.guard = threading.Condition()
        self.last = time.monotonic()
        self.standstill = 0.0
        element.get_static_pad("sink").add_probe(Gst.PadProbeType.BUFFER, self.enter)
        element.get_static_pad("src").add_probe(Gst.PadProbeType.BUFFER, self.leave)
        element.get_static_pad("sink").add_probe(Gst.PadProbeType.EVENT_DOWNSTREAM | Gst.PadProbeType.EVENT_FLUSH, self.event)

    def enter(self, pad, info):
        buffer = info.get_buffer()
        with self.guard:
            self.entered += 1
            self.waiting.append((buffer.pts, buffer.duration))
        return Gst.PadProbeReturn.OK

    def leave(self, pad, info):
        buffer = info.get_buffer()
        with self.guard:
            self.left += 1
            now = time.monotonic()
            if self.left > 1:
                self.standstill = max(self.standstill, now - self.last)
            self.last = now
            times = (buffer.pts, buffer.duration)
            # A flush drops the frames in the element: all before the one that left.
            while self.waiting and self.waiting[0] != times and self.flushes:
                self.waiting.popleft()
            if not self.waiting:
                self.validator.find(f"a frame out that did not come in: {times}")
            elif (expected := self.waiting.popleft()) != times:
                self.validator.find(f"a frame with times {times} in place of {expected}")
            self.guard.notify_all()
        return Gst.PadProbeReturn.OK

    def event(self, pad, info):
        if info.get_event().type == Gst.EventType.FLUSH_STOP:
            with self.guard:
                self.flushes += 1
        return Gst.PadProbeReturn.OK

    def forget(self):
        """Forgets the frames in the element, because it has stopped."""
        with self.guard:
            self.waiting.clear()

    def all_arrived(self, seconds=0):
        """Whether no frame is in the element, now or within this time."""
        with self.guard:
            return self.guard.wait_for(lambda: not self.waiting or self.flushes > 0, seconds)


class MonitoredPipeline:
    """A pipeline with an element named odt, whose frames and messages are validated."""

    def __init__(self, description):
        self.pipeline = Gst.parse_launch(description)
        self.element = self.pipeline.get_by_name("odt")
        self.bus = self.pipeline.get_bus()
        self.validator = MessageValidator()
        self.frames = FrameTracker(self.element, self.validator)
        self.over = False

    def __enter__(self):
        return self

    def __exit__(self, kind, problem, trace):
        self.stop()
        if kind is None:
            self.judge()

    def set(self, state, seconds=PATIENCE):
        """Changes the state and waits for it. An error message is also accepted."""
        self.pipeline.set_state(state)
        outcome = self.pipeline.get_state(seconds * Gst.SECOND)[0]
        if outcome == Gst.StateChangeReturn.ASYNC:
            self.hear()
            require(self.validator.errors or self.over, f"state {state.value_nick} not reached in {seconds} s")
        return outcome

    def hear(self, seconds=0.0):
        """Handles messages for `seconds`, or until the stream ends. Returns whether it has ended."""
        until = time.monotonic() + seconds
        while True:
            left = max(0, until - time.monotonic())
            message = self.bus.timed_pop(int(left * Gst.SECOND))
            if message is None:
                return self.over
            self.validator.hear(message)
            if message.type in (Gst.MessageType.EOS, Gst.MessageType.ERROR):
                self.over = True
                return True

    def play(self, seconds=60, errors=False):
        """Plays to the end. With `errors`, an error may end the stream."""
        self.pipeline.set_state(Gst.State.PLAYING)
        over = self.hear(seconds * SLOWNESS)
        require(over, f"no end of stream in {seconds * SLOWNESS} s, after {self.frames.left} frames")
        if not errors:
            require(not self.validator.errors, f"an error: {self.validator.errors}")
        if not self.validator.errors:
            require(self.frames.all_arrived(),
                    f"{len(self.frames.waiting)} of {self.frames.entered} frames lost at the end")

    def stop(self):
        self.pipeline.set_state(Gst.State.NULL)
        outcome = self.pipeline.get_state(PATIENCE * Gst.SECOND)[0]
        require(outcome == Gst.StateChangeReturn.SUCCESS, f"no way to NULL: {outcome.value_nick}")
        self.over = False

    def restart(self):
        """Resets the trackers and drops the messages after a stop."""
        self.frames.forget()
        self.validator.restart()
        while self.bus.pop() is not None:
            pass

    def judge(self):
        if self.validator.findings:
            raise Finding("; ".join(self.validator.findings[:5]))
