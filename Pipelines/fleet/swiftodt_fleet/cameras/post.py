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
        self._is_ending = False
        self._begun = self._due = 0.0
        # Whether the worker is somewhere, and has answered.
        self._is_placed = False
        # How many workers there have been.
        self.workers = 0
        self.status: dict[str, Any] = {"state": "waiting", "reason": "its worker is on its way, or no machine has room", "since": time.time()}

    def attend(self) -> list[str]:
        """Does what is due; the worker's complaints since the last time."""
        if self._actor is None:
            if time.monotonic() >= self._due and not self._is_ending:
                self._begin()
            return []
        if not self._ray.wait([self._answer], timeout=0)[0]:
            return []
        try:
            status = self._ray.get(self._answer)
        except self._ray.exceptions.RayError as error:
            return [self._lose(error)]
        self._answer, self._is_placed = self._actor.status.remote(), True
        complaints: list[str] = status.pop("complaints")
        self.status = status
        return complaints

    def end(self) -> None:
        """Asks the worker to come to an end."""
        self._is_ending = True
        if self._actor is not None and self._ending is None:
            if self._is_placed:
                self._ending = self._actor.stop.remote()
            else:
                # It may wait for room for ever; and what it has said, if it has, is in its journal.
                self._kill()

    @property
    def is_over(self) -> bool:
        """Whether it has, or is dead anyway."""
        if self._actor is None:
            return True
        if self._ending is None or not self._ray.wait([self._ending], timeout=0)[0]:
            return False
        self._kill()
        return True

    def _kill(self) -> None:
        self._ray.kill(self._actor)
        self._actor = None

    def _begin(self) -> None:
        self._begun, self._is_placed = time.monotonic(), False
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
