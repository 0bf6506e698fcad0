#!/usr/bin/env python3
"""Measures how long the streaming thread blocks while all properties change at random frames.

Usage: standstill.py [FRAMES [SEED]]. Pushes 640x360 frames at 30 frames per second through swiftodt detector=neural; about every fourth frame
changes a property. Prints the longest time that pushing a frame took and the property that changed before it. For comparison it prints the
longest stage of detection, and the longest push of frames through an identity at the same times, which shows the machine's own delays.
XDG_CACHE_HOME=$(mktemp -d) forces networks to be compiled. Requires Pipelines/setup; run it with Pipelines/with-plugin.
"""
import random
import sys
import threading
import time

import gi

gi.require_version("Gst", "1.0")
from gi.repository import GObject, Gst  # noqa: E402

CAPS = "video/x-raw,format=I420,width=640,height=360,framerate=30/1"
SIZE = 640 * 360 * 3 // 2


def value(spec, choose):
    """Returns a valid value of a property."""
    kind = spec.value_type
    if kind.is_a(GObject.TYPE_ENUM):
        return choose.randrange(3 if spec.name == "strategy" else 2)
    if kind == GObject.TYPE_BOOLEAN:
        return choose.random() < 0.5
    if kind == GObject.TYPE_STRING:
        return choose.choice([None, "person", "{label} {id}"])
    if kind.is_a(GObject.TYPE_FLAGS):
        return choose.randrange(4)
    return choose.choice([spec.minimum, spec.default_value, min(spec.maximum, 4)])


class Feed:
    """A pipeline with a source pad that pushes frames and measures the time of each push."""

    def __init__(self, middle):
        self.pipeline = Gst.parse_launch(f"{middle} ! fakesink sync=false async=false")
        self.element = self.pipeline.get_by_name("middle")
        self.source = Gst.Pad.new("source", Gst.PadDirection.SRC)
        self.source.link(self.element.get_static_pad("sink"))
        self.source.set_active(True)
        self.pipeline.set_state(Gst.State.PLAYING)
        segment = Gst.Segment()
        segment.init(Gst.Format.TIME)
        self.source.push_event(Gst.Event.new_stream_start("standstill"))
        self.source.push_event(Gst.Event.new_caps(Gst.Caps.from_string(CAPS)))
        self.source.push_event(Gst.Event.new_segment(segment))
        self.held = []

    def push(self, number, content):
        """Pushes a frame and waits for the time of the next one."""
        buffer = Gst.Buffer.new_wrapped(content)
        buffer.pts, buffer.duration = number * Gst.SECOND // 30, Gst.SECOND // 30
        begin = time.monotonic()
        flow = self.source.push(buffer)
        taken = time.monotonic() - begin
        self.held.append(taken)
        time.sleep(max(0, 1 / 30 - taken))
        return flow


def main():
    if sys.argv[1:2] in (["-h"], ["--help"]):
        sys.exit(__doc__)
    frames = int(sys.argv[1]) if len(sys.argv) > 1 else 600
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else random.randrange(2**32)
    choose = random.Random(seed)
    Gst.init(None)
    feed, control, ended = Feed("swiftodt name=middle detector=neural"), Feed("identity name=middle"), threading.Event()

    def push_beside():
        number = 0
        while not ended.is_set():
            control.push(number, bytes(SIZE))
            number += 1

    beside = threading.Thread(target=push_beside)
    specs = [spec for spec in feed.element.list_properties()
             if int(spec.flags) & Gst.PARAM_MUTABLE_PLAYING and int(spec.flags) & int(GObject.ParamFlags.WRITABLE)]
    changed, before = "", []
    for number in range(frames):
        if number and choose.random() < 0.25:
            spec = choose.choice(specs)
            new = value(spec, choose)
            feed.element.set_property(spec.name, new)
            changed = f"{spec.name}={new} at frame {number}"
        before.append(changed)
        flow = feed.push(number, choose.randbytes(SIZE) if number % 50 == 0 else bytes(SIZE))
        if flow != Gst.FlowReturn.OK:
            ended.set()
            sys.exit(f"seed {seed}: frame {number}: {flow.value_nick}")
        if number == 0:
            beside.start()
    ended.set()
    beside.join()
    stats = feed.element.props.stats
    for one in (feed, control):
        one.pipeline.set_state(Gst.State.NULL)
    # The first frame is excluded, because it waits for the detector to load.
    number = max(range(1, frames), key=lambda one: feed.held[one])
    own = max(stats["times"][stage]["max"] for stage in ("start", "wait", "classify")) / 1e6
    print(f"seed {seed}: {frames} frames; longest standstill {feed.held[number] * 1e3:.0f} ms at frame {number} (last changed:"
          f" {before[number]}); longest stage of detection {own:.0f} ms; longest in an identity beside it"
          f" {max(control.held, default=0) * 1e3:.0f} ms")


if __name__ == "__main__":
    main()
