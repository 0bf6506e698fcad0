"""Programs that have loaded the C++ library before GStreamer, as Python has that imports NumPy or OpenCV first: what the runtime throws is
caught there, too. It ended the process: one library that unwinds stacks had begun, and another one was to go on."""
import os
import subprocess
import sys
import tempfile
import unittest

from streams import needs_detector

PROGRAM = """
import ctypes, sys
order, text = sys.argv[1:]
if order == "C++ first":
    ctypes.CDLL("libstdc++.so.6")
import gi
gi.require_version("Gst", "1.0")
from gi.repository import Gst
Gst.init(None)
if order == "GStreamer first":
    ctypes.CDLL("libstdc++.so.6")
pipeline = Gst.parse_launch(text)
pipeline.set_state(Gst.State.PLAYING)
end = pipeline.get_bus().timed_pop_filtered(60 * Gst.SECOND, Gst.MessageType.EOS | Gst.MessageType.ERROR)
print(end.parse_error()[0].message if end and end.type == Gst.MessageType.ERROR else end and end.type.first_value_nick)
pipeline.set_state(Gst.State.NULL)
"""


@needs_detector
class Unwinding(unittest.TestCase):
    def play(self, order, properties=""):
        text = f"videotestsrc num-buffers=5 ! swiftodt detector=neural {properties} ! fakesink"
        done = subprocess.run([sys.executable, "-c", PROGRAM, order, text], capture_output=True, text=True, timeout=100)
        self.assertEqual(done.returncode, 0, f"{order}: {done.stderr[-500:]}")
        return done.stdout.strip()

    def test_the_runtime_starts_whatever_was_loaded_first(self):
        for order in ("C++ first", "GStreamer first", "GStreamer alone"):
            with self.subTest(order):
                self.assertEqual(self.play(order), "eos")

    def test_what_it_refuses_is_an_error_with_words(self):
        """Readers of models are libraries that the runtime loads by itself."""
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "damaged.onnx")
            with open(file, "wb") as damaged:
                damaged.write(bytes(range(256)) * 8)
            for order in ("C++ first", "GStreamer first"):
                with self.subTest(order):
                    self.assertIn("cannot be read as a network", self.play(order, f"model-file={file}"))
            self.assertIn("no such thing", self.play("C++ first", 'device="no such thing"'))


if __name__ == "__main__":
    unittest.main()
