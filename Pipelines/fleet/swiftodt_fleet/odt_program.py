"""Runs odt, from this checkout or as installed."""

from __future__ import annotations

import ctypes
import os
import shutil
import signal
import socket
import subprocess
from pathlib import Path

from .errors import BadFile, Crash, RunError, Unreachable, Usage

ROOT = Path(__file__).resolve().parents[3]
PR_SET_PDEATHSIG = 1
# The maximum length in characters of odt's error text in messages.
LONGEST = 2000
# The exit codes of odt (docs/cli.md) that do not concern the content of the video.
USAGE, MACHINE, INPUT = 2, 3, 4


def odt(*words: str) -> str:
    """Runs odt and returns its standard output.

    :raises BadFile: if odt fails; Crash, Usage, RunError and Unreachable in the cases that they name.
    """
    program, environment = where()
    done = subprocess.run([program, *words], env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace",
                          preexec_fn=end_with_parent)
    if done.returncode == 0:
        return done.stdout
    said = "; ".join(filter(None, map(str.strip, done.stderr.splitlines())))[-LONGEST:]
    if done.returncode < 0:
        raise Crash(f"odt {words[0]} was ended by signal {-done.returncode} ({signal.strsignal(-done.returncode)})" + (f": {said}" if said else ""))
    if done.returncode == USAGE:
        raise Usage(said)
    if done.returncode == MACHINE:
        raise RunError(f"{socket.gethostname()} cannot process videos: {said}")
    if done.returncode == INPUT:
        raise Unreachable(said)
    raise BadFile(said or f"odt {words[0]} ended with {done.returncode}")


def where() -> tuple[str, dict[str, str]]:
    environment = dict(os.environ)
    if named := environment.get("SWIFTODT_ODT"):
        return named, environment
    built = ROOT / ".build" / "tool" / "odt"
    if built.exists():
        plugins = [str(ROOT / ".build" / "plugin"), environment.get("GST_PLUGIN_PATH", "")]
        environment["GST_PLUGIN_PATH"] = ":".join(filter(None, plugins))
        return str(built), environment
    installed = shutil.which("odt")
    if installed is None:
        raise RunError("there is no odt on this machine; run Pipelines/setup or install the packages of docs/install.md")
    return installed, environment


def end_with_parent() -> None:
    """Makes the kernel kill this process when its parent worker dies."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
