"""Timestamps of any 64-bit value, and any events between frames."""
from buffer_feeder import BufferFeeder, picture
from stress_test import need_network, require, stress_test
from validation import NONE, Gst

EDGES = [0, 1, 2**31, 2**32, 2**53, 2**62, 2**63 - 1, 2**63, 2**63 + 1, 2**64 - 2, NONE]
FLAGS = [Gst.BufferFlags.DISCONT, Gst.BufferFlags.GAP, Gst.BufferFlags.CORRUPTED, Gst.BufferFlags.RESYNC,
         Gst.BufferFlags.DROPPABLE, Gst.BufferFlags.DELTA_UNIT, Gst.BufferFlags.HEADER, Gst.BufferFlags.MARKER]


def any_time(choose):
    """Returns a time: an edge case, an ordinary value, or any 64-bit value."""
    return choose.choice([choose.choice(EDGES), choose.randrange(10**11), choose.getrandbits(64), NONE])


def any_segment(buffer_feeder, choose):
    format = choose.choice([Gst.Format.TIME] * 4 + [Gst.Format.BYTES, Gst.Format.DEFAULT, Gst.Format.PERCENT])
    start, length = any_time(choose), any_time(choose)
    start = 0 if start == NONE else start
    stop = NONE if length == NONE or start + length >= 2**64 - 1 else start + length
    fields = {"start": start, "stop": stop, "time": choose.choice([0, start, any_time(choose)]),
              "base": choose.choice([0, any_time(choose)]), "position": start,
              "rate": choose.choice([1.0, 1.0, -1.0, 0.5, 32.0, -0.001, 1e300, -1e-300])}
    fields["base"] = 0 if fields["base"] == NONE else fields["base"]
    # With a negative rate a segment without a stop is invalid.
    if fields["rate"] < 0 and stop == NONE:
        fields["stop"] = start + choose.randrange(2**64 - 1 - start)
    buffer_feeder.segment(format, **fields)


def something(buffer_feeder, choose):
    """Sends an event that may occur between two frames."""
    what = choose.randrange(7)
    if what == 0:
        any_segment(buffer_feeder, choose)
    elif what == 1:
        tags = Gst.TagList.new_empty()
        value = choose.choice(["rotate-0", "rotate-90", "flip-rotate-270", "sideways", "", "rotate-90" * 500])
        tags.add_value(Gst.TagMergeMode.REPLACE, Gst.TAG_IMAGE_ORIENTATION, value)
        buffer_feeder.pad.push_event(Gst.Event.new_tag(tags))
    elif what == 2:
        start = any_time(choose)
        if start != NONE:
            buffer_feeder.pad.push_event(Gst.Event.new_gap(start, any_time(choose)))
    elif what == 3:
        buffer_feeder.pad.push_event(Gst.Event.new_custom(Gst.EventType.CUSTOM_DOWNSTREAM, Gst.Structure.new_empty("anything")))
    elif what == 4:
        buffer_feeder.pad.push_event(Gst.Event.new_stream_start(f"stream-{choose.randrange(9)}"))
        buffer_feeder.segment()
    elif what == 5:
        buffer_feeder.pad.push_event(Gst.Event.new_flush_start())
        buffer_feeder.pad.push_event(Gst.Event.new_flush_stop(choose.random() < 0.5))
        any_segment(buffer_feeder, choose)
    else:
        latency = any_time(choose)
        buffer_feeder.element.send_event(Gst.Event.new_latency(0 if latency == NONE else latency))


