"""Programs that exit at any moment, in any way, while a pipeline plays."""
import concurrent.futures
import signal
import subprocess
import time

import program
from stress_test import need_network, require, stress_test

PATIENCE = 60

PLAY = """
import ctypes, gi, sys, threading, time
gi.require_version("Gst", "1.0")
from gi.repository import Gst
Gst.init(None)
def play(description):
    # Keeps a reference for ever, because GStreamer cannot free a playing pipeline.
    pipeline = Gst.parse_launch(description)
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(pipeline))
    pipeline.set_state(Gst.State.PLAYING)
    return pipeline
pipelines = [play(sys.argv[1]) for _ in range(int(sys.argv[3]))]
time.sleep(float(sys.argv[2]))\n"""

# Ways to exit, with their exit codes.
WAYS = {
    "end of the script": ("", 0),
    "sys.exit": ("sys.exit(3)", 3),
    "an exception": ("raise ValueError('of no use')", 1),
    "an exception in a thread": ("thread = threading.Thread(target=lambda: 1 / 0)\nthread.start()\nthread.join()", 0),
    "libc's exit": ("ctypes.CDLL(None).exit(4)", 4),
    "libc's exit in a thread": ("threading.Thread(target=lambda: ctypes.CDLL(None).exit(5)).start()\ntime.sleep(20)", 5),
    "one stopped, others not": ("pipelines[0].set_state(Gst.State.NULL)", 0),
}

KINDS = ["detector=neural", "detector=neural look-ahead=1", "detector=neural classify=true multiple-objects=true",
         "detector=neural strategy=keep-only-latest", "detector=salient", "detector=motion", "detector=motion classify=true"]


def end(way, kind, moment, count, live):
    script, expected = WAYS[way]
    done = program.python(PLAY + script, f"videotestsrc is-live={live} ! video/x-raw,width=320,height=240 ! swiftodt {kind} ! fakesink",
                          str(moment), str(count), seconds=60)
    require(done.returncode == expected, f"{way}, {count} x {kind}, after {moment:.2f} s: {program.ended(done.returncode)}"
            f" in place of {expected}: {program.said(done)}")


@stress_test(seconds=150, weight=18)
def exiting(trial):
    """Programs that exit in each way while networks run."""
    need_network()
    choose = trial.random
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        ends = [pool.submit(end, way, choose.choice(KINDS), choose.choice([0, choose.random() * 0.5, choose.random() * 3]),
                            choose.choice([1, 1, 2]), choose.choice(["true", "false"])) for way in WAYS]
        # Late enough that the networks are already running.
        ends.append(pool.submit(end, "end of the script", "detector=neural", 2.5, 1, "false"))
        for one in ends:
            one.result()


@stress_test(seconds=120, weight=8)
def signalled(trial):
    """Interrupts gst-launch-1.0 at any moment."""
    need_network()
    choose = trial.random
    for kind in choose.sample(KINDS, 4):
        process = subprocess.Popen(
            ["gst-launch-1.0", *f"videotestsrc is-live=true ! video/x-raw,width=320,height=240 ! swiftodt {kind} ! fakesink".split()],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        time.sleep(0.3 + choose.random() * 2)
        process.send_signal(signal.SIGINT)
        try:
            _, text = process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            program.print_stacks(process.pid)
            process.kill()
            process.communicate()
            require(False, f"still running {PATIENCE} s after an interrupt, with {kind}")
        # Before gst-launch-1.0 has installed its handler, the signal kills it.
        require(process.returncode in (0, 1, -signal.SIGINT), f"{kind}: {program.ended(process.returncode)}: {text[-500:]}")


@stress_test(seconds=90, weight=5)
def forking(trial):
    """A program forks while a network runs, and both processes exit with their own codes."""
    need_network()
    done = program.python(PLAY + "import os\nchild = os.fork()\nif child == 0:\n    os._exit(7)\n"
                          "code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])\nsys.exit(code)",
                          "videotestsrc ! swiftodt detector=neural ! fakesink", f"{trial.random.random() * 2:.2f}", "1")
    require(done.returncode == 7, f"{program.ended(done.returncode)}: {program.said(done)}")
