"""Everything that journals of one camera have to tell, told."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

from ..errors import PlaceFull
from ..place import Place
from .collector import Collector
from .delivery import Delivery
from .journal import Journal
from .lines import give_back
from .mqtt import Broker
from .table import EventTable

# Room of events that have been told goes back in such steps; the last of them stay, for whoever comes next to see where they end.
STEP, MARGIN = 4 << 20, 1 << 16


@dataclass(frozen=True)
class Destinations:
    """Where events go."""

    place: str
    # A folder of this machine's, or one that several share.
    journals: Path
    broker: Broker | None = None
    # Seconds between two writings of a table that grows.
    every: float = 60.0
    # Seconds between attempts to reach the broker, at most.
    retry: float = 60.0


class Export:
    """One journal's way to the table and to the broker."""

    def __init__(self, journal: Journal, destinations: Destinations) -> None:
        self.journal = journal
        self.collector = Collector(journal)
        self.table = EventTable(journal, Place(destinations.place), destinations.every)
        self.delivery = Delivery(journal, destinations.broker, destinations.retry) if destinations.broker else None
        self._given_back = 0

    def pump(self, is_last: bool = False) -> None:
        """Collects and tables what is there; the broker's turn is `delivery`'s own.

        is_last: this reader is about to go.
        """
        while self.collector.pump():
            pass
        self.table.pump(is_last or self.collector.is_done)
        told = min(self.table.offset, self.delivery.offset if self.delivery else self.table.offset) - MARGIN
        if told - self._given_back >= STEP:
            give_back(self.journal.events, told)
            self._given_back = told

    @property
    def is_told(self) -> bool:
        """Whether all has been told that there is now."""
        return self.table.is_done and (self.delivery is None or self.delivery.is_done)

    def close(self) -> None:
        """Leaves the journal to whoever comes next."""
        if self.delivery:
            self.delivery.leave()
        self.collector.close()
        self.journal.release()

    def finish(self) -> bool:
        """Takes the journal away, if it is over and has been told. Says whether it did."""
        if not (self.collector.is_done and self.is_told) or (self.delivery and not self.delivery.forget()):
            return False
        self.collector.close()
        self.journal.discard()
        return True


class Exports:
    """Those of one camera, in their order. They belong to one thread."""

    def __init__(self, destinations: Destinations, camera: str) -> None:
        self._destinations, self._camera = destinations, camera
        self.exports: list[Export] = []
        self.problem: str | None = None
        # Whether somebody else is still at an older journal: then the broker waits for that, so that the order is kept.
        self._is_preceded = False

    def add(self, journal: Journal) -> Export:
        """One whose lock is held."""
        export = Export(journal, self._destinations)
        self.exports.append(export)
        self.exports.sort(key=lambda export: export.journal.run)
        return export

    def adopt(self) -> None:
        """Takes over what was left by others who are dead."""
        known = {export.journal.path for export in self.exports}
        others = []
        for path in Journal.left_by_others(self._destinations.journals, self._camera):
            if path in known:
                continue
            if (journal := Journal.adopt(path)) is not None:
                self.add(journal)
            elif path.exists():
                others.append(path.name)
        self._is_preceded = bool(others and self.exports) and min(others) < self.exports[-1].journal.run

    def pump(self, patience: float, is_last: bool = False) -> None:
        """Tells what there is; waits a little for the broker."""
        begun = time.monotonic()
        full = None
        try:
            for export in self.exports:
                try:
                    export.pump(is_last)
                except PlaceFull as error:
                    # Or away: what has not been told waits in the journal, and the broker is told all the same.
                    full = str(error)
            # To the broker the older goes first.
            waiting = [] if self._is_preceded else [export for export in self.exports if export.delivery]
            for export in waiting:
                assert export.delivery
                is_newest = export is self.exports[-1]
                export.delivery.pump(patience if is_newest else 0.0, export.collector.newest if is_newest else None)
                if not export.collector.is_done or not export.delivery.is_done:
                    break
            self.exports = [export for export in self.exports if not export.finish()]
            self.problem = full or next((export.delivery.problem for export in waiting if export.delivery and export.delivery.problem), None)
        except OSError as error:
            self.problem = f"{error.filename}: {error.strerror or error}"
        time.sleep(max(0.0, patience - (time.monotonic() - begun)))

    @property
    def is_told(self) -> bool:
        """Whether everything is."""
        return all(export.collector.is_done and export.is_told for export in self.exports)

    def close(self) -> None:
        """Leaves all journals to whoever comes next."""
        for export in self.exports:
            export.close()
        self.exports = []
