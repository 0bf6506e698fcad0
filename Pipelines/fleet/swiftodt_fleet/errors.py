"""What can go wrong with a file, and with where things are put. Each has one sentence, so that it passes from machine to machine."""

from __future__ import annotations


class BadFile(Exception):
    """A file that cannot be analysed: it is set aside until it changes."""


class Unreachable(Exception):
    """A file that could not be had: it is set aside, and the next run tries again."""


class Crash(Exception):
    """A program that was ended by a signal, which may be the file's doing and may not."""


class StorageFull(Exception):
    """Results cannot be written. That is no file's fault: the run ends, and the same command goes on."""


class Usage(Exception):
    """What was asked for cannot be meant."""


class WorkerLost(Exception):
    """The worker that was at a task is gone."""


class Cancelled(Exception):
    """A task that was not begun, because nobody wants its result any more."""
