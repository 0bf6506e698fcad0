#!/usr/bin/python3
"""Plays a pipeline and prints what swiftodt says, as Pipelines/bus-to-json does, and what that costs, decoding left out.

Usage: metered.py FIRST FRAMES PIPELINE. In the pipeline is a `queue name=decoded` without limits before the element: the frames from FIRST on, at most
so many, are held there until all of them are decoded, and what swiftodt says is read when it is done. So the process does nothing else meanwhile,
and its CPU time is the element's. The counters, in the last line, gain `cpu-ms`, that time a frame from the second frame on: the first one waits for
the network to be loaded. Needs Debian's python3-gi, so no environment's Python, and memory for all frames.
"""
import pathlib
import sys
import threading

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parents[2] / "Pipelines"), str(HERE.parent)]
from meter import cpu  # noqa: E402
from running.player import Gst, line, parse, start_gstreamer  # noqa: E402
from running.program import Failure, program  # noqa: E402


def hold(queue, frames):
    """Lets these frames alone into a queue, and none of them out until the last one is in."""
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
    """CPU seconds from the first frame that leaves an element to the end of the stream."""

    def __init__(self, element):
        self.begun = self.ended = 0
        self.is_over = threading.Event()
        pad = element.get_static_pad("src")
        pad.add_probe(Gst.PadProbeType.BUFFER, self.begin)
        pad.add_probe(Gst.PadProbeType.EVENT_DOWNSTREAM, self.end)

    def begin(self, pad, info):
        self.begun = cpu()
        return Gst.PadProbeReturn.REMOVE

    def end(self, pad, info):
        if info.get_event().type == Gst.EventType.EOS:
            self.ended = cpu()
            self.is_over.set()
        return Gst.PadProbeReturn.OK


def main(arguments):
    if len(arguments) < 3:
        sys.exit(__doc__)
    start_gstreamer()
    pipeline = parse(arguments[2:])
    element = next(iter(pipeline.iterate_all_by_element_factory_name("swiftodt")))
    hold(pipeline.get_by_name("decoded"), range(int(arguments[0]), int(arguments[0]) + int(arguments[1])))
    clock, said, problems = Clock(element), [], []

    def hear(bus, message):
        # A bus that nobody reads would make the element say less.
        if message.type == Gst.MessageType.ELEMENT:
            said.append(message)
        if message.type == Gst.MessageType.ERROR:
            problems.append(message.parse_error()[0].message)
            clock.is_over.set()
        return Gst.BusSyncReply.DROP

    pipeline.get_bus().set_sync_handler(hear)
    pipeline.set_state(Gst.State.PLAYING)
    clock.is_over.wait()
    if problems:
        raise Failure(problems[0])
    results = [one.get_structure() for one in said if one.get_structure().get_name().startswith("swiftodt")]
    sys.stdout.writelines(map(line, results))
    frames = sum(one.get_name() == "swiftodt" for one in results)
    counters = element.props.stats.copy()
    counters.set_value("cpu-ms", 1000 * (clock.ended - clock.begun) / max(1, frames - 1))
    sys.stdout.write(line(counters, "stats"))
    pipeline.set_state(Gst.State.NULL)
    return 0


if __name__ == "__main__":
    program(main)
