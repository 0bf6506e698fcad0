"""Events of a camera reach the broker and the tables once each, whoever dies while they are told."""
import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
import unittest
from pathlib import Path

from brokers import Broker as BrokerProgram, Listener, needs_broker
from fleets import PYTHON, needs_fleet, rows as rows_of
from streams import InFolder, ROOT, command

sys.path.insert(0, f"{ROOT}/Pipelines/fleet")
from swiftodt_fleet.cameras import delivery, mqtt  # noqa: E402
from swiftodt_fleet.cameras.collector import Collector  # noqa: E402
from swiftodt_fleet.cameras.configuration import Configuration, ConfigurationError  # noqa: E402
from swiftodt_fleet.cameras.delivery import Delivery  # noqa: E402
from swiftodt_fleet.cameras.journal import Journal, sweep  # noqa: E402
from swiftodt_fleet.cameras.lines import give_back  # noqa: E402



def line(number, message="swiftodt-track", **more):
    said = {"message": message, "event": "begin", "tracking-id": number, "source": "gate", "session": 1, "utc-time": 1_800_000_000_000_000_000 + number}
    return json.dumps(said | more).encode() + b"\n"


def result(number):
    return line(number, "swiftodt", objects=[{"label": "x" * 500}])


class Journals(InFolder):

    def begin(self):
        return Journal.begin(Path(self.folder), "gate")

    def add(self, journal, *lines):
        with journal.lines.open("ab") as file:
            file.write(b"".join(lines))

    def collected(self, journal):
        return [json.loads(text)["said"] for text in journal.events.read_bytes().splitlines()]


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


class Killed(BaseException):
    """What a death does to a program: nothing after it happens."""


class Dying:
    """A program that dies at the n-th of the moments at which something outside it changes."""

    def __init__(self, moment):
        self.left = moment

    def __call__(self, work, *, is_after):
        def instead(*words, **named):
            self.left -= 1
            if self.left == 0 and not is_after:
                raise Killed
            found = work(*words, **named)
            if self.left == 0 and is_after:
                raise Killed
            return found
        return instead


