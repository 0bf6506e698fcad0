"""Plays one pipeline as fast as possible and prints the measurements of meter.py.

Usage: play.py STREAMS PIPELINE [FRAMES [WARM-UP]] [-v] [-i] [-m FRAMES,FRAMES,...]. PIPELINE must run for that number of frames; every stream ends in
a fakesink. Start-up is not measured. -v also prints the statistics of an element named odt, -i `inside-ms`, the streaming thread's CPU time per
frame between the element's pads, and -m the resident memory after these numbers of frames.
"""
import pathlib
import sys
import time

import gi

gi.require_version("Gst", "1.0")
from gi.repository import Gst  # noqa: E402

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from meter import Meter, resident  # noqa: E402


class Inside:
    """Measures one thread's CPU time from an element's sink pad to its source pad. Valid if no frame waits for later ones."""

    def __init__(self, element):
        self.spent, self.begun = [], None
        for name, hear in (("sink", self.begin), ("src", self.end)):
            element.get_static_pad(name).add_probe(Gst.PadProbeType.BUFFER, hear)

    def begin(self, pad, info):
        self.begun = time.thread_time()
        return Gst.PadProbeReturn.OK

    def end(self, pad, info):
        self.spent.append(time.thread_time() - self.begun)
        return Gst.PadProbeReturn.OK

    def tell(self, meter):
        counted = self.spent[meter.warm_up:meter.warm_up + meter.frames]
        print(f"inside-ms {sum(counted) / len(counted) * 1000:.3f}")


def main():
    numbers = [int(word) for word in sys.argv[3:] if word.isdigit()]
    meter = Meter(*(numbers or [600]))
    told = {int(count) for count in sys.argv[sys.argv.index("-m") + 1].split(",")} if "-m" in sys.argv else ()
    Gst.init(None)
    pipeline = Gst.parse_launch(" ".join([sys.argv[2] + " ! fakesink sync=false"] * int(sys.argv[1])))
    bus = pipeline.get_bus()

    def hear(pad, info):
        if meter.count < meter.frames + meter.warm_up and meter.frame():
            bus.post(Gst.Message.new_application(pipeline, Gst.Structure.new_empty("enough")))
        if meter.count in told:
            print(f"resident-mb {resident():.1f} after {meter.count}", flush=True)
        return Gst.PadProbeReturn.OK

    iterator = pipeline.iterate_sinks()
    while (found := iterator.next())[0] == Gst.IteratorResult.OK:
        found[1].get_static_pad("sink").add_probe(Gst.PadProbeType.BUFFER, hear)
    element = pipeline.get_by_name("odt")
    inside = Inside(element) if element and "-i" in sys.argv else None
    pipeline.set_state(Gst.State.PLAYING)
    end, seen = None, -1
    while end is None and meter.count > seen:
        seen = meter.count
        end = bus.timed_pop_filtered(
            600 * Gst.SECOND, Gst.MessageType.EOS | Gst.MessageType.ERROR | Gst.MessageType.APPLICATION)
    if end is None or end.type != Gst.MessageType.APPLICATION:
        sys.exit("play.py: " + (
            "nothing for ten minutes" if end is None else f"only {meter.count} frames" if end.type == Gst.MessageType.EOS
            else str(end.parse_error())))
    if element and "-v" in sys.argv:
        stats = element.props.stats
        times = stats["times"]
        print(*(f"{times.nth_field_name(place)}: {times.get_value(times.nth_field_name(place)).to_string()}" for place in range(times.n_fields())),
              sep="\n")
    if inside:
        inside.tell(meter)
    pipeline.set_state(Gst.State.NULL)


main()
