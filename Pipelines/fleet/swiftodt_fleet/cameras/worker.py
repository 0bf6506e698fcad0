"""One camera, watched for as long as it is asked for."""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import deque
from dataclasses import dataclass
from typing import Any

from ..errors import PlaceFull
from ..tool import where
from . import leash
from .backoff import BackOff
from .configuration import CameraOrder
from .export import Destinations, Exports
from .journal import Journal, sweep
from .progress import write_whole

# How odt ends: a file has been seen, something went wrong, what is asked for cannot be meant.
SEEN, FAILED, REFUSED = 0, 1, 2


@dataclass(frozen=True)
class Order:
    """What a worker is to do."""

    camera: CameraOrder
    destinations: Destinations
    # Where each camera's own page is to be had, on a port that is free.
    live: str | None = None
    # Seconds between two attempts to start odt, at most.
    retry: float = 60.0


class CameraWatch:
    """Starts `odt watch`, starts it again where it died, and tells what it says. This is what runs under a Ray actor.

    One thread looks after odt, which dies with it; another reads the journals and tells. None waits for the other.
    """

    # Seconds for odt, and for broker and tables, to come to an end.
    PATIENCE = 10.0
    TICK = 0.1
    # Seconds over which pictures are counted.
    WINDOW = 5.0

    def __init__(self, order: Order) -> None:
        self._order = order
        self._stopping = threading.Event()
        self._journals: queue.SimpleQueue[Journal] = queue.SimpleQueue()
        self._exports = Exports(order.destinations, order.camera.name)
        self._complaints: deque[str] = deque(maxlen=100)
        # What odt said first, which says why it refuses, if it does.
        self._refusal: str | None = None
        self._counts: deque[tuple[float, int]] = deque([(time.monotonic(), 0)])
        self._counted: Any = None
        self._status: dict[str, Any] = {
            "state": "starting", "reason": None, "since": time.time(), "starts": 0, "rate": None, "event": None, "live": None,
            "problem": None, "worker": os.getpid(), "node": socket.gethostname(), "pid": None,
        }  # fmt: skip
        sweep(order.destinations.journals, order.camera.name)
        self._keeper = threading.Thread(target=self._keep, daemon=True)
        self._teller = threading.Thread(target=self._tell, daemon=True)
        self._keeper.start()
        self._teller.start()

    def status(self) -> dict[str, Any]:
        """How it is, for the page; with what was complained about since the last time."""
        complaints = []
        with contextlib.suppress(IndexError):
            while True:
                complaints.append(self._complaints.popleft())
        return self._status | {"complaints": complaints, "is_over": not self._teller.is_alive()}

    def stop(self) -> None:
        """Ends odt as Ctrl-C does, tells what there is, and leaves the rest in the journal. Returns when that is done."""
        self._stopping.set()
        self._teller.join(3 * self.PATIENCE)

    # The thread that looks after odt.

    def _keep(self) -> None:
        back_off = BackOff(self._order.retry)
        while not self._stopping.is_set():
            begun = time.monotonic()
            try:
                code = self._watch()
                reason = f"its watch {_ending(code)}"
            except OSError as error:
                code, reason = FAILED, f"{error.filename}: {error.strerror or error}"
            except PlaceFull as error:
                code, reason = FAILED, str(error)
            except Exception as error:
                # Whatever it is: nobody else begins this camera's odt again.
                code, reason = FAILED, f"{type(error).__name__}: {error}"
            if self._stopping.is_set() or code in (SEEN, REFUSED):
                self._turn(*("refused", self._refusal) if code == REFUSED else ("ended", None))
                return
            pause = back_off.next(time.monotonic() - begun)
            self._turn("restarting", f"{reason}; it is started again in {pause:g} s")
            self._complaints.append(str(self._status["reason"]))
            self._stopping.wait(pause)

    def _watch(self) -> int:
        odt, environment = where()
        journal = Journal.begin(self._order.destinations.journals, self._order.camera.name)
        configuration = journal.path / "watch.conf"
        words = [odt, "watch", "--config", str(configuration), "--json", str(journal.lines)]
        if self._order.live:
            words += ["--page", f"{self._order.live}:0"]
        try:
            # Addresses have passwords in them.
            write_whole(configuration, self._order.camera.text.encode(), mode=0o600)
            child = subprocess.Popen(
                [sys.executable, "-I", "-S", leash.__file__, str(os.getpid()), *words], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE, text=True, errors="replace", pass_fds=[journal.lock], env=environment, start_new_session=True,
            )  # fmt: skip
        except OSError:
            journal.discard()
            raise
        self._journals.put(journal)
        self._refusal = None
        self._status |= {"starts": self._status["starts"] + 1, "pid": child.pid, "live": None}
        self._turn("connecting", None)
        listener = threading.Thread(target=self._listen, args=[child, str(configuration)], daemon=True)
        listener.start()
        code = self._wait(child)
        listener.join(1)
        self._status["pid"] = None
        journal.close(f"its watch {_ending(code)}")
        # What ends well, but was not at an end, somebody has ended.
        return SEEN if code == 0 and journal.last_word == "the video is over" else code or FAILED

    def _wait(self, child: subprocess.Popen[str]) -> int:
        end = None
        while True:
            with contextlib.suppress(subprocess.TimeoutExpired):
                return child.wait(self.TICK)
            if self._stopping.is_set() and end is None:
                child.send_signal(signal.SIGTERM)
                end = time.monotonic() + self.PATIENCE
            elif end is not None and time.monotonic() > end:
                child.kill()

    def _listen(self, child: subprocess.Popen[str], configuration: str) -> None:
        assert child.stderr
        with child.stderr:
            for line in child.stderr:
                text = line.strip().removeprefix("odt watch: ").removeprefix(f"{self._order.camera.name}: ")
                text = text.replace(configuration, self._order.camera.file)
                if text.startswith("the page is at "):
                    self._status["live"] = text.split()[4]
                elif text:
                    self._refusal = self._refusal or text
                    self._complaints.append(text)

    def _turn(self, state: str, reason: str | None) -> None:
        if (state, reason) != (self._status["state"], self._status["reason"]):
            self._status |= {"state": state, "reason": reason, "since": time.time()}

    # The thread that tells.

    def _tell(self) -> None:
        adopted, end = 0.0, None
        while True:
            # Before the journals are looked for: what it puts there last is not missed.
            is_last = not self._keeper.is_alive()
            try:
                while not self._journals.empty():
                    self._exports.add(self._journals.get())
                    adopted = 0.0
                if time.monotonic() - adopted > 2:
                    adopted = time.monotonic()
                    self._exports.adopt()
                self._exports.pump(self.TICK, is_last)
                self._look()
            except Exception as error:
                # Whatever it is: nobody else tells what this camera says.
                self._status["problem"] = f"{type(error).__name__}: {error}"
                time.sleep(1)
            if is_last and self._stopping.is_set():
                end = end or time.monotonic() + self.PATIENCE
                if self._exports.is_told or time.monotonic() > end:
                    self._exports.close()
                    return

    def _look(self) -> None:
        """What the page shows of what was said."""
        self._status["problem"] = self._exports.problem
        if not self._exports.exports:
            return
        collector = self._exports.exports[-1].collector
        now = time.monotonic()
        if collector is not self._counted:
            self._counted = collector
            self._counts.clear()
        self._counts.append((now, collector.pictures))
        while now - self._counts[0][0] > self.WINDOW:
            self._counts.popleft()
        (begun, before), (_, count) = self._counts[0], self._counts[-1]
        self._status["rate"] = (count - before) / (now - begun) if now > begun else None
        if collector.last_event:
            self._status["event"] = collector.last_event
        camera = collector.last_camera_event
        if camera and self._status["state"] in ("connecting", "connected", "lost") and camera["event"] != "ended":
            self._turn(camera["event"], camera.get("reason"))


def _ending(code: int) -> str:
    if code >= 0:
        return f"ended with {code}"
    return f"was killed by signal {-code} ({signal.strsignal(-code)})"
