"""A camera's place in the fleet."""

from __future__ import annotations

import time
from typing import Any

from .backoff import BackOff
from .worker import CameraWatch, Order


class Post:
    """Has a Ray actor watch a camera, wherever there is room, and another one where that dies. It never waits for one."""

    def __init__(self, ray: Any, order: Order, cpus: float, longest_pause: float = 60.0) -> None:
        self._ray, self.order = ray, order
        kind: Any = ray.remote(CameraWatch)
        self._kind = kind.options(num_cpus=cpus, max_restarts=0, max_concurrency=2, scheduling_strategy="SPREAD")
        self._back_off = BackOff(longest_pause)
        self._actor: Any = None
        self._answer: Any = None
        self._ending: Any = None
        self._begun = self._due = 0.0
        # How many workers there have been.
        self.workers = 0
        self.status: dict[str, Any] = {"state": "waiting", "reason": "no machine has room for it yet", "since": time.time()}

    def attend(self) -> list[str]:
        """Does what is due; the worker's complaints since the last time."""
        if self._actor is None:
            if time.monotonic() >= self._due and self._ending is None:
                self._begin()
            return []
        if not self._ray.wait([self._answer], timeout=0)[0]:
            return []
        try:
            status = self._ray.get(self._answer)
        except self._ray.exceptions.RayError as error:
            return [self._lose(error)]
        self._answer = self._actor.status.remote()
        complaints: list[str] = status.pop("complaints")
        self.status = status
        return complaints

    def end(self) -> None:
        """Asks the worker to come to an end."""
        if self._actor is not None and self._ending is None:
            self._ending = self._actor.stop.remote()

    @property
    def is_over(self) -> bool:
        """Whether it has, or is dead anyway."""
        if self._actor is None:
            return True
        if self._ending is None or not self._ray.wait([self._ending], timeout=0)[0]:
            return False
        self._ray.kill(self._actor)
        self._actor = None
        return True

    def _begin(self) -> None:
        self._begun = time.monotonic()
        self._actor = self._kind.remote(self.order)
        self._answer = self._actor.status.remote()
        self.workers += 1

    def _lose(self, error: Exception) -> str:
        self._actor = None
        pause = self._back_off.next(time.monotonic() - self._begun)
        self._due = time.monotonic() + pause
        reason = f"its worker died; there is another one in {pause:g} s"
        self.status = {"state": "restarting", "reason": reason, "since": time.time(), "event": self.status.get("event")}
        return f"{reason} ({str(error).splitlines()[0]})"
