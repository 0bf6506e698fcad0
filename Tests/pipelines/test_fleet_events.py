"""Events of a camera come into its journal, and from there to the tables and the broker once each, whoever dies on the way."""
import contextlib
import json
import os
import random
import signal
import subprocess
import threading
import time
import unittest
from pathlib import Path

from brokers import Broker as BrokerProgram, Listener, needs_broker
from fleets import PYTHON, needs_fleet, rows as rows_of
from journals import Journals, line, result
from streams import ROOT, command
from swiftodt_fleet.cameras.collector import Collector
from swiftodt_fleet.cameras.journal import Journal, sweep
from swiftodt_fleet.cameras.lines import give_back


class Collecting(Journals):
    """Each line of odt's is read once, whatever tears."""

    def test_results_are_counted_and_events_kept(self):
        journal = self.begin()
        self.add(journal, result(1), line(1), result(2), line(2, "swiftodt-zone"), line(3)[:20])
        collector = Collector(journal)
        self.assertTrue(collector.pump())
        self.assertEqual((collector.pictures, [said["tracking-id"] for said in self.collected(journal)]), (2, [1, 2]))
        self.add(journal, line(3)[20:])
        collector.pump()
        self.assertEqual([said["id"] for said in self.collected(journal)], [f"gate/{journal.run}/{number}" for number in range(3)])
        self.assertFalse(collector.is_done)
        journal.close("")
        collector.pump()
        self.assertTrue(collector.is_done)

    def test_a_collector_that_died_is_followed(self):
        """In the middle of a line of its own, too, and after room was given back."""
        journal = self.begin()
        Collector(journal)
        for number in range(40):
            self.add(journal, line(number), *(result(number) for _ in range(300)))
            follower = Collector(journal)
            follower.pump()
            with journal.events.open("ab") as file:
                file.write(b'{"number": 7, "ti')
        Collector(journal)
        self.assertEqual([said["tracking-id"] for said in self.collected(journal)], list(range(40)))
        self.assertEqual(len({said["id"] for said in self.collected(journal)}), 40)

    def test_room_goes_back_to_the_disk(self):
        """Results of months would fill it, were they kept."""
        Path(self.path("room")).write_bytes(bytes(1 << 16))
        if not give_back(Path(self.path("room")), 1 << 15):
            self.skipTest("needs a file system that takes room back from the middle of a file")
        journal = self.begin()
        collector = Collector(journal)
        for number in range(20):
            self.add(journal, line(number), *(result(number) for _ in range(1500)))
            while collector.pump():
                pass
        status = journal.lines.stat()
        self.assertGreater(status.st_size, 15 << 20)
        self.assertLess(status.st_blocks * 512, 6 << 20)

    def test_a_disk_that_is_full_loses_nothing(self):
        journal = self.begin()
        self.add(journal, line(1))
        collector = Collector(journal)
        events, collector._events = collector._events, os.open("/dev/full", os.O_WRONLY)
        truncate, os.ftruncate = os.ftruncate, lambda *_: None
        self.addCleanup(setattr, os, "ftruncate", truncate)
        with self.assertRaises(OSError):
            collector.pump()
        collector.close()
        collector._events = events
        self.assertTrue(collector.pump())
        self.assertEqual([said["tracking-id"] for said in self.collected(journal)], [1])

    def test_an_odt_that_was_killed_is_told_of(self):
        """In the middle of a line; once, however often it is closed; and not where odt has said so itself."""
        journal = self.begin()
        self.add(journal, line(1), b'{"message": "swiftodt-tr')
        for _ in range(3):
            journal.close("the watch was killed")
        collector = Collector(journal)
        collector.pump()
        self.assertEqual([(said["message"], said["event"]) for said in self.collected(journal)],
                         [("swiftodt-track", "begin"), ("swiftodt-camera", "lost")])
        other = self.begin()
        self.add(other, line(1, "swiftodt-camera", event="ended"))
        other.close("")
        Collector(other).pump()
        self.assertEqual(len(self.collected(other)), 1)

    def test_a_journal_has_one_reader(self):
        """And none while its writer lives."""
        journal = self.begin()
        self.assertIsNone(Journal.adopt(journal.path))
        writer = subprocess.Popen(["sleep", "60"], pass_fds=[journal.lock])
        self.addCleanup(writer.wait)
        self.addCleanup(writer.kill)
        journal.release()
        self.assertIsNone(Journal.adopt(journal.path))
        writer.kill()
        writer.wait()
        found = Journal.adopt(journal.path)
        found.discard()
        self.assertIsNone(Journal.adopt(journal.path))
        self.assertEqual(Journal.left_by_others(Path(self.folder), "gate"), [])
        os.makedirs(self.path("gate/.over-x"))
        os.makedirs(self.path("gate/.new-x"))
        sweep(Path(self.folder), "gate")
        self.assertEqual(os.listdir(self.path("gate")), [])


