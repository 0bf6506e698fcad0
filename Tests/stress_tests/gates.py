"""swiftodtgate with random events, and with many frames."""
import gc

from endurance import one_arena, resident, steady_growth
from stress_test import LONG, UNDER_SANITIZER, require, stress_test
from validation import Gst

PERIOD = Gst.SECOND // 25
KEY, DELTA = (b"\0\0\0\1" + bytes([header]) + bytes(120) for header in (0x65, 0x41))


class Stream:
    """Pushes access units into a gate, and checks the frames that leave it. The methods of `Trial.random` choose the events."""

    def __init__(self, properties=""):
        self.pipeline = Gst.parse_launch(f"swiftodtgate name=gate {properties} ! fakesink name=sink sync=false async=false")
        self.gate = self.pipeline.get_by_name("gate")
        self.exit = self.pipeline.get_by_name("sink").get_static_pad("sink")
        self.pad = Gst.Pad.new("src", Gst.PadDirection.SRC)
        self.pad.set_active(True)
        self.pad.link(self.gate.get_static_pad("sink"))
        self.pipeline.set_state(Gst.State.PLAYING)
        self.pad.push_event(Gst.Event.new_stream_start("stream"))
        self.pad.push_event(Gst.Event.new_caps(Gst.Caps.from_string(
            "video/x-h264,stream-format=byte-stream,alignment=au,parsed=true,width=320,height=240,framerate=25/1")))
        self.begin()
        self.number = self.since_key = 0

    def begin(self):
        segment = Gst.Segment()
        segment.init(Gst.Format.TIME)
        self.pad.push_event(Gst.Event.new_segment(segment))

    def push(self, is_key, is_discontinuous=False):
        buffer = Gst.Buffer.new_wrapped(KEY if is_key else DELTA)
        buffer.pts, buffer.offset = self.number * PERIOD, self.number
        if not is_key:
            buffer.set_flags(Gst.BufferFlags.DELTA_UNIT)
        if is_discontinuous:
            buffer.set_flags(Gst.BufferFlags.DISCONT)
        self.number += 1
        return self.pad.push(buffer)

    def report(self, wants_frames, rewinds):
        """Sends what swiftodt sends about the latest frame."""
        structure = Gst.Structure.new_from_string(
            f"swiftodt-activity, inference=(boolean){wants_frames}, motion=(boolean)false, rewind=(boolean){rewinds}, timestamp=(guint64){(self.number - 1) * PERIOD}")
        self.exit.push_event(Gst.Event.new_custom(Gst.EventType.CUSTOM_UPSTREAM, structure))

    @property
    def stats(self):
        return self.gate.get_property("stats")

    def end(self):
        self.pad.push_event(Gst.Event.new_eos())
        self.pipeline.set_state(Gst.State.NULL)


@stress_test(seconds=240, weight=15)
def many_frames_through_gate(trial):
    """250,000 frames, a million with --long, with activity now and then: the gate's memory does not grow, and each frame is passed or dropped."""
    one_arena()
    frames = 20_000 if UNDER_SANITIZER else 1_000_000 if LONG else 250_000
    stream, sizes = Stream(), []
    for number in range(frames):
        require(stream.push(number % 50 == 0) == Gst.FlowReturn.OK, f"frame {number} is not accepted")
        if number % 50 == 0:
            stream.report(number // 50 % 10 == 9, number // 500 % 2 == 1)
        if number % (frames // 8) == frames // 8 - 1:
            gc.collect()
            sizes.append(resident())
    stats = stream.stats
    counts = {name: stats.get_value(name) for name in ("frames", "passed", "dropped", "kept", "kept-bytes")}
    print(counts, f"resident, in kB: {[size // 1024 for size in sizes]}")
    require(counts["frames"] == frames == counts["passed"] + counts["dropped"] + counts["kept"], f"frames are lost: {counts}")
    require(0.1 < stats.get_value("passed-share") < 0.9, f"the gate does not open and close: {stats.to_string()}")
    require(counts["kept"] < 50, f"more frames are kept than between two key frames: {counts}")
    if not UNDER_SANITIZER:
        require(steady_growth(sizes[1:]) < frames // 10, f"memory grows: {sizes}")
    stream.end()


@stress_test(seconds=60, weight=10)
def random_events_at_gate(trial):
    """Random key frames, losses, reports and events: every passed frame follows its predecessor, a key frame, or a marked gap."""
    choose, passed, is_active = trial.random, [], False
    distance, seconds = choose.choice([5, 25, 50, 200]), choose.choice([1, 4, 15])
    most = choose.choice([1000, 20_000, 1 << 25])
    stream = Stream(f"max-bytes={most} max-time={seconds}000000000 hold-time={choose.choice([0, 500_000_000, 2_000_000_000])}")

    def see(_, info):
        buffer = info.get_buffer()
        passed.append((buffer.offset, buffer.has_flags(Gst.BufferFlags.DELTA_UNIT), buffer.has_flags(Gst.BufferFlags.DECODE_ONLY)))
        return Gst.PadProbeReturn.OK

    stream.exit.add_probe(Gst.PadProbeType.BUFFER, see)
    lost = set()
    for number in range(20_000):
        is_lost = choose.random() < 0.002
        if is_lost:
            lost.add(stream.number)
            stream.number += 1
        require(stream.push(number % distance == 0, is_lost) == Gst.FlowReturn.OK, "a frame is not accepted")
        chance = choose.random()
        if number % distance == 0 or chance < 0.1:
            is_active = choose.random() < (0.8 if is_active else 0.03)
            stream.report(is_active, is_active and choose.random() < 0.5)
        elif chance < 0.101:
            stream.gate.emit("open")
        elif chance < 0.102:
            stream.gate.set_property("mode", choose.choice(["open", "auto", "auto"]))
        elif chance < 0.103:
            stream.pad.push_event(Gst.Event.new_gap(stream.number * PERIOD, PERIOD))
        elif chance < 0.104:
            stream.begin()
    dropped = stream.stats.get_value("dropped")
    print(f"key frames every {distance} frames, {stream.stats.to_string()}")
    stream.end()
    # The decoder's latest frame. A key frame that is passed again restores its state.
    latest = None
    for offset, is_delta, is_again in passed:
        if is_delta:
            follows = latest is not None and all(number in lost for number in range(latest + 1, offset))
            require(follows, f"frame {offset} was passed after frame {latest}")
        require(is_again or latest is None or offset > latest, f"frame {offset} was passed after frame {latest}")
        latest = offset
    # The gate keeps frames for at least calm-interval, 1 s.
    most_kept = max(distance, 30)
    fits = most_kept * len(KEY) < most and most_kept * PERIOD < seconds * Gst.SECOND
    require(dropped > 0 or not fits, "no frame was dropped")
