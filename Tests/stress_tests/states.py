"""Flushes, seeks and state changes at any moment."""
import os
import threading
import time

from buffer_feeder import BufferFeeder, picture
from stress_test import BIKES, need, need_network, require, stress_test
from validation import PATIENCE, Gst, MonitoredPipeline


def flushes(trial, properties, count, pause):
    """Pushes frames while another thread flushes."""
    choose = trial.random
    with BufferFeeder(properties) as buffer_feeder:
        info = buffer_feeder.caps("video/x-raw,format=NV12,width=160,height=120,framerate=30/1")
        buffer_feeder.segment()
        over, first = threading.Event(), time.monotonic() + PATIENCE
        slowest = 0.0

        def flush():
            nonlocal slowest
            # A flush before the first frame would test nothing.
            while not buffer_feeder.frames.left and time.monotonic() < first:
                time.sleep(0.01)
            for turn in range(count):
                time.sleep(choose.random() * pause)
                began = time.monotonic()
                buffer_feeder.pad.push_event(Gst.Event.new_flush_start())
                buffer_feeder.pad.push_event(Gst.Event.new_flush_stop(True))
                slowest = max(slowest, time.monotonic() - began)
            over.set()

        flusher = threading.Thread(target=flush)
        flusher.start()
        step = 0
        while not over.is_set():
            # A flush clears the segment, so a new one must follow, as after a seek.
            buffer_feeder.segment()
            flow = buffer_feeder.push(picture(info, step), pts=step * Gst.SECOND // 30, duration=Gst.SECOND // 30)
            require(flow in (Gst.FlowReturn.OK, Gst.FlowReturn.FLUSHING, Gst.FlowReturn.ERROR), flow.value_nick)
            require(not buffer_feeder.validator.errors, buffer_feeder.validator.errors)
            step += 1
        flusher.join()
        buffer_feeder.segment()
        flow = buffer_feeder.push(picture(info, step), pts=step * Gst.SECOND // 30, duration=Gst.SECOND // 30)
        require(flow == Gst.FlowReturn.OK, f"{flow.value_nick} after the last flush")
        buffer_feeder.end()
        require(buffer_feeder.element.props.stats.get_value("epoch") > 0, "no epoch for all the flushes")
        print(f"{count} flushes, {step} frames, the slowest flush {slowest * 1000:.0f} ms")


@stress_test(seconds=90, weight=6)
def flushing(trial):
    """1,000 flushes while frames are pushed."""
    flushes(trial, "detector=motion updates=every-frame", 1000, 0.004)


@stress_test(seconds=120, weight=8)
def flushing_neural(trial):
    """Flushes during inference, with and without look-ahead."""
    need_network()
    flushes(trial, "detector=neural", 120, 0.03)
    flushes(trial, "detector=neural look-ahead=1 classify=true", 40, 0.06)


@stress_test(seconds=120, weight=8)
def seeking(trial):
    """Seeks of all kinds while a file plays."""
    need(BIKES)
    choose = trial.random
    with MonitoredPipeline(f"filesrc location={BIKES} ! decodebin ! swiftodt name=odt detector=motion ! fakesink sync=false") as watched:
        watched.set(Gst.State.PLAYING)
        for _ in range(120):
            flags = Gst.SeekFlags.FLUSH
            for flag in (Gst.SeekFlags.KEY_UNIT, Gst.SeekFlags.ACCURATE, Gst.SeekFlags.SNAP_NEAREST, Gst.SeekFlags.TRICKMODE):
                if choose.random() < 0.3:
                    flags |= flag
            rate = choose.choice([1.0, 1.0, 1.0, 0.25, 4.0, 30.0, -1.0, -4.0])
            start = choose.randrange(11 * Gst.SECOND)
            # -1 resets the stop, because the old one may lie before the new start.
            stop = choose.choice([-1, start + choose.randrange(1, 3 * Gst.SECOND)])
            if rate < 0:
                watched.pipeline.seek(rate, Gst.Format.TIME, flags, Gst.SeekType.SET, 0, Gst.SeekType.SET, start + 1)
            else:
                watched.pipeline.seek(rate, Gst.Format.TIME, flags, Gst.SeekType.SET, start, Gst.SeekType.SET, stop)
            watched.over = False
            watched.hear(choose.random() * 0.05)
            require(not watched.validator.errors, watched.validator.errors)
        watched.over = False
        watched.pipeline.seek_simple(Gst.Format.TIME, Gst.SeekFlags.FLUSH, 0)
        watched.play()


def stops(trial, properties, count, longest):
    """Starts and stops at any moment. No message may follow after NULL."""
    choose = trial.random
    buffer_feeder = BufferFeeder(properties)
    for _ in range(count):
        buffer_feeder.start()
        info = buffer_feeder.caps("video/x-raw,format=I420,width=160,height=120,framerate=30/1")
        buffer_feeder.segment()
        over = threading.Event()

        def pour(info=info, over=over):
            for step in range(1000):
                flow = buffer_feeder.push(picture(info, step), pts=step * Gst.SECOND // 30, duration=Gst.SECOND // 30)
                if flow != Gst.FlowReturn.OK:
                    break
                if over.is_set():
                    break

        pourer = threading.Thread(target=pour)
        pourer.start()
        time.sleep(choose.random() * longest)
        began = time.monotonic()
        buffer_feeder.bin.set_state(choose.choice([Gst.State.READY, Gst.State.NULL]))
        buffer_feeder.bin.set_state(Gst.State.NULL)
        took = time.monotonic() - began
        over.set()
        pourer.join(PATIENCE)
        require(not pourer.is_alive(), "the streaming thread does not come back")
        require(took < PATIENCE, f"{took:.1f} s to NULL")
        while buffer_feeder.bus.pop() is not None:
            pass
        time.sleep(0.01)
        late = buffer_feeder.bus.pop()
        require(late is None, f"a message after NULL: {late and late.get_structure() and late.get_structure().to_string()}")
        buffer_feeder.stop()
    buffer_feeder.judge()


@stress_test(seconds=90, weight=6)
def stopping(trial):
    """Stops at any moment, 200 times."""
    stops(trial, "detector=motion updates=every-frame message-interval=100000000", 200, 0.02)


@stress_test(seconds=120, weight=10)
def stopping_neural(trial):
    """Stops while a network is loaded, compiled or run."""
    need_network()
    os.environ["XDG_CACHE_HOME"] = trial.path("cache")
    stops(trial, "detector=neural classify=true multiple-objects=true", 1, 1.5)
    stops(trial, "detector=neural strategy=keep-only-latest", 3, 0.5)
    stops(trial, "detector=neural look-ahead=1", 3, 0.5)


@stress_test(seconds=60, weight=4)
def storming(trial):
    """Changes between any two states, in a live and in a non-live stream."""
    choose = trial.random
    for live in ("true", "false"):
        with MonitoredPipeline(f"videotestsrc is-live={live} pattern=ball ! video/x-raw,width=160,height=120"
                     " ! swiftodt name=odt detector=motion ! fakesink") as watched:
            for _ in range(150):
                state = choose.choice([Gst.State.NULL, Gst.State.READY, Gst.State.PAUSED, Gst.State.PLAYING])
                watched.pipeline.set_state(state)
                if state <= Gst.State.READY:
                    watched.restart()
                if choose.random() < 0.3:
                    time.sleep(choose.random() * 0.02)
            watched.set(Gst.State.NULL)
            watched.restart()
            watched.set(Gst.State.PLAYING)
            watched.hear(0.3)
            require(watched.validator.results or watched.frames.left, "nothing flows after the storm")
