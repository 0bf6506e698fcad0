"""Runs programs for stress tests and describes how they ended."""
import os
import shutil
import signal
import subprocess
import sys

from stress_test import ROOT, SLOWNESS, Finding


def ended(code):
    """Describes an exit code."""
    return f"ended by {signal.Signals(-code).name}" if code < 0 else f"ended with {code}"


def run(words, seconds=60, **environment):
    """Runs a program to its end. Raises Finding if it hangs."""
    seconds *= SLOWNESS
    own = {name: value for name, value in (os.environ | environment).items() if value is not None}
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace", env=own,
                               stdin=subprocess.DEVNULL, cwd=ROOT)
    try:
        output, complaints = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired as hang:
        print_stacks(process.pid)
        process.kill()
        process.communicate()
        # Names the command without the script of a Python program, and the program's last lines.
        names = " ".join(word for word in words if "\n" not in word)
        heard = (hang.stdout or b"").decode(errors="replace").strip().splitlines()[-2:]
        raise Finding(f"still running after {seconds} s: {names[:500]}: {' | '.join(heard)}") from hang
    return subprocess.CompletedProcess(words, process.returncode, output, complaints)


def print_stacks(pid):
    """Prints the stacks of a hanging process, if gdb is installed."""
    if shutil.which("gdb"):
        done = subprocess.run(["gdb", "-p", str(pid), "-batch", "-ex", "thread apply all bt 30"], stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, errors="replace", timeout=60, check=False)
        print(done.stdout, flush=True)


def python(script, *arguments, seconds=60, **environment):
    return run([sys.executable, "-c", script, *arguments], seconds, **environment)


def launch(description, *options, seconds=60, **environment):
    return run(["gst-launch-1.0", *options, *description.split()], seconds, **environment)


def said(done):
    """Returns the first lines of standard error, where a crash report begins, and the last lines of the output."""
    lines = [line for line in ((done.stdout or "") + "\n" + (done.stderr or "")).splitlines() if line.strip()]
    complaints = [line for line in (done.stderr or "").splitlines() if line.strip()]
    return " | ".join(complaints[:4] + ["..."] + lines[-4:])[:1500]
