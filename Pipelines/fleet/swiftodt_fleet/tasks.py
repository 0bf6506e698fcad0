"""Runs functions as tasks of Ray."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .errors import Cancelled, WorkerLost


class Tasks:
    """Runs functions on any free core of the cluster, one core each. Does not retry."""

    def __init__(self, ray: Any) -> None:
        self.ray = ray
        self.remote: dict[Callable[..., Any], Any] = {}

    @property
    def cores(self) -> int:
        """The number of cores of all machines, at least 1."""
        return max(1, int(self.ray.cluster_resources().get("CPU", 1)))

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Any:
        if function not in self.remote:
            self.remote[function] = self.ray.remote(num_cpus=1, max_retries=0)(function)
        return self.remote[function].remote(*arguments)

    def first_done(self, handles: list[Any], patience: float) -> list[Any]:
        """Returns the tasks that have ended, or an empty list if none ends in time."""
        return list(self.ray.wait(handles, num_returns=1, timeout=patience)[0])

    def cancel(self, handle: Any) -> None:
        self.ray.cancel(handle, force=False)

    def result(self, handle: Any) -> Any:
        """Returns the function's result, or raises its exception."""
        errors = self.ray.exceptions
        try:
            return self.ray.get(handle)
        except errors.RayTaskError as error:
            if isinstance(error.cause, errors.TaskCancelledError):
                raise Cancelled() from None
            raise error.cause from None
        except errors.TaskCancelledError:
            raise Cancelled() from None
        except errors.OutOfMemoryError as error:
            raise WorkerLost("the worker exceeded the memory of its machine") from error
        except errors.RayError as error:
            raise WorkerLost(f"the worker process ended ({type(error).__name__})") from error
