"""Exceptions of the runtime are caught in programs that load libstdc++ before GStreamer, as Python does that imports NumPy or OpenCV
first. Without RTLD_DEEPBIND such a program aborts: libgcc_s begins to unwind the stack, and libunwind, a dependency of GStreamer, continues."""
import glob
import os
import signal
import subprocess
import sys
import tempfile
import unittest

from streams import DATA, needs_detector

PROGRAM = """
import ctypes, os, sys
order, text = sys.argv[1:]
if order == "C++ first":
    ctypes.CDLL("libstdc++.so.6")
if order in ("gcc first", "gcc, GStreamer, C++"):
    # As NumPy does.
    ctypes.CDLL("libgcc_s.so.1")
if order == "C++ first, for all":
    ctypes.CDLL("libstdc++.so.6", mode=os.RTLD_LAZY | os.RTLD_GLOBAL)
import gi
gi.require_version("Gst", "1.0")
from gi.repository import Gst
Gst.init(None)
if order in ("GStreamer first", "gcc, GStreamer, C++"):
    ctypes.CDLL("libstdc++.so.6")
pipeline = Gst.parse_launch(text)
pipeline.set_state(Gst.State.PLAYING)
end = pipeline.get_bus().timed_pop_filtered(60 * Gst.SECOND, Gst.MessageType.EOS | Gst.MessageType.ERROR)
print(end.parse_error()[0].message if end and end.type == Gst.MessageType.ERROR else end and end.type.first_value_nick)
pipeline.set_state(Gst.State.NULL)\n"""

# Calls the runtime alone, loaded with or without RTLD_DEEPBIND.
RUNTIME = """
import ctypes, os, sys
file, mode = sys.argv[1], int(sys.argv[2])
ctypes.CDLL("libstdc++.so.6")
import gi
gi.require_version("Gst", "1.0")
from gi.repository import Gst
Gst.init(None)
runtime = ctypes.CDLL(file, mode=os.RTLD_NOW | mode)
core, name = ctypes.c_void_p(), ctypes.c_char_p()
runtime.ov_core_create(ctypes.byref(core))
print(runtime.ov_core_get_property(core, b"no such device", b"FULL_DEVICE_NAME", ctypes.byref(name)))\n"""


@needs_detector
class Unwinding(unittest.TestCase):
    def play(self, order, properties=""):
        text = f"videotestsrc num-buffers=5 ! swiftodt detector=neural {properties} ! fakesink"
        done = subprocess.run([sys.executable, "-c", PROGRAM, order, text], capture_output=True, text=True, timeout=100)
        self.assertEqual(done.returncode, 0, f"{order}: {done.stderr[-500:]}")
        return done.stdout.strip()

    def test_runtime_starts_in_any_load_order(self):
        for order in ("C++ first", "C++ first, for all", "gcc first", "GStreamer first", "GStreamer alone"):
            with self.subTest(order):
                self.assertEqual(self.play(order), "eos")

    def test_the_runtime_alone_aborts_without_deep_binding(self):
        """Shows that CShims/CODTOpenVINO/unwinding.c is needed. If this test fails, that file can be removed."""
        libraries = glob.glob(os.path.join(DATA, "openvino", "libopenvino_c.so.*"))
        if not libraries:
            self.skipTest("the runtime was not installed by Pipelines/setup")

        def refuse(mode):
            return subprocess.run([sys.executable, "-c", RUNTIME, libraries[0], str(mode)], capture_output=True, text=True, timeout=60)

        self.assertIn(refuse(0).returncode, (-signal.SIGABRT, -signal.SIGSEGV))
        self.assertEqual(refuse(os.RTLD_DEEPBIND).stdout, "-1\n")

    def test_a_process_in_which_exceptions_cannot_be_caught_is_an_error(self):
        self.assertIn("load GStreamer first", self.play("gcc, GStreamer, C++"))

    def test_runtime_exception_is_an_error(self):
        """Frontends for model files are libraries that the runtime loads itself, and their exceptions must be caught, too."""
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "damaged.onnx")
            with open(file, "wb") as damaged:
                damaged.write(bytes(range(256)) * 8)
            for order in ("C++ first", "C++ first, for all", "gcc first", "GStreamer first"):
                with self.subTest(order):
                    self.assertIn("cannot be read as a network", self.play(order, f"model-file={file}"))
            self.assertIn("no such thing", self.play("C++ first", 'device="no such thing"'))


if __name__ == "__main__":
    unittest.main()
