"""The errors of a fleet. Each takes one text as argument, so that Ray can pass it between machines."""

from __future__ import annotations

import errno


class BadFile(Exception):
    """The file cannot be analysed. It is set aside until it changes."""


class Unreachable(Exception):
    """The file could not be read from its source. It is set aside until the next run."""


class Crash(Exception):
    """A signal ended odt. The file may be the cause, so the task is retried a few times."""


class RunError(Exception):
    """Results cannot be written, or a machine cannot process any video. The run ends; the same command resumes it."""


def is_disk_full(error: Exception) -> bool:
    return isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class Usage(Exception):
    """The command line or a setting is invalid."""


class WorkerLost(Exception):
    """The worker process of a task is gone."""


class Cancelled(Exception):
    """The task was cancelled before it started."""
