"""How long the streaming thread stands still while all properties that may change do so at random frames.

Usage: standstill.py [FRAMES [SEED]]. Pushes 640x360 frames, thirty a second, through swiftodt detector=neural; at every fourth frame or so a
property gets another value. Prints the longest time that a frame held the thread, with what had changed before it, and beside it
the longest that the detector took by itself. Needs what Pipelines/setup builds; run it by Pipelines/with-plugin.
"""
import random
import sys
import time

import gi

gi.require_version("Gst", "1.0")
from gi.repository import GObject, Gst  # noqa: E402

CAPS = "video/x-raw,format=I420,width=640,height=360,framerate=30/1"
SIZE = 640 * 360 * 3 // 2


def value(spec, choose):
    """Something that a property may be."""
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


def main():
    if sys.argv[1:2] in (["-h"], ["--help"]):
        sys.exit(__doc__)
    frames = int(sys.argv[1]) if len(sys.argv) > 1 else 600
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else random.randrange(2**32)
    choose = random.Random(seed)
    Gst.init(None)
    pipeline = Gst.parse_launch("swiftodt name=odt detector=neural ! fakesink sync=false async=false")
    element = pipeline.get_by_name("odt")
    specs = [spec for spec in element.list_properties()
             if int(spec.flags) & Gst.PARAM_MUTABLE_PLAYING and int(spec.flags) & int(GObject.ParamFlags.WRITABLE)]
    source = Gst.Pad.new("source", Gst.PadDirection.SRC)
    source.link(element.get_static_pad("sink"))
    source.set_active(True)
    pipeline.set_state(Gst.State.PLAYING)
    segment = Gst.Segment()
    segment.init(Gst.Format.TIME)
    source.push_event(Gst.Event.new_stream_start("standstill"))
    source.push_event(Gst.Event.new_caps(Gst.Caps.from_string(CAPS)))
    source.push_event(Gst.Event.new_segment(segment))
    held, changed = [], ""
    for number in range(frames):
        if number and choose.random() < 0.25:
            spec = choose.choice(specs)
            new = value(spec, choose)
            element.set_property(spec.name, new)
            changed = f"{spec.name}={new} at frame {number}"
        buffer = Gst.Buffer.new_wrapped(choose.randbytes(SIZE) if number % 50 == 0 else bytes(SIZE))
        buffer.pts, buffer.duration = number * Gst.SECOND // 30, Gst.SECOND // 30
        begin = time.monotonic()
        flow = source.push(buffer)
        # The first frame is not like the others: it waits for the first detector.
        if number:
            held.append((time.monotonic() - begin, number, changed))
        if flow != Gst.FlowReturn.OK:
            sys.exit(f"seed {seed}: frame {number}: {flow.value_nick}")
        time.sleep(max(0, 1 / 30 - (time.monotonic() - begin)))
    stats = element.props.stats
    pipeline.set_state(Gst.State.NULL)
    longest, number, last = max(held)
    own = max(stats.get_value(f"{stage}-max") for stage in ("start", "wait", "classify")) / 1e6
    print(f"seed {seed}: {frames} frames; longest standstill {longest * 1e3:.0f} ms at frame {number} (last changed: {last});"
          f" longest stage of detection {own:.0f} ms")


if __name__ == "__main__":
    main()
