#!/usr/bin/python3
"""Plays a pipeline, prints the messages of swiftodt as Pipelines/bus-to-json does, and measures the element's CPU time without decoding.

Usage: metered.py FIRST FRAMES PIPELINE. The pipeline needs an unlimited `queue name=decoded` before the element. It holds FRAMES
frames from FIRST on until all of them are decoded, and messages are written at the end, so that the process's CPU time is almost only the
element's. The statistics in the last line have `cpu-ms`, the CPU time per frame, and `fps`, both from the second frame on; the first one
includes loading the network. Requires Debian's python3-gi, so not the Python of a virtual environment, and memory for all frames.
"""
import pathlib
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parents[2] / "Pipelines"), str(HERE.parent)]
from meter import cpu  # noqa: E402
from running.player import Gst, Player, line, parse, start_gstreamer  # noqa: E402
from running.program import program  # noqa: E402


def hold(queue, frames):
    """Lets only these frames into a queue, and releases them when the last one has entered."""
    source, sink, count = queue.get_static_pad("src"), queue.get_static_pad("sink"), 0
    held = source.add_probe(Gst.PadProbeType.BLOCK | Gst.PadProbeType.BUFFER, lambda pad, info: Gst.PadProbeReturn.OK)

    def choose(pad, info):
        nonlocal count
        count += 1
        return Gst.PadProbeReturn.OK if count - 1 in frames else Gst.PadProbeReturn.DROP

    def release(pad, info):
        if info.get_event().type == Gst.EventType.EOS:
            source.remove_probe(held)
        return Gst.PadProbeReturn.OK

    sink.add_probe(Gst.PadProbeType.BUFFER, choose)
    sink.add_probe(Gst.PadProbeType.EVENT_DOWNSTREAM, release)


class Clock:
    """Measures the CPU seconds and the seconds from the first frame that leaves an element to the end of the stream."""

    def __init__(self, element):
        self.begun = self.ended = (0, 0)
        pad = element.get_static_pad("src")
        pad.add_probe(Gst.PadProbeType.BUFFER, self.begin)
        pad.add_probe(Gst.PadProbeType.EVENT_DOWNSTREAM, self.end)

    def begin(self, pad, info):
        self.begun = cpu(), time.monotonic()
        return Gst.PadProbeReturn.REMOVE

    def end(self, pad, info):
        if info.get_event().type == Gst.EventType.EOS:
            self.ended = cpu(), time.monotonic()
        return Gst.PadProbeReturn.OK


def main(arguments):
    if len(arguments) < 3:
        sys.exit(__doc__)
    start_gstreamer()
    pipeline = parse(arguments[2:])
    element = next(iter(pipeline.iterate_all_by_element_factory_name("swiftodt")))
    hold(pipeline.get_by_name("decoded"), range(int(arguments[0]), int(arguments[0]) + int(arguments[1])))
    clock, player = Clock(element), Player(pipeline)
    # Messages are read during playback, because a full bus drops some, and printed afterwards.
    results = [structure.copy() for structure in player.messages()]
    sys.stdout.writelines(map(line, results))
    frames = sum(one.get_name() == "swiftodt" for one in results)
    counters = element.props.stats.copy()
    used, passed = (ended - begun for begun, ended in zip(clock.begun, clock.ended))
    counters.set_value("cpu-ms", 1000 * used / max(1, frames - 1))
    counters.set_value("fps", (frames - 1) / max(passed, 1e-9))
    sys.stdout.write(line(counters, "stats"))
    player.stop()
    return player.code()


if __name__ == "__main__":
    program(main)