def stream(trial, properties, frames, rates):
    choose = trial.random
    with BufferFeeder(properties) as buffer_feeder:
        caps = "video/x-raw,format=I420,width=96,height=72,framerate="
        info = buffer_feeder.caps(caps + choose.choice(rates))
        any_segment(buffer_feeder, choose)
        at = 0
        for step in range(frames):
            if choose.random() < 0.08:
                something(buffer_feeder, choose)
            if choose.random() < 0.03:
                buffer_feeder.caps(caps + choose.choice(rates))
            flags = 0
            for _ in range(choose.choice([0, 0, 1, 1, 2])):
                flags |= int(choose.choice(FLAGS))
            # Every other 20 frames have ordinary times, so that there are tracks.
            ordinary = step // 20 % 2 == 0
            at += 40_000_000
            flow = buffer_feeder.push(picture(info, step), pts=at if ordinary else any_time(choose),
                             duration=choose.choice([40_000_000, NONE, any_time(choose)]), flags=flags)
            require(flow in (Gst.FlowReturn.OK, Gst.FlowReturn.EOS), f"{flow.value_nick} at frame {step}")
            if choose.random() < 0.02:
                buffer_feeder.element.emit(choose.choice(["reset-tracks", "detect-now"]))
        buffer_feeder.end()


RATES = ["30/1", "25/1", "0/1", "1/2147483647", "2147483647/1", "1/1"]


@stress_test(seconds=120, weight=12)
def times(trial):
    """Random times, durations, flags, segments, tags and gaps, with detector=motion."""
    for extra in ("", "look-ahead=32 draw-traces=true", "inference-interval=3 message-interval=100000000",
                  "track-max-age=9223372036854775807", "mode=single-image", "strategy=keep-only-latest"):
        stream(trial, f"detector=motion updates=every-frame message-format=structure+json multiple-objects=true "
               f"attach-meta=roi+custom {extra}", 400, RATES)


@stress_test(seconds=120, weight=12)
def times_neural(trial):
    """Random times with a network, with and without look-ahead."""
    need_network()
    for extra in ("", "look-ahead=8", "look-ahead=1", "strategy=keep-only-latest", "detector=upstream"):
        stream(trial, f"detector=neural updates=every-frame message-format=structure+json multiple-objects=true "
               f"score-threshold=0.05 {extra}", 60, RATES)


@stress_test(seconds=60, weight=4)
def events_that_change_nothing(trial):
    """DISCONT, GAP, segments, caps and tags without a change of the picture do not end a track."""
    choose = trial.random
    # The clip has one moving object, which must keep its id.
    def ids(disturbed):
        with BufferFeeder("detector=motion updates=every-frame track-min-hits=1") as buffer_feeder:
            caps = "video/x-raw,format=GRAY8,width=320,height=240,framerate=30/1"
            info = buffer_feeder.caps(caps)
            buffer_feeder.segment()
            for step in range(200):
                content = bytearray(b"\x20" * info.size)
                for line in range(100, 140):
                    left = line * info.stride[0] + 20 + step
                    content[left:left + 40] = b"\xd0" * 40
                flags = 0
                if disturbed and step > 20 and choose.random() < 0.3:
                    what = choose.randrange(5)
                    if what == 0:
                        buffer_feeder.segment()
                    elif what == 1:
                        buffer_feeder.caps(caps + ",colorimetry=" + choose.choice(["bt709", "bt601"]))
                    elif what == 2:
                        tags = Gst.TagList.new_empty()
                        tags.add_value(Gst.TagMergeMode.REPLACE, Gst.TAG_TITLE, f"title {step}")
                        buffer_feeder.pad.push_event(Gst.Event.new_tag(tags))
                    elif what == 3:
                        buffer_feeder.caps(caps.replace("30/1", choose.choice(["25/1", "0/1", "60/1", "30000/1001"])))
                    else:
                        flags = int(choose.choice([Gst.BufferFlags.DISCONT, Gst.BufferFlags.RESYNC]))
                buffer_feeder.push(bytes(content), pts=step * Gst.SECOND // 30, duration=Gst.SECOND // 30, flags=flags)
            buffer_feeder.end()
            return len(buffer_feeder.validator.ids)

    whole, disturbed = ids(False), ids(True)
    require(whole > 0, "nothing found in the whole stream")
    require(disturbed <= whole, f"{disturbed} ids where the undisturbed stream has {whole}")
