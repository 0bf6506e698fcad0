"""Memory, threads and descriptors do not grow in long streams or with many restarts."""
import ctypes
import gc
import os
import threading
import time

import program
from stress_test import UNDER_SANITIZER, Skip, need_network, require, stress_test
from validation import Gst, MonitoredPipeline


def resident():
    """Returns the resident memory in bytes."""
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def steady_growth(sizes):
    """Returns the smallest growth between two successive sizes. A leak grows every time, an allocator only now and then."""
    return min(later - earlier for earlier, later in zip(sizes, sizes[1:]))


def one_arena():
    """Limits malloc to one arena: with several, the amount of free memory that stays in them varies."""
    only_arenas = -8  # M_ARENA_MAX of malloc.h
    ctypes.CDLL(None).mallopt(only_arenas, 1)


def descriptors():
    return len(os.listdir("/proc/self/fd"))


def threads():
    return len(os.listdir("/proc/self/task"))


@stress_test(seconds=150, weight=20)
def unread_bus(trial):
    """60,000 frames with an unread bus: memory does not grow, and no frame waits."""
    frames = 60_000
    pipeline = Gst.parse_launch(
        f"videotestsrc pattern=ball num-buffers={frames} ! video/x-raw,format=GRAY8,width=24,height=16,framerate=30/1"
        " ! swiftodt name=odt detector=motion updates=every-frame draw=false track-min-hits=1 message-format=structure+json ! fakesink name=sink sync=false")
    odt, sink = pipeline.get_by_name("odt"), pipeline.get_by_name("sink")
    ended = threading.Event()

    def see(pad, info):
        if info.get_event().type == Gst.EventType.EOS:
            ended.set()
        return Gst.PadProbeReturn.OK

    sink.get_static_pad("sink").add_probe(Gst.PadProbeType.EVENT_DOWNSTREAM, see)
    pipeline.set_state(Gst.State.PLAYING)
    sizes, done = {}, 0
    while not ended.wait(0.2):
        done = odt.props.stats.get_value("frames")
        sizes[done * 8 // frames] = resident()
    require(odt.props.stats.get_value("frames") == frames, f"{odt.props.stats.get_value('frames')} of {frames} frames")
    require(sink.props.stats.get_value("rendered") == frames, "frames lost on the way to the sink")
    sizes = [sizes[part] for part in sorted(sizes)][1:]
    print(f"resident, in kB: {[size // 1024 for size in sizes]}")
    if not UNDER_SANITIZER:
        require(len(sizes) < 4 or steady_growth(sizes) < 500_000, f"memory grows: {sizes}")
    began = time.monotonic()
    pipeline.set_state(Gst.State.NULL)
    require(time.monotonic() - began < 10, "a bus full of messages keeps it from stopping")


@stress_test(seconds=150, weight=12)
def starting_again(trial):
    """Repeated starts and stops, with and without a network: memory, threads and descriptors do not grow."""
    need_network()
    one_arena()

    def cycle(properties, count):
        for _ in range(count):
            with MonitoredPipeline(f"videotestsrc pattern=ball num-buffers=3 ! video/x-raw,width=160,height=120"
                         f" ! swiftodt name=odt {properties} ! fakesink") as watched:
                watched.play(60)
            # The pipeline and its probes form a reference cycle, which gc.collect frees.
            del watched
        gc.collect()
        ctypes.CDLL(None).malloc_trim(0)
        return resident(), threads(), descriptors()

    for properties, count in (("detector=motion draw-traces=true", 10), ("detector=neural", 2), ("detector=motion classify=true", 1)):
        cycle(properties, count)
        seen = [cycle(properties, count) for _ in range(7)]
        print(f"{properties}: resident kB, threads, descriptors: {[(size // 1024, *rest) for size, *rest in seen]}")
        if not UNDER_SANITIZER:
            require(steady_growth([one[0] for one in seen]) < count * 30_000, f"memory grows with {properties}: {seen}")
        require(steady_growth([one[1] for one in seen]) <= 0, f"threads grow with {properties}: {seen}")
        require(steady_growth([one[2] for one in seen]) <= 0, f"descriptors grow with {properties}: {seen}")


@stress_test(seconds=90, weight=4)
def leaks(trial):
    """GStreamer's leaks tracer finds no objects of the element after various streams."""
    if UNDER_SANITIZER:
        raise Skip("under a sanitizer the tracer's own list of types counts as a leak")
    choose = trial.random
    kinds = ["detector=motion draw-traces=true message-format=structure+json", "detector=motion look-ahead=8 updates=every-frame",
             "detector=upstream", "detector=motion mode=single-image", "detector=motion message-interval=300000000"]
    try:
        need_network()
        kinds += ["detector=neural classify=true multiple-objects=true"]
    except Skip:
        pass
    for kind in choose.sample(kinds, 3):
        done = program.launch(f"videotestsrc pattern=ball num-buffers={choose.randrange(5, 60)} ! video/x-raw,width=320,height=240"
                              f" ! identity drop-probability=0.05 ! queue ! swiftodt {kind} ! fakesink",
                              GST_TRACERS="leaks", GST_DEBUG="GST_TRACER:7", GST_DEBUG_NO_COLOR="1")
        require(done.returncode == 0, program.said(done))
        alive = [line for line in done.stderr.splitlines()
                 if "object-alive, " in line and "type-name=(string)%s" not in line]
        require(not alive, f"{kind}: {alive[:3]}")
