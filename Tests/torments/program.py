"""Programs of their own that a torment starts, and how they ended."""
import os
import signal
import subprocess
import sys

from torment import ROOT, SLOWNESS, Finding


def ended(code):
    """How a process ended, in words."""
    return f"ended by {signal.Signals(-code).name}" if code < 0 else f"ended with {code}"


def run(words, seconds=60, **environment):
    """Runs a program to its end; one that hangs is a finding."""
    seconds *= SLOWNESS
    own = {name: value for name, value in (os.environ | environment).items() if value is not None}
    try:
        done = subprocess.run(words, capture_output=True, text=True, errors="replace", timeout=seconds, env=own, check=False,
                              stdin=subprocess.DEVNULL, cwd=ROOT)
    except subprocess.TimeoutExpired as hang:
        # The script of a Python program would say little; what it said last says more.
        names = " ".join(word for word in words if "\n" not in word)
        heard = (hang.stdout or b"").decode(errors="replace").strip().splitlines()[-2:]
        raise Finding(f"still running after {seconds} s: {names[:500]}: {' | '.join(heard)}") from hang
    return done


def python(script, *arguments, seconds=60, **environment):
    return run([sys.executable, "-c", script, *arguments], seconds, **environment)


def launch(description, *options, seconds=60, **environment):
    return run(["gst-launch-1.0", *options, *description.split()], seconds, **environment)


def said(done, lines=6):
    """The end of what a program said."""
    text = (done.stdout or "") + (done.stderr or "")
    return " | ".join(text.strip().splitlines()[-lines:])[-1500:]
