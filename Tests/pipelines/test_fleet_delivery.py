"""The broker gets each event of a journal once, at whichever moment whoever tells it dies."""
import json
import os
import random
import time
import unittest
from pathlib import Path

from brokers import Broker as BrokerProgram, Listener, needs_broker
from journals import Journals, line
from streams import command
from swiftodt_fleet.cameras import delivery, mqtt
from swiftodt_fleet.cameras.collector import Collector
from swiftodt_fleet.cameras.delivery import Delivery


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


if __name__ == "__main__":
    unittest.main()
