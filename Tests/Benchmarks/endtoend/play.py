"""Plays one pipeline as fast as it goes and prints its steady rate: frames a second and CPU milliseconds a frame.

Usage: play.py STREAMS PIPELINE. The pipeline's {source} decodes the video again and again; every stream ends in a fakesink.
Start-up is not counted: the clock runs from the warm-up's last frame on.
"""
import resource
import sys
import time

import gi

gi.require_version("Gst", "1.0")
from gi.repository import Gst  # noqa: E402

WARM_UP = 60
FRAMES = int(sys.argv[3]) if len(sys.argv) > 3 else 600


def cpu():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


class Meter:
    """Counts the frames of all streams together."""

    def __init__(self):
        self.count = 0
        self.begun = None

    def hear(self, pad, info):
        self.count += 1
        if self.count == WARM_UP:
            self.begun = (time.monotonic(), cpu())
        elif self.count == WARM_UP + FRAMES:
            seconds, used = time.monotonic() - self.begun[0], cpu() - self.begun[1]
            print(f"fps {FRAMES / seconds:.1f} cpu-ms {used / FRAMES * 1000:.2f}", flush=True)
            loop.post(Gst.Message.new_application(pipeline, Gst.Structure.new_empty("enough")))
        return Gst.PadProbeReturn.OK


Gst.init(None)
pipeline = Gst.parse_launch(" ".join([sys.argv[2] + " ! fakesink sync=false"] * int(sys.argv[1])))
loop = pipeline.get_bus()
meter = Meter()
iterator = pipeline.iterate_sinks()
while (found := iterator.next())[0] == Gst.IteratorResult.OK:
    found[1].get_static_pad("sink").add_probe(Gst.PadProbeType.BUFFER, meter.hear)
pipeline.set_state(Gst.State.PLAYING)
end = loop.timed_pop_filtered(
    600 * Gst.SECOND, Gst.MessageType.EOS | Gst.MessageType.ERROR | Gst.MessageType.APPLICATION)
if end is None or end.type == Gst.MessageType.ERROR:
    sys.exit(f"play.py: {end.parse_error() if end else 'nothing for ten minutes'}")
element = pipeline.get_by_name("odt")
if element and "-v" in sys.argv:
    print(element.props.stats.to_string())
pipeline.set_state(Gst.State.NULL)
