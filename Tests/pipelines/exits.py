"""A program that exits in several ways while its pipeline plays. Used by test_process_exit and Tests/Benchmarks/exits/run."""
import os
import subprocess
import sys

PROGRAM = """
import ctypes, importlib, os, sys, threading, time
how, text = sys.argv[1:]
early = os.environ.get("IMPORT")
if early:
    importlib.import_module(early)
import gi
gi.require_version("Gst", "1.0")
from gi.repository import Gst
Gst.init(None)
pipeline = Gst.parse_launch(text)
# Keeps a reference, because GStreamer cannot free a playing pipeline.
ctypes.pythonapi.Py_IncRef(ctypes.py_object(pipeline))
if how == "exit() while it starts":
    # Calls exit() in another thread before the pipeline has started.
    threading.Thread(target=lambda: (time.sleep(float(os.environ["PAUSE"])), ctypes.CDLL(None).exit(7))).start()
pipeline.set_state(Gst.State.PLAYING)
seen = set()
# Waits until every element has posted a result. With "at once" the program exits before.
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
if how != "end":
    time.sleep(60)\n"""
STATUS = {"end": 0, "exception": 1, "sys.exit": 3, "exit()": 7, "exit() in a thread": 7, "exit() in a fork": 7, "at once": 7,
          "exit() while it starts": 7}
# The runtime's default instruction set, and one without bfloat16, for which it generates other code.
INSTRUCTIONS = ({}, {"ONEDNN_MAX_CPU_ISA": "AVX512_CORE"})


def run(how, pipeline, **environment):
    """Returns the finished process, whose exit code should be STATUS[how]."""
    return subprocess.run([sys.executable, "-c", PROGRAM, how, pipeline], env={**os.environ, **environment},
                          capture_output=True, text=True, timeout=60)
