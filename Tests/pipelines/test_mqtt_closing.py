"""`odt watch --mqtt` delivers each event to a broker that closes connections at any moment."""
import json
import os
import unittest

from brokers import ClosingBroker
from test_store import Storing


class ClosedConnections(Storing):

    def check(self, moment, times=1):
        """Watches a short video with many events, and compares the broker's messages with those on standard output."""
        for name in self.names():
            os.remove(self.path(name))
        with ClosingBroker(moment, times) as broker:
            complaints = self.replay(30, f"--mqtt=mqtt://{broker.address}/house", "--mqtt-discovery=off", lanes=9,
                                     meanwhile=lambda: self.let(broker))
        with open(self.path("lines.jsonl"), encoding="utf-8") as file:
            lines = [json.loads(line) for line in file]
        for kind in ("zone", "track"):
            expected = [line for line in lines if line["message"] == f"swiftodt-{kind}"]
            # An event whose acknowledgement was lost arrives twice.
            texts = list(dict.fromkeys(text for topic, text in broker.published if topic == f"house/yard/{kind}"))
            self.assertEqual([json.loads(text) for text in texts], expected, kind)
            self.assertGreater(len(expected), 40)
        self.assertNotIn("not delivered", complaints)
        self.assertNotIn("dropped", complaints)
        # With one client id, the broker publishes the will of a lost connection before the state of the next one.
        self.assertEqual(len(set(broker.clients)), 1)
        self.assertEqual(broker.farewells, 1)

    def let(self, broker):
        """Makes the broker answer when many events are queued."""
        if not broker.ready.is_set() and os.path.exists(self.path("lines.jsonl")):
            with open(self.path("lines.jsonl"), encoding="utf-8") as file:
                if sum('"swiftodt-zone"' in line for line in file) > 60:
                    broker.ready.set()

    def test_no_event_is_lost_at_any_moment_of_closing(self):
        moments = ["accept", "connect", "connack", "reset", ("publish", 1), ("publish", 5), ("publish", 20), ("ack", 1), ("ack", 7),
                   ("ack", 30), *(("bytes", count) for count in (1, 2, 3, 100, 600, 4_000))]
        for moment in moments:
            with self.subTest(moment):
                self.check(moment)

    def test_end_with_undelivered_events_sends_no_disconnect_message(self):
        """After a disconnect message, the broker would not publish the will, and the watch would stay online."""
        with ClosingBroker(("mute", 0)) as broker:
            broker.ready.set()
            complaints = self.replay(10, f"--mqtt=mqtt://{broker.address}/house", "--mqtt-discovery=off")
        self.assertIn("not delivered", complaints)
        self.assertEqual(broker.farewells, 0)

    def test_no_event_is_lost_when_every_connection_is_closed_until_the_end(self):
        """The watch ends before the broker keeps a connection open."""
        for moment in ("connack", "reset", ("publish", 3), ("ack", 10)):
            with self.subTest(moment):
                self.check(moment, times=4)


if __name__ == "__main__":
    unittest.main()