@needs_fleet
class Tables(Journals):

    WRITER = """
import sys
from pathlib import Path
import fsspec
from swiftodt_fleet.cameras import table
from swiftodt_fleet.cameras.export import Destinations, Export
from swiftodt_fleet.cameras.journal import Journal
if sys.argv[3] != "0":
    table.EventTable.MOST_ROWS = int(sys.argv[3])
export = Export(Journal.adopt(Path(sys.argv[1])), Destinations(sys.argv[2], Path(sys.argv[1]).parent.parent, every=0.0))
export.pump()
print(export.finish())
files = fsspec.filesystem("memory")
print(*files.find("/"))
"""

    def test_an_address_instead_of_a_folder(self):
        """With more rows than a file takes: then there is another."""
        journal = self.begin()
        self.add(journal, *(line(number) for number in range(25)), line(25, "swiftodt-camera", event="ended"))
        journal.release()
        said = command(PYTHON, "-c", self.WRITER, str(journal.path), "memory://cameras/all", "10", PYTHONPATH=f"{ROOT}/Pipelines/fleet")
        self.assertEqual((said.returncode, said.stdout.split()), (0, ["True", *(
            f"/cameras/all/events/day=2027-01-15/camera=gate/{journal.run}-{number:09}.parquet" for number in (0, 10, 20))]), said.stderr)


@needs_fleet
@needs_broker
class Telling(Journals):
    """The whole way, by programs that are killed."""

    READER = """
import sys, time
from pathlib import Path
from swiftodt_fleet.cameras.export import Destinations, Exports
from swiftodt_fleet.cameras.mqtt import Broker
exports = Exports(Destinations(sys.argv[1] + "/out", Path(sys.argv[1]), Broker.named(sys.argv[2]), every=0.05, retry=0.1), "gate")
print("here", flush=True)
while True:
    exports.adopt()
    exports.pump(0.02)
    if not exports.exports:
        print("told", flush=True)
"""

    def read(self, address):
        return subprocess.Popen([PYTHON, "-c", self.READER, self.folder, address], stdout=subprocess.PIPE, text=True,
                                env=os.environ | {"PYTHONPATH": f"{ROOT}/Pipelines/fleet"})

    def test_each_event_once_though_readers_and_writers_are_killed(self):
        """Three lives of an odt, four of who reads; the days change in the middle."""
        choose = random.Random(int(os.environ.get("SWIFTODT_SEED", "1")))
        with BrokerProgram(self.folder, "allow_anonymous true") as broker, Listener(broker, "house/#") as listener:
            address = f"mqtt://{broker.address}/house"
            number, reader = 0, None
            for life in range(3):
                journal = self.begin()
                for _ in range(40):
                    day = 86_400_000_000_000 * (number // 100)
                    self.add(journal, *(line(more, **{"utc-time": 1_800_000_000_000_000_000 + day + more}) for more in range(number, number + 5)))
                    number += 5
                self.add(journal, line(number)[: choose.randint(1, 50)])
                journal.release()
                with contextlib.suppress(AttributeError):
                    reader.kill()
                    reader.communicate()
                reader = self.read(address)
                self.assertEqual(reader.stdout.readline(), "here\n")
                time.sleep(choose.random() * 0.3)
            reader.kill()
            reader.communicate()
            reader = self.read(address)
            guard = threading.Timer(180, reader.kill)
            guard.start()
            self.assertIn("told", [reader.stdout.readline().strip() for _ in range(2)])
            guard.cancel()
            reader.send_signal(signal.SIGKILL)
            reader.communicate()
            listener.wait(lambda _: len(listener.texts("house/gate/track")) >= number)
            self.assertEqual([json.loads(text)["tracking-id"] for text in listener.texts("house/gate/track")], list(range(number)))
            heard = [json.loads(text)["id"] for kind in ("track", "camera") for text in listener.texts(f"house/gate/{kind}")]
            self.assertEqual(len(heard), number + 3)
            rows = rows_of(self.path("out/events"))
            self.assertEqual(sorted(row["id"] for row in rows), sorted(heard))
            self.assertEqual({row["camera"] for row in rows}, {"gate"})
            self.assertEqual(len({row["day"] for row in rows if row["kind"] == "track"}), 6)
            for row in rows:
                self.assertEqual(row["time"][:10], str(row["day"]))
            self.assertEqual(os.listdir(self.path("gate")), [])

    def test_the_order_is_kept_though_an_older_journal_is_in_other_hands(self):
        older, newer = self.begin(), self.begin()
        for number, journal in enumerate((older, newer)):
            self.add(journal, line(number), line(number, "swiftodt-camera", event="ended"))
        newer.release()
        with BrokerProgram(self.folder, "allow_anonymous true") as broker, Listener(broker, "house/#") as listener:
            reader = self.read(f"mqtt://{broker.address}/house")
            self.addCleanup(reader.communicate)
            self.addCleanup(reader.kill)
            end = time.monotonic() + 60
            while not list(Path(self.folder).glob("out/events/*/*/*.parquet")):
                self.assertLess(time.monotonic(), end)
                time.sleep(0.02)
            time.sleep(0.2)
            self.assertEqual(listener.texts("house/gate/track"), [])
            older.release()
            listener.wait(lambda _: len(listener.texts("house/gate/track")) == 2)
            self.assertEqual([json.loads(text)["tracking-id"] for text in listener.texts("house/gate/track")], [0, 1])


if __name__ == "__main__":
    unittest.main()
