"""What cameras said that are not watched any more."""

import threading
from pathlib import Path

from .export import Destinations, Exports


class Leftovers:
    """Tells what the journals of other cameras than these still have, in a thread of its own."""

    TICK = 2.0

    def __init__(self, destinations: Destinations, watched: set[str]) -> None:
        """
        watched: cameras that have somebody who looks after them.
        """
        self.destinations, self.watched = destinations, watched
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Leaves the rest to the next time."""
        self._stopping.set()
        self._thread.join(10)

    def _run(self) -> None:
        while not self._stopping.wait(self.TICK):
            for folder in self._folders():
                if folder.name in self.watched:
                    continue
                exports = Exports(self.destinations, folder.name)
                try:
                    exports.adopt()
                    while exports.exports and not exports.problem and not self._stopping.is_set():
                        exports.pump(0.1, is_last=True)
                except Exception:
                    # The next time, perhaps; others are not to wait for it.
                    continue
                finally:
                    exports.close()

    def _folders(self) -> list[Path]:
        journals = self.destinations.journals
        return [path for path in journals.iterdir() if path.is_dir()] if journals.is_dir() else []
