"""Programs that end while their pipelines play: by the end of the script, an exception, exit() from any thread. None of them may crash or
hang, whatever the runtime has under way and however many networks it has: the exit status is the program's own."""
import os
import subprocess
import sys
import tempfile
import unittest

from streams import needs_detector

PROGRAM = """
import ctypes, gi, os, sys, threading, time
gi.require_version("Gst", "1.0")
from gi.repository import Gst
Gst.init(None)
how, text = sys.argv[1:]
pipeline = Gst.parse_launch(text)
# Held for ever: GStreamer itself does not bear a pipeline that is let go while it plays.
ctypes.pythonapi.Py_IncRef(ctypes.py_object(pipeline))
pipeline.set_state(Gst.State.PLAYING)
seen = set()
# All have found something: all networks have run. With "at once" it ends in the midst of starting.
while how != "at once" and len(seen) < text.count("swiftodt "):
    message = pipeline.get_bus().timed_pop(20 * Gst.SECOND)
    if message is None or message.type == Gst.MessageType.ERROR:
        sys.exit(message.parse_error()[1] if message else "nothing happened")
    if message.type == Gst.MessageType.ELEMENT:
        seen.add(message.src.get_name())
if how == "at once":
    time.sleep(float(os.environ["PAUSE"]))
if how == "exception":
    raise ValueError("not caught")
if how == "sys.exit":
    sys.exit(3)
if how in ("exit()", "at once"):
    ctypes.CDLL(None).exit(7)
if how == "exit() in a fork":
    child = os.fork()
    if child == 0:
        ctypes.CDLL(None).exit(7)
    os._exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
if how == "exit() in a thread":
    threading.Thread(target=lambda: ctypes.CDLL(None).exit(7)).start()
    time.sleep(60)
"""
STATUS = {"end": 0, "exception": 1, "sys.exit": 3, "exit()": 7, "exit() in a thread": 7, "exit() in a fork": 7, "at once": 7}

DETECT = "videotestsrc ! swiftodt updates=every-frame detector=neural "
ONE = DETECT + "! fakesink"
THREE = f"{ONE} {DETECT} mode=single-image ! fakesink videotestsrc ! swiftodt updates=every-frame detector=salient ! fakesink"

# The runtime's own choice of instructions, and those with which it keeps its machine code where its exit handlers, which come after
# ours, tear it down. Without AVX-512 the second is the same as the first.
INSTRUCTIONS = ({}, {"ONEDNN_MAX_CPU_ISA": "AVX512_CORE"})


@needs_detector
class Exit(unittest.TestCase):
    def leave(self, how, pipeline, **environment):
        with self.subTest(how=how, pipeline=pipeline, **environment):
            result = subprocess.run([sys.executable, "-c", PROGRAM, how, pipeline], env={**os.environ, **environment},
                                    capture_output=True, text=True, timeout=60)
            self.assertEqual(result.returncode, STATUS[how], result.stderr[-2000:])

    def test_each_way_out(self):
        for how in ("end", "exception", "sys.exit", "exit() in a thread"):
            self.leave(how, ONE, **INSTRUCTIONS[1])
        self.leave("end", ONE)
        self.leave("exit() in a fork", ONE)

    def test_several_networks(self):
        for instructions in INSTRUCTIONS:
            self.leave("exit() in a thread", THREE, **instructions)

    def test_each_way_of_inference(self):
        for properties in ("mode=single-image", "look-ahead=1 multiple-objects=true classify=true"):
            self.leave("exit()", f"{DETECT} {properties} ! fakesink", **INSTRUCTIONS[1])

    def test_while_it_starts(self):
        # An empty cache: compiling takes its time, and is waited for or left alone. Whatever libraries that needs are loaded before the
        # pipeline plays: exit() destroys at once what of a library is there while the rest is still being loaded.
        for pause in range(0, 30, 4):
            with tempfile.TemporaryDirectory() as folder:
                self.leave("at once", ONE, XDG_CACHE_HOME=folder, PAUSE=str(pause / 1000))


if __name__ == "__main__":
    unittest.main()