@needs_broker
class Delivering(Journals):

    COUNT = 7

    def test_a_camera_of_which_there_is_no_event_keeps_its_broker(self):
        """What is published once a second with quality 0 nobody answers: it is still asked whether somebody is there."""
        kept = mqtt.KEEPALIVE
        with BrokerProgram(self.folder, "allow_anonymous true") as broker:
            one = mqtt.Connection(mqtt.Broker.named(f"mqtt://{broker.address}/quiet"), "quiet", True)
            try:
                mqtt.KEEPALIVE = 0.3
                end = time.monotonic() + 1.5
                while time.monotonic() < end:
                    one.publish("quiet/objects", b"{}", 0, 0)
                    one.answers(0.02)
                one.leave()
            finally:
                mqtt.KEEPALIVE = kept

    def told(self, moments, broker, topic):
        """Delivers a journal's events by programs that die at these moments one after the other; how many did."""
        journal = self.begin()
        self.add(journal, *(line(number) for number in range(self.COUNT)))
        journal.close("")
        Collector(journal).pump()
        place, deaths = mqtt.Broker.named(f"mqtt://{broker.address}/{topic}"), 0
        for number, moment in enumerate([*moments, 0]):
            die = Dying(moment)
            kept = mqtt.Connection._send, delivery.write_progress
            mqtt.Connection._send = die(kept[0], is_after=number % 2)
            delivery.write_progress = die(kept[1], is_after=number % 2)
            one = Delivery(journal, place, longest_pause=0.05)
            try:
                while not one.is_done:
                    one.pump(0.05)
                one.leave()
            except Killed:
                deaths += 1
                # The system closes what a dead program had open.
                if one._connection:
                    one._connection.close()
            finally:
                mqtt.Connection._send, delivery.write_progress = kept
        self.assertTrue(one.forget())
        return deaths

    def test_each_event_comes_once_wherever_its_publisher_dies(self):
        """At every moment there is: between any two packets that are sent, before and after each note on the disk, and twice in a row. Quality
        1, which odt watch itself uses, repeats what was under way."""
        with BrokerProgram(self.folder, "allow_anonymous true") as broker, Listener(broker, "#") as listener:
            deaths, moment, chance = 1, 0, random.Random(int(os.environ.get("SWIFTODT_SEED", "1")))
            while deaths:
                moment += 1
                deaths = self.told([moment, moment], broker, f"a{moment}")
            self.assertGreater(moment, 2 * self.COUNT)
            for number in range(20):
                self.told([chance.randint(1, moment) for _ in range(4)], broker, f"b{number}")
            for topic in [*(f"a{number + 1}" for number in range(moment)), *(f"b{number}" for number in range(20))]:
                listener.wait(lambda _, topic=topic: len(listener.texts(f"{topic}/gate/camera")) > 0)
                self.assertEqual([json.loads(text)["tracking-id"] for text in listener.texts(f"{topic}/gate/track")], list(range(self.COUNT)))
            self.assertEqual(listener.texts("a1/gate/state")[-1:], ["offline"])

    def test_a_broker_that_goes_away_and_comes_back(self):
        """With its memory, as brokers that are to be relied upon are set up: nothing comes twice. What waits is more than may be on its way."""
        with BrokerProgram(self.folder, "allow_anonymous true", "persistence true", f"persistence_location {self.folder}/", "autosave_on_changes true",
                           "autosave_interval 1") as broker, Listener(broker, "#", quality=2) as listener:
            journal = self.begin()
            one = Delivery(journal, mqtt.Broker.named(f"mqtt://{broker.address}/house"), longest_pause=0.05)
            collector = Collector(journal)
            self.add(journal, line(0, "swiftodt-camera", event="connected"))
            for start in (0, 50):
                self.add(journal, *(line(number) for number in range(start, start + 50)))
                collector.pump()
                while one.offset == 0:
                    one.pump(0.01)
                broker.go()
                for _ in range(3):
                    one.pump(0.05)
                self.assertIn("the broker at", one.problem)
                self.assertFalse(one.is_done)
                broker.come()
            while not one.is_done:
                one.pump(0.05)
            self.assertIsNone(one.problem)
            listener.wait(lambda _: len(listener.texts("house/gate/track")) >= 100)
            # What the lost connection had left as its will has been taken back.
            self.assertEqual(broker.retained("house/gate/state"), {"house/gate/state": "online"})
            one.leave()
            self.assertEqual([json.loads(text)["tracking-id"] for text in listener.texts("house/gate/track")], list(range(100)))

    def test_a_broker_that_wants_to_be_trusted_and_to_trust(self):
        made = command("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj", "/CN=broker",
                       "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", self.path("key.pem"), "-out", self.path("broker.pem"))
        self.assertEqual(made.returncode, 0, made.stderr)
        self.assertEqual(command("mosquitto_passwd", "-c", "-b", self.path("users"), "odt", "geh:eim/7").returncode, 0)
        Path(self.path("password")).write_text("geh:eim/7\n", encoding="ascii")
        with BrokerProgram(self.folder, "allow_anonymous false", f"password_file {self.path('users')}", f"certfile {self.path('broker.pem')}",
                           f"keyfile {self.path('key.pem')}", words=("--cafile", self.path("broker.pem"), "-u", "odt", "-P", "geh:eim/7")) as broker:
            journal = self.begin()
            self.add(journal, line(1, "swiftodt-camera", event="ended"))
            Collector(journal).pump()
            address, password = f"mqtts://odt@{broker.address}/house", mqtt.password_of(self.path("password"))
            for words, sentence in (
                    ({"password": password}, "cannot be trusted"), ({"password": "wrong", "authority": self.path("broker.pem")}, "does not let this user in"),
                    ({"password": password, "authority": self.path("broker.pem")}, None)):
                one = Delivery(journal, mqtt.Broker.named(address, **words))
                self.assertNotIn("geh", repr(one._broker))
                while not one.is_done and not one.problem:
                    one.pump(0.05)
                self.assertIn(sentence or "None", str(one.problem))
                one.leave()
            self.assertEqual(broker.retained("house/gate/state"), {"house/gate/state": "offline"})

    def test_what_an_address_lacks_is_said(self):
        for text in ("http://a/b", "mqtt://a", "mqtt:///b", "mqtt://a/b+", "mqtt://a:secret@/"):
            with self.assertRaises(ValueError) as refused:
                mqtt.Broker.named(text)
            self.assertNotIn("secret", str(refused.exception))
        one = mqtt.Broker.named("mqtts://odt:a%2Fb@[::1]/house/yard/")
        self.assertEqual((one.host, one.port, one.topic, one.user, one.password), ("::1", 8883, "house/yard", "odt", "a/b"))


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
class Watches(InFolder):

    WATCHER = """
import sys, time
from pathlib import Path
from swiftodt_fleet.cameras.configuration import Configuration
from swiftodt_fleet.cameras.export import Destinations
from swiftodt_fleet.cameras.worker import CameraWatch, Order
folder = Path(sys.argv[1])
cameras = Configuration.read(folder / "watch.conf").cameras.values()
watches = [CameraWatch(Order(camera, Destinations(str(folder / "out"), folder / "journals"), retry=0.1)) for camera in cameras]
while (states := [watch.status() for watch in watches]) and not {state["state"] for state in states} <= {"ended", "refused"}:
    time.sleep(0.05)
for watch, state in zip(watches, states):
    print(state["state"], state["reason"], state["starts"], sep="|")
    watch.stop()
print(*(folder / "journals").glob("*/*"))
"""

    def test_what_cannot_be_meant_is_not_begun_again(self):
        """A mistake is named with the line of the file as the user has it; a file that has been seen to its end is over."""
        made = command("gst-launch-1.0", "-q", *"videotestsrc num-buffers=5 ! jpegenc ! matroskamux ! filesink".split(), f"location={self.path('a.mkv')}")
        self.assertEqual(made.returncode, 0, made.stderr)
        Path(self.path("watch.conf")).write_text("[cameras]\ndetector=motion\n[camera film]\nsource=a.mkv\n[camera bad]\nsource=a.mkv\nmax-object=3\n",
                                                 encoding="ascii")
        said = command(PYTHON, "-c", self.WATCHER, self.folder, PYTHONPATH=f"{ROOT}/Pipelines/fleet")
        self.assertEqual((said.returncode, said.stderr), (0, ""))
        film, bad, left = said.stdout.splitlines()
        self.assertEqual((film, left), ("ended|None|1", ""))
        self.assertTrue(bad.startswith(f"refused|{self.path('watch.conf')}:7: 'max-object=3' sets no property"), bad)
        self.assertTrue(bad.endswith("|1"), bad)


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


