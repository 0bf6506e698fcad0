"""swiftodtgate passes key frames only in calm video, and all frames while swiftodt reports activity."""
import functools
import math
import os
import random
import tempfile
import unittest

from streams import Gst, MessageCollector, box, overlap, run

RATE, WIDTH, HEIGHT = 25, 320, 240
SECOND = Gst.SECOND
# An object enters at 6 s, moves to the right until 9 s, and then stands.
BEGIN, STOP, END = 6 * RATE, 9 * RATE, 18 * RATE
SIZE = (50, 80)


def needs(*elements):
    missing = [name for name in elements if Gst.ElementFactory.find(name) is None]
    return unittest.skipIf(missing, "not installed: " + ", ".join(missing))


def place(frame):
    """Returns the box of the object in a frame (from 0), or None."""
    return (10 + 2 * (min(frame, STOP) - BEGIN), 100, *SIZE) if frame >= BEGIN else None


BACKGROUND = [bytes((60 + (x // 8 * 7 + y // 8 * 13) % 60) for x in range(WIDTH)) for y in range(HEIGHT)]
OBJECT = [bytes((150 + (x // 5 * 31 + y // 5 * 17) % 90) for x in range(SIZE[0])) for y in range(SIZE[1])]
CHROMA = bytes([128]) * (WIDTH * HEIGHT // 2)


def picture(frame):
    rows = list(BACKGROUND)
    if (where := place(frame)) is not None:
        x, y, width, height = where
        for line in range(height):
            row = rows[y + line]
            rows[y + line] = row[:x] + OBJECT[line] + row[x + width:]
    return b"".join(rows) + CHROMA


def encode(encoder, parser, pictures=None):
    """Returns the caps and the access units of the video, or of other pictures."""
    pipeline = Gst.parse_launch(
        f"appsrc name=in format=time caps=video/x-raw,format=I420,width={WIDTH},height={HEIGHT},framerate={RATE}/1"
        f" ! {encoder} ! {parser} ! appsink name=out sync=false")
    source, sink = pipeline.get_by_name("in"), pipeline.get_by_name("out")
    pipeline.set_state(Gst.State.PLAYING)
    try:
        for number, shown in enumerate(pictures or map(picture, range(END))):
            buffer = Gst.Buffer.new_wrapped(shown)
            buffer.pts, buffer.duration = number * SECOND // RATE, SECOND // RATE
            source.emit("push-buffer", buffer)
        source.emit("end-of-stream")
        units, caps, start = [], None, 0
        while (sample := sink.emit("pull-sample")) is not None:
            caps, start = sample.get_caps(), sample.get_segment().start
            buffer = sample.get_buffer().copy_deep()
            # Some encoders move all timestamps by a constant.
            buffer.pts, buffer.dts = buffer.pts - start, Gst.CLOCK_TIME_NONE
            units.append(buffer)
    finally:
        pipeline.set_state(Gst.State.NULL)
    return caps, units


def frame_of(time):
    return round(time * RATE / SECOND)


class Playback:
    """Plays access units through a pipeline: the numbers of decoded frames, the results by frame, and statistics."""

    def __init__(self, caps, units, between, folder, *, changes=None, properties="", places=None):
        detections = os.path.join(folder, "found.txt")
        with open(detections, "w", encoding="utf-8") as file:
            for frame, where in (places or {frame: place(frame) for frame in range(BEGIN, END)}).items():
                file.write(",".join(map(str, (frame + 1, -1, *where, 0.9))) + "\n")
        self.decoded, self.passed, self.said = [], [], MessageCollector()
        pipeline = Gst.parse_launch(
            f"appsrc name=in format=time max-bytes=0 ! {between} ! swiftodt name=odt detector=recorded detections-file={detections}"
            f" updates=every-frame draw=false strategy=every-frame inference-interval=0 {properties} ! fakesink name=end")
        source = pipeline.get_by_name("in")
        source.set_property("caps", caps)
        pipeline.get_by_name("odt").get_static_pad("src").add_probe(Gst.PadProbeType.BUFFER, self.note)
        if gate := pipeline.get_by_name("gate"):
            gate.get_static_pad("src").add_probe(Gst.PadProbeType.BUFFER, self.note_passed)
        for number, unit in enumerate(units):
            buffer = changes(number, unit.copy_deep()) if changes else unit.copy_deep()
            if buffer is not None:
                source.emit("push-buffer", buffer)
        source.emit("end-of-stream")
        pipeline.set_state(Gst.State.PLAYING)
        try:
            while not self.said.ended and not self.said.errors and (message := pipeline.get_bus().timed_pop(20 * SECOND)):
                self.said.hear(message)
            self.gate = gate.get_property("stats") if gate else None
            self.odt = pipeline.get_by_name("odt").get_property("stats")
        finally:
            pipeline.set_state(Gst.State.NULL)

    def note(self, _, info):
        self.decoded.append(frame_of(info.get_buffer().pts))
        return Gst.PadProbeReturn.OK

    def note_passed(self, _, info):
        if not info.get_buffer().has_flags(Gst.BufferFlags.DECODE_ONLY):
            self.passed.append(frame_of(info.get_buffer().pts))
        return Gst.PadProbeReturn.OK

    @functools.cached_property
    def boxes(self):
        """The box of the reported object by frame."""
        return {frame_of(result.get_value("timestamp")): box(thing) for result in self.said.results for thing in result.get_value("objects")}

    @property
    def ids(self):
        return {thing.get_value("tracking-id") for result in self.said.results for thing in result.get_value("objects")}


class Streams:
    """Tests that hold for every encoder setting. Subclasses name the elements and the distance of key frames in seconds."""
    encoder = parser = decoder = None
    distance = 1

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.caps, cls.units = encode(cls.encoder, cls.parser)
        cls.keys = [frame_of(unit.pts) for unit in cls.units if not unit.has_flags(Gst.BufferFlags.DELTA_UNIT)]
        cls.played = cls.play()

    @classmethod
    def play(cls, gate="swiftodtgate name=gate ! ", **options):
        played = Playback(cls.caps, cls.units, f"{gate}{cls.decoder}", cls.folder.name, **options)
        problems = [str(problem[0].message) for problem in played.said.errors + played.said.warnings]
        assert not problems, problems
        return played

    def test_calm_video_passes_key_frames_only(self):
        played = self.played
        # When the object appears, the frames since the key frame before are decoded, too.
        last = max(key for key in self.keys if key < BEGIN)
        before = [frame for frame in played.decoded if frame <= last]
        calm = next(key for key in self.keys if key >= 2 * RATE)
        self.assertEqual(before, sorted(before))
        self.assertEqual([frame for frame in before if frame > calm], [key for key in self.keys if calm < key <= last])

    def test_object_opens_gate_and_is_reported_from_its_first_frame_on(self):
        played, full = self.played, self.play(gate="")
        first = max(key for key in self.keys if key < BEGIN)
        until = next(key for key in self.keys if key >= STOP)
        self.assertEqual([frame for frame in played.decoded if first <= frame <= until], list(range(first, until + 1)))
        self.assertEqual(len(played.decoded), len(set(played.decoded)), "frames were processed twice")
        self.assertEqual(played.decoded, sorted(played.decoded))
        # The key frame that shows the object causes the frames before it to be analysed, too.
        self.assertLessEqual(min(played.boxes) - BEGIN, 0.2 * RATE)
        for frame in range(min(played.boxes), until + 1):
            self.assertGreater(overlap(played.boxes[frame], full.boxes[frame]), 0.8, f"frame {frame}")
        self.assertGreater(self.gate_value(played, "openings", "activity"), 0)

    def test_standing_object_closes_gate_and_keeps_its_track(self):
        played = self.played
        # At most 4 s after the object has stopped, the picture equals the picture of the latest inference.
        late = [frame for frame in played.decoded if frame > STOP + (2 + self.distance) * RATE and frame in self.keys]
        closed = late[1]
        late = [frame for frame in played.decoded if frame > closed]
        # The end of the stream releases the frames since the last key frame.
        self.assertEqual([frame for frame in late if frame <= self.keys[-1]], [key for key in self.keys if key >= late[0]])
        self.assertEqual(late[-1], END - 1)
        self.assertEqual(played.ids, {1})
        self.assertEqual(played.odt.get_value("epoch"), 0)
        self.assertTrue(all(frame in played.boxes for frame in late))

    def test_lost_packets_open_gate(self):
        lost = next(index for index, unit in enumerate(self.units) if frame_of(unit.pts) == self.keys[-1] - 12)

        def change(number, unit):
            if number == lost + 1:
                unit.set_flags(Gst.BufferFlags.DISCONT)
            return None if number == lost else unit

        played = self.play(changes=change)
        self.assertEqual(self.gate_value(played, "openings", "discontinuity"), 1)
        following = {frame_of(unit.pts) for unit in self.units[lost + 1:]}
        self.assertLessEqual(following, set(played.passed))

    @staticmethod
    def gate_value(played, *names):
        value = played.gate
        for name in names:
            value = value.get_value(name)
        return value


@needs("x264enc", "h264parse", "avdec_h264")
class Simple(Streams, unittest.TestCase):
    encoder, parser, decoder = "x264enc key-int-max=25 bframes=0 tune=zerolatency", "h264parse", "avdec_h264"

    def test_gate_statistics_count_every_frame(self):
        self.assertEqual(self.gate_value(self.played, "frames"), END)
        self.assertEqual(self.gate_value(self.played, "passed") + self.gate_value(self.played, "dropped"), END)
        self.assertEqual(len(self.played.decoded), self.gate_value(self.played, "passed"))
        self.assertLess(self.gate_value(self.played, "passed-share"), 0.7)

    def test_mode_open_passes_all_frames(self):
        self.assertEqual(self.play(gate="swiftodtgate mode=open name=gate ! ").decoded, list(range(END)))

    def test_small_limit_leaves_gate_open(self):
        played = self.play(gate="swiftodtgate max-time=500000000 calm-interval=500000000 name=gate ! ")
        self.assertEqual(played.decoded, list(range(END)))

    def test_unparsed_stream_is_error_with_parser(self):
        caps = Gst.Caps.from_string("video/x-h264,stream-format=byte-stream,alignment=nal")
        played = Playback(caps, self.units[:1], "swiftodtgate name=gate ! avdec_h264", self.folder.name)
        self.assertTrue(any("put h264parse before swiftodtgate" in error[0].message for error in played.said.errors))


@needs("x264enc", "h264parse", "avdec_h264")
class BFrames(Streams, unittest.TestCase):
    encoder, parser, decoder = "x264enc key-int-max=50 bframes=3 b-adapt=false", "h264parse", "avdec_h264"
    distance = 2


@needs("x264enc", "h264parse", "avdec_h264")
class OpenGroups(unittest.TestCase):
    """The key frames of H.264 streams with open groups of pictures are not IDR pictures. libavcodec damages frames if the frames before them
    are missing."""

    def test_gate_stays_open(self):
        caps, units = encode("x264enc key-int-max=25 bframes=2 option-string=open-gop=1", "h264parse")
        with tempfile.TemporaryDirectory() as folder:
            played = Playback(caps, units, "swiftodtgate name=gate ! avdec_h264 max-threads=1", folder)
        self.assertEqual(played.said.errors + played.said.warnings, [])
        self.assertEqual(played.decoded, list(range(END)))


@needs("x264enc", "h264parse", "openh264dec")
class OpenH264(Streams, unittest.TestCase):
    encoder, parser, decoder = ("x264enc key-int-max=25 bframes=0 ! video/x-h264,profile=constrained-baseline",
                                "h264parse ! video/x-h264,stream-format=byte-stream,alignment=au", "openh264dec")


@needs("x265enc", "h265parse", "avdec_h265")
class HEVC(Streams, unittest.TestCase):
    encoder, parser, decoder = "x265enc speed-preset=ultrafast key-int-max=25", "h265parse", "avdec_h265"


@needs("x264enc", "h264parse", "avdec_h264")
class Interlaced(Streams, unittest.TestCase):
    encoder, parser, decoder = "x264enc interlaced=true key-int-max=25 bframes=0", "h264parse", "avdec_h264"


@needs("av1enc", "av1parse", "av1dec")
class AV1(Streams, unittest.TestCase):
    encoder, parser, decoder = ("av1enc usage-profile=realtime cpu-used=10 lag-in-frames=0 keyframe-max-dist=25 ! video/x-av1",
                                "av1parse ! video/x-av1,alignment=tu", "av1dec")

    @unittest.skip("av1dec ends with an error after a lost frame, with and without the gate")
    def test_lost_packets_open_gate(self):
        pass


@needs("x264enc", "h264parse", "avdec_h264")
class Leaves(unittest.TestCase):
    """Leaves move in a quarter of the picture. From 43 s to 47 s, an object moves in front of them."""
    BEGIN, LEAVES, END, DISTANCE = 43 * RATE, 47 * RATE, 52 * RATE, 4 * RATE

    @classmethod
    def place(cls, frame):
        return (10 + 2 * (frame - cls.BEGIN), 20, *SIZE)

    @classmethod
    def picture(cls, frame):
        rows = list(BACKGROUND)
        for line in range(80):
            swing = round(8 * math.sin(frame / RATE * (3 + line // 15 % 4) + line // 15))
            rows[line] = BACKGROUND[line][:40] + cls.LEAVES_TEXTURE[line][10 + swing:250 + swing] + BACKGROUND[line][280:]
        if cls.BEGIN <= frame < cls.LEAVES:
            x, y, width, height = cls.place(frame)
            for line in range(height):
                row = rows[y + line]
                rows[y + line] = row[:x] + OBJECT[line] + row[x + width:]
        return b"".join(rows) + CHROMA

    LEAVES_TEXTURE = [bytes(30 + (x // 6 * 37 + y // 6 * 53) % 150 for x in range(260)) for y in range(80)]

    def test_recurring_motion_leaves_gate_closed_and_object_opens_it(self):
        caps, units = encode(f"x264enc key-int-max={self.DISTANCE} bframes=0 option-string=scenecut=0", "h264parse",
                             map(self.picture, range(self.END)))
        keys = [frame_of(unit.pts) for unit in units if not unit.has_flags(Gst.BufferFlags.DELTA_UNIT)]
        self.assertEqual(keys, list(range(0, self.END, self.DISTANCE)))
        with tempfile.TemporaryDirectory() as folder:
            played = Playback(caps, units, "swiftodtgate name=gate ! avdec_h264", folder,
                              places={frame: self.place(frame) for frame in range(self.BEGIN, self.LEAVES)})
        # The key frame at 44 s shows the object, so the frames since the key frame at 40 s are decoded, too.
        last = 40 * RATE
        self.assertEqual([frame for frame in played.decoded if 20 * RATE <= frame <= last], [key for key in keys if 20 * RATE <= key <= last])
        self.assertEqual(set(range(self.BEGIN, self.LEAVES)) - set(played.decoded), set())
        self.assertLessEqual(min(played.boxes) - self.BEGIN, 0.2 * RATE)


@needs("x264enc", "h264parse", "avdec_h264")
class DamagedFrames(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.caps, cls.units = encode("x264enc key-int-max=25 bframes=0 tune=zerolatency", "h264parse")

    def play(self, change):
        with tempfile.TemporaryDirectory() as folder:
            played = Playback(self.caps, self.units, "swiftodtgate name=gate ! avdec_h264 max-errors=-1", folder, changes=change)
        self.assertEqual([str(error[0].message) for error in played.said.errors], [])
        self.assertEqual([played.gate.get_value(name) for name in ("frames", "kept")], [END, 0])
        self.assertEqual(played.gate.get_value("passed") + played.gate.get_value("dropped"), END)
        return played

    @staticmethod
    def damaged(unit):
        """Overwrites the second half of an access unit, as loss in transport does."""
        bytes_, size = unit.extract_dup(0, unit.get_size()), unit.get_size()
        other = Gst.Buffer.new_wrapped(bytes_[:size // 2] + bytes(random.Random(size).randrange(256) for _ in range(size - size // 2)))
        other.pts, other.duration = unit.pts, unit.duration
        if unit.has_flags(Gst.BufferFlags.DELTA_UNIT):
            other.set_flags(Gst.BufferFlags.DELTA_UNIT)
        return other

    def test_marked_damaged_frame_opens_gate(self):
        def change(number, unit):
            if number == 4 * RATE + 7:
                unit = self.damaged(unit)
                unit.set_flags(Gst.BufferFlags.CORRUPTED)
            return unit

        played = self.play(change)
        self.assertEqual(played.gate.get_value("openings").get_value("discontinuity"), 1)
        self.assertLessEqual(set(range(4 * RATE + 7, 6 * RATE)), set(played.passed))

    def test_object_is_reported_from_key_frame_on_despite_unmarked_damaged_frames(self):
        played = self.play(lambda number, unit: self.damaged(unit) if number % 7 == 3 else unit)
        self.assertLessEqual(min(played.boxes) - BEGIN, RATE + 0.2 * RATE)


@needs("x264enc", "h264parse", "avdec_h264")
class IntraRefresh(unittest.TestCase):
    def test_stream_without_key_frames_stays_open(self):
        with tempfile.TemporaryDirectory() as folder:
            caps, units = encode("x264enc intra-refresh=true bframes=0 key-int-max=25", "h264parse")
            played = Playback(caps, units, "swiftodtgate name=gate ! avdec_h264", folder)
        self.assertEqual(played.decoded, list(range(END)))


@needs("x264enc", "h264parse", "avdec_h264", "mp4mux", "qtdemux")
class Seeks(unittest.TestCase):
    def test_flushing_seek_restarts_gate(self):
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "clip.mp4")
            said = run(f"videotestsrc pattern=gradient num-buffers={END} ! video/x-raw,format=I420,width={WIDTH},height={HEIGHT},framerate={RATE}/1"
                       f" ! x264enc key-int-max=25 bframes=2 ! h264parse ! mp4mux ! filesink location={file}")
            self.assertTrue(said.ended)
            pipeline = Gst.parse_launch(
                f"filesrc location={file} ! qtdemux ! h264parse ! swiftodtgate name=gate ! avdec_h264 ! swiftodt detector=motion"
                " inference-interval=0 draw=false ! fakesink name=end")
            numbers = []
            pipeline.get_by_name("end").get_static_pad("sink").add_probe(
                Gst.PadProbeType.BUFFER, lambda _, info: numbers.append(frame_of(info.get_buffer().pts)) or Gst.PadProbeReturn.OK)
            try:
                pipeline.set_state(Gst.State.PAUSED)
                self.assertNotEqual(pipeline.get_state(20 * SECOND)[0], Gst.StateChangeReturn.FAILURE)
                before = len(numbers)
                self.assertTrue(pipeline.seek_simple(Gst.Format.TIME, Gst.SeekFlags.FLUSH | Gst.SeekFlags.KEY_UNIT, 10 * SECOND))
                pipeline.set_state(Gst.State.PLAYING)
                message = pipeline.get_bus().timed_pop_filtered(20 * SECOND, Gst.MessageType.EOS | Gst.MessageType.ERROR)
                self.assertEqual(message.type, Gst.MessageType.EOS)
                after = numbers[before:]
                # The gate is open for the hold time after the seek.
                self.assertEqual(after[:2 * RATE], list(range(after[0], after[0] + 2 * RATE)))
                stats = pipeline.get_by_name("gate").get_property("stats")
                self.assertEqual(stats.get_value("openings").get_value("start"), 2)
            finally:
                pipeline.set_state(Gst.State.NULL)


if __name__ == "__main__":
    unittest.main()
