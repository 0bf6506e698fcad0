"""The errors of a fleet. Each takes one text as argument, so that Ray can pass it between machines."""

from __future__ import annotations

import errno


class FleetError(Exception):
    def __init__(self, text: str = "") -> None:
        # Ray cannot encode names that are not UTF-8.
        super().__init__(text.encode("utf-8", "backslashreplace").decode())


class BadFile(FleetError):
    """The file cannot be analysed. It is set aside until it changes."""


class Unreachable(FleetError):
    """The file could not be read from its source. It is set aside until the next run."""


class Crash(FleetError):
    """A signal ended odt. The file may be the cause, so the task is retried a few times."""


class RunError(FleetError):
    """Results cannot be written, or a machine cannot process any video. The run ends; the same command resumes it."""


def is_disk_full(error: Exception) -> bool:
    return isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class Usage(FleetError):
    """The command line or a setting is invalid."""


class WorkerLost(FleetError):
    """The worker process of a task is gone."""


class Cancelled(FleetError):
    """The task was cancelled before it started."""
