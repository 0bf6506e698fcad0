"""Runs a program that dies with the process that started it, whatever kills that.

Usage: leash.py PARENT PROGRAM [ARGUMENT ...]
"""

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1


def main(words: list[str]) -> None:
    """Becomes the program."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    # It may have died before it could be asked to tell.
    if os.getppid() != int(words[0]):
        sys.exit(1)
    os.execvp(words[1], words[1:])


if __name__ == "__main__":
    main(sys.argv[1:])
