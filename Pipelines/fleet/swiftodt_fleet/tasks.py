"""Functions as Ray's tasks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .errors import Cancelled, WorkerLost


class Tasks:
    """Hands functions to whatever machine is free, a core for each, and tells what became of them. Nothing is tried again here."""

    def __init__(self, ray: Any) -> None:
        self.ray = ray
        self.remote: dict[Callable[..., Any], Any] = {}

    @property
    def cores(self) -> int:
        """Of all machines now."""
        return max(1, int(self.ray.cluster_resources().get("CPU", 1)))

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Any:
        if function not in self.remote:
            self.remote[function] = self.ray.remote(num_cpus=1, max_retries=0)(function)
        return self.remote[function].remote(*arguments)

    def first_done(self, handles: list[Any], patience: float) -> list[Any]:
        """Those that have ended; none where none does so in time."""
        return list(self.ray.wait(handles, num_returns=1, timeout=patience)[0])

    def cancel(self, handle: Any) -> None:
        self.ray.cancel(handle, force=False)

    def result(self, handle: Any) -> Any:
        """What the function returned, or what it raised."""
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
            raise WorkerLost("the worker that had it took more memory than its machine has") from error
        except errors.RayError as error:
            raise WorkerLost(f"the worker that had it ended ({type(error).__name__})") from error
