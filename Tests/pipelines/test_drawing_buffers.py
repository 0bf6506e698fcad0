"""Frames with other references are copied before drawing. The memory of the copies is reused, but only after release."""
import hashlib
import os
import resource
import subprocess
import sys
import unittest

from streams import Gst

ZONE = '[{"name": "all", "kind": "zone", "points": [[0, 0], [1, 0], [1, 1], [0, 1]]}]'
# A second branch that holds a reference to each frame during drawing, as a decoder does.
SHARED = " ! tee name=tee ! queue max-size-buffers=2 ! fakesink name=other async=false tee."


def caps(width, height, format="I420"):
    return f"video/x-raw,format={format},width={width},height={height}"


def content(buffer):
    """Returns a hash of a frame's bytes."""
    return hashlib.sha256(buffer.extract_dup(0, buffer.get_size())).hexdigest()


def on_buffers(pipeline, name, pad, hear):
    def probe(_, info):
        hear(info.get_buffer())
        return Gst.PadProbeReturn.OK
    pipeline.get_by_name(name).get_static_pad(pad).add_probe(Gst.PadProbeType.BUFFER, probe)


class Copies(unittest.TestCase):
    def play(self, hear, before="", source=None, other=None):
        """Draws a zone on every frame. Calls `hear` with each output frame, and `other` with each frame of the second branch."""
        pipeline = Gst.parse_launch(
            (source or f"videotestsrc pattern=ball num-buffers=40 ! {caps(320, 240)}") + before
            + " ! swiftodt name=odt detector=motion draw-zones=true ! fakesink name=end async=false")
        self.addCleanup(pipeline.set_state, Gst.State.NULL)
        pipeline.get_by_name("odt").props.zones = ZONE
        on_buffers(pipeline, "end", "sink", hear)
        if other:
            on_buffers(pipeline, "other", "sink", other)
        pipeline.set_state(Gst.State.PLAYING)
        end = pipeline.get_bus().timed_pop_filtered(60 * Gst.SECOND, Gst.MessageType.EOS | Gst.MessageType.ERROR)
        self.assertEqual(end and end.type, Gst.MessageType.EOS)
        # Python does not copy nested structures, so the outer one must be kept.
        stats = pipeline.get_by_name("odt").props.stats
        pipeline.set_state(Gst.State.NULL)
        return stats["times"]["copy"]["max"]

    def test_frame_held_downstream_is_unchanged(self):
        # If memory were reused too early, later frames would overwrite earlier ones.
        held, direct = [], []
        copied = self.play(held.append, SHARED)
        alone = self.play(lambda buffer: direct.append(content(buffer)))
        self.assertEqual([content(buffer) for buffer in held], direct)
        self.assertGreater(len(set(direct)), 20)
        # Otherwise nothing was copied, and the test would prove nothing.
        self.assertGreater(copied, 0)
        self.assertEqual(alone, 0)

    def test_shared_frame_is_not_drawn_on(self):
        plain, others = [], []
        self.play(lambda buffer: None, SHARED, other=lambda buffer: others.append(content(buffer)))
        pipeline = Gst.parse_launch(f"videotestsrc pattern=ball num-buffers=40 ! {caps(320, 240)} ! fakesink name=end async=false")
        self.addCleanup(pipeline.set_state, Gst.State.NULL)
        on_buffers(pipeline, "end", "sink", lambda buffer: plain.append(content(buffer)))
        pipeline.set_state(Gst.State.PLAYING)
        pipeline.get_bus().timed_pop_filtered(60 * Gst.SECOND, Gst.MessageType.EOS | Gst.MessageType.ERROR)
        self.assertEqual(others, plain)

    def test_copy_keeps_padding_meta_and_timestamps(self):
        # The copy replaces the buffer's memory, so its GstVideoMeta still describes the planes at their upstream offsets. The source
        # has no padding between rows, because padding is not copied.
        for format in ("NV12", "RGB", "YUY2"):
            with self.subTest(format=format):
                padded = (f"videotestsrc pattern=ball num-buffers=12 ! {caps(320, 244, format)},framerate=30/1"
                          " ! videocrop left=6 top=4 right=2")
                drawn = {}
                for name, before in (("shared", SHARED), ("alone", "")):
                    seen = drawn[name] = []
                    self.play(lambda buffer: seen.append((buffer.pts, buffer.duration, buffer.offset, content(buffer))),
                              before, source=padded)
                self.assertEqual(len(drawn["shared"]), 12)
                self.assertEqual(drawn["shared"], drawn["alone"])

    def test_new_frame_size_gets_new_buffers(self):
        sizes = []
        parts = " ".join(
            f"videotestsrc num-buffers=10 pattern=ball ! {caps(*size)},framerate=30/1 ! c." for size in ((320, 240), (640, 480), (160, 120)))
        self.play(lambda buffer: sizes.append(buffer.get_size()), SHARED, source="concat name=c " + parts + " c.")
        self.assertEqual(sizes, [pixels * 3 // 2 for pixels in (320 * 240, 640 * 480, 160 * 120) for _ in range(10)])

    def test_buffers_are_reused(self):
        # Without reuse, each copy of a 4K frame causes about 3,000 page faults. The low mmap threshold makes every large allocation
        # come fresh from the system, as it happens with a decoder's threads.
        said = self.play_apart(
            "faults = []\n"
            "self.play(lambda buffer: faults.append(resource.getrusage(resource.RUSAGE_SELF).ru_minflt), SHARED,\n"
            "          source=f'videotestsrc pattern=black num-buffers=24 ! {caps(3840, 2160)}')\n"
            "print((faults[-1] - faults[9]) / (len(faults) - 10))", MALLOC_MMAP_THRESHOLD_="1000000")
        self.assertLess(float(said.stdout), 600)

    def test_no_buffers_leak(self):
        # A sink releases the last frame after the element has stopped.
        said = self.play_apart(
            "self.play(lambda buffer: None, SHARED)", GST_TRACERS="leaks(filters=GstMemory)", GST_DEBUG="GST_TRACER:7",
            GST_DEBUG_NO_COLOR="1")
        alive = [line for line in said.stderr.splitlines() if "object-alive, " in line and "type-name=(string)%s" not in line]
        self.assertEqual(alive, [])

    def play_apart(self, program, **environment):
        """Runs a program with the names of this file in a separate process."""
        lines = ["import sys", "sys.path.insert(0, sys.argv[1])", "from test_drawing_buffers import *", "self = Copies()", program,
                 "self.doCleanups()", "Gst.deinit()"]
        done = subprocess.run(
            [sys.executable, "-c", "\n".join(lines), os.path.dirname(os.path.abspath(__file__))], capture_output=True, text=True,
            timeout=120, env={**os.environ, **environment})
        self.assertEqual(done.returncode, 0, done.stderr[-2000:])
        return done


if __name__ == "__main__":
    unittest.main()