class Configurations(InFolder):
    """The file of odt watch, read so that each camera gets its own."""

    def read(self, text):
        Path(self.path("watch.conf")).write_text(text, encoding="utf-8")
        return Configuration.read(Path(self.path("watch.conf")))

    def test_each_camera_gets_its_own(self):
        Path(self.path("zones.json")).write_text('[{"name": "a\\\\b",\n "points": []}]', encoding="utf-8")
        found = self.read("# cameras\n[watch]\nrecord=video\nmqtt=mqtt://a/b\nquiet=true\n[cameras]\ndetector=motion\n\n"
                          "[camera front]\nsource=rtsp://a:b@c/d\nzones=zones.json\n[camera yard]\n source = yard.mkv \nrecord=false\n")
        self.assertEqual(list(found.cameras), ["front", "yard"])
        self.assertEqual(found.options, {"mqtt": "mqtt://a/b"})
        self.assertEqual(len(found.warnings), 1)
        self.assertIn("watch.conf:5: quiet has no effect here", found.warnings[0])
        self.assertEqual(found.cameras["yard"].text.splitlines(), [
            "", "[watch]", f"record={self.path('video')}", "", "", "[cameras]", "detector=motion", "", "", "", "", "[camera yard]",
            f"source={self.path('yard.mkv')}", "record=false"])
        self.assertIn('zones=[{"name": "a\\\\\\\\b", "points": []}]\n', found.cameras["front"].text)
        moved = self.read("[cameras]\ndetector=motion\n[camera new]\nsource=a\n[watch]\nrecord=video\n[camera yard]\nsource=yard.mkv\nrecord=false\n")
        self.assertEqual(sorted(moved.cameras["yard"].gist.splitlines()), sorted(found.cameras["yard"].gist.splitlines()))

    def test_mistakes_are_named_with_their_line(self):
        for text, sentence in (
                ("[camera a b]\nsource=a", "watch.conf:1: 'a b' cannot be"), ("\n[camera a]\nname=a", "watch.conf:2: [camera a] has no source="),
                ("[Camera a]", "watch.conf:1: there is no group"), ("source=a", "watch.conf:1: 'source' stands before"),
                ("[camera a]\nsource", "watch.conf:2: 'source' is neither"), ("[camera a]\nsource=a\nsource=b", "watch.conf:3: source is there"),
                ("[camera a]\nsource=a\n[camera a]", "watch.conf:3: [camera a] is there"), ("[camera a", "watch.conf:1: a group is")):
            with self.subTest(text), self.assertRaises(ConfigurationError) as refused:
                self.read(text)
            self.assertIn(sentence, str(refused.exception))
        with self.assertRaises(ConfigurationError):
            Configuration.read(Path(self.path("none.conf")))


if __name__ == "__main__":
    unittest.main()
