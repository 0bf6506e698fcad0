"""Shows the progress in one line on a terminal. Prints nothing if standard error is not a terminal."""

from __future__ import annotations

import os
import sys
import time

from .schedule import Totals


class Progress:
    def __init__(self, count: int | None) -> None:
        """:param count: the number of files, or None if no terminal shows the progress."""
        self.count = count
        self.began = time.monotonic()
        self.shown = 0.0
        self.is_on_screen = False

    @staticmethod
    def is_watched() -> bool:
        return sys.stderr.isatty() and os.environ.get("TERM", "dumb") != "dumb"

    def show(self, totals: Totals) -> None:
        now = time.monotonic()
        if self.count is None or now - self.shown < 0.25:
            return
        self.shown, self.is_on_screen = now, True
        sys.stderr.write("\r\x1b[K" + self.line(totals, now - self.began))
        sys.stderr.flush()

    def line(self, totals: Totals, spent: float) -> str:
        gone = totals.done + totals.set_aside + totals.already
        new = totals.done + totals.set_aside
        words = [f"{gone} of {self.count} files", f"{totals.seconds / 3600:.1f} hours of video"]
        if totals.seconds:
            words.append(f"{totals.seconds / spent:.0f} times real time")
        if new and self.count:
            words.append(f"{clock((self.count - gone) * spent / new)} left")
        if totals.set_aside:
            words.append(f"{totals.set_aside} set aside")
        return ", ".join(words)

    def clear(self) -> None:
        """Removes the line from the terminal."""
        if self.is_on_screen:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
            self.is_on_screen = False

    def say(self, sentence: str) -> None:
        """Prints a line and keeps it on the terminal."""
        self.clear()
        print(f"fleet: {sentence}", file=sys.stderr, flush=True)


def summary(totals: Totals, storage: str, spent: float) -> str:
    """Returns the line that is printed at the end of a run."""
    counts = [f"{totals.done} video{'' if totals.done == 1 else 's'}, {totals.seconds / 3600:.2f} h of video"]
    if already := totals.already:
        counts.append(f"{already} from earlier runs")
    if totals.set_aside:
        counts.append(f"{totals.set_aside} set aside")
    return f"wrote {storage.rstrip('/')}/index.html: {', '.join(counts)}, {spent:.1f} s"


def clock(seconds: float) -> str:
    whole = max(0, int(seconds))
    return f"{whole // 3600}:{whole // 60 % 60:02}:{whole % 60:02}"
