"""Events to a broker, each exactly once."""

from __future__ import annotations

import hashlib
import json
import time
from collections import deque

from .backoff import BackOff
from .events import Event, events
from .journal import Journal
from .mqtt import PUBCOMP, PUBREC, Broker, BrokerError, Connection, level
from .progress import read_progress, write_progress
from .results import Results


class Delivery:
    """Publishes a journal's events in their order, with MQTT's quality 2.

    An event's number is its packet's, too, and the client's name is the journal's: the broker knows each by them, whoever publishes. That the
    broker has an event is on the disk here before it is told that it may forget the number. Whoever comes after a death therefore knows of each
    event: it has arrived, or to publish it again changes nothing. Only a broker that lost its own memory (one without persistence that
    was killed) may pass on some twice, those that were on their way: then the id tells.
    """

    WINDOW = 20
    # Numbers of packets: those of events, and those of what is retained besides.
    NUMBERS, OTHERS = 60_000, 5_000

    def __init__(self, journal: Journal, broker: Broker, longest_pause: float = 60.0) -> None:
        self.journal, self._broker = journal, broker
        self._topic = f"{broker.topic}/{level(journal.camera)}"
        self._client = "swiftodt" + hashlib.sha256(f"{journal.camera}/{journal.run}".encode()).hexdigest()[:14]
        self._saved = journal.path / "broker.json"
        saved = read_progress(self._saved)
        # Events before `completed` are over, the next of which begins at `offset`; those before `received` the broker has.
        self._completed, self._received, self.offset = (saved.get(name, 0) for name in ("completed", "received", "offset"))
        self._read = self.offset
        # Those that were published and are not over, and those that come next.
        self._sent: deque[Event] = deque()
        self._ahead: deque[Event] = deque()
        self._answered: dict[int, set[int]] = {PUBREC: set(), PUBCOMP: set()}
        # Those before this one may have been published by whoever died.
        self._again = 0
        self._other = 0
        # Whether the camera is connected, as was told last.
        self._state: bytes | None = None
        self._connection: Connection | None = None
        self._results = Results()
        self._longest_pause = longest_pause
        self._back_off = BackOff(longest_pause)
        self._due = 0.0
        # What is wrong with the broker, for people.
        self.problem: str | None = None

    def pump(self, patience: float, newest: bytes | None = None) -> None:
        """Publishes what is there, and hears what has arrived; waits for that a little.

        newest: the newest result, which may be told as well.
        """
        try:
            if self._connection is None and not self._connect():
                time.sleep(patience)
                return
            assert self._connection is not None
            self._publish(self._connection)
            for retained in self._results.messages(newest):
                self._tell(self._connection, retained.topic, retained.payload, retained.is_kept)
            self._hear(self._connection, patience)
        except BrokerError as error:
            self._lose(error)

    @property
    def is_done(self) -> bool:
        """Whether all events that are there have arrived."""
        return self._received == self._completed and not self._sent and not self._ahead and self._read == self._size

    def forget(self) -> bool:
        """The journal is over and told: the broker need not remember its client any more. Says whether that went well."""
        if self._connection is None and time.monotonic() < self._due:
            return False
        try:
            self.leave()
            Connection(self._broker, self._client, is_new=True).leave()
        except BrokerError as error:
            self._lose(error)
            return False
        return True

    def leave(self) -> None:
        """Closes the connection; what was on its way is taken up by whoever comes next."""
        if self._connection is not None:
            self._connection.leave()
            self._connection = None

    @property
    def _size(self) -> int:
        return self.journal.events.stat().st_size if self.journal.events.exists() else 0

    def _connect(self) -> bool:
        if time.monotonic() < self._due:
            return False
        connection = Connection(self._broker, self._client, is_new=False, will=(f"{self._topic}/state", b"offline"))
        self._connection, self.problem, self._back_off = connection, None, BackOff(self._longest_pause)
        self._results.forget()
        self._sent.clear()
        self._ahead.clear()
        for answered in self._answered.values():
            answered.clear()
        self._read = self.offset
        self._again = self._received + self.WINDOW if connection.is_continued else 0
        if connection.is_continued:
            for _ in range(self._completed, self._received):
                event = self._next()
                assert event is not None
                self._sent.append(event)
                connection.release(self._packet(event))
        else:
            self._received = self._completed
        if self._state is not None:
            # The broker may have told the will of the connection before.
            self._tell(connection, "state", self._state, True)
        return True

    def _lose(self, error: BrokerError) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None
        self.problem = str(error)
        self._due = time.monotonic() + self._back_off.next()

    def _next(self) -> Event | None:
        if not self._ahead:
            self._ahead.extend(events(self.journal, self._read))
        if not self._ahead:
            return None
        event = self._ahead.popleft()
        self._read = event.end
        return event

    def _publish(self, connection: Connection) -> None:
        while len(self._sent) < self.WINDOW and (event := self._next()) is not None:
            self._sent.append(event)
            payload = json.dumps(event.said, ensure_ascii=False).encode()
            connection.publish(f"{self._topic}/{event.kind}", payload, 2, self._packet(event), is_again=event.number < self._again)
            if event.kind == "camera":
                self._state = b"online" if event.said["event"] == "connected" else b"offline"
                self._tell(connection, "state", self._state, True)

    def _tell(self, connection: Connection, topic: str, payload: bytes, is_kept: bool) -> None:
        self._other = (self._other + 1) % self.OTHERS
        connection.publish(f"{self._topic}/{topic}", payload, int(is_kept), self.NUMBERS + 1 + self._other, is_kept)

    def _hear(self, connection: Connection, patience: float) -> None:
        numbers = {self._packet(event): event.number for event in self._sent}
        for kind, packet in connection.answers(patience):
            if kind in self._answered and packet in numbers:
                self._answered[kind].add(numbers[packet])
        received, completed = self._received, self._completed
        while self._received in self._answered[PUBREC]:
            self._answered[PUBREC].remove(self._received)
            self._received += 1
        while self._sent and self._completed in self._answered[PUBCOMP]:
            self._answered[PUBCOMP].remove(self._completed)
            self.offset = self._sent.popleft().end
            self._completed += 1
        if (received, completed) != (self._received, self._completed):
            write_progress(self._saved, completed=self._completed, received=self._received, offset=self.offset)
        for event in self._sent:
            if received <= event.number < self._received:
                connection.release(self._packet(event))

    def _packet(self, event: Event) -> int:
        return event.number % self.NUMBERS + 1
