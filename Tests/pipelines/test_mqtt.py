"""`odt watch --mqtt` with a real broker: delivery, broker outages, retained state and authentication."""
import json
import os
import signal
import subprocess
from unittest import mock

from brokers import Broker, Listener, UnreliableProxy, needs_broker
from streams import InFolder, command
from watching import FastCamera, ODT, Watch, events, needs_server

LINES = {"middle": (0.5, 0, 0.5, 1), "west": (0.3, 0, 0.3, 1), "east": (0.7, 0, 0.7, 1), "north": (0, 0.35, 1, 0.35), "south": (0, 0.65, 1, 0.65)}
ZONES = json.dumps(
    [{"name": name, "kind": "line", "points": [line[:2], line[2:]], "anchor": "centre"} for name, line in LINES.items()]
    + [{"name": "left half", "kind": "zone", "points": [[0, 0], [0.5, 0], [0.5, 1], [0, 1]], "anchor": "centre"}])
# Home Assistant's discovery messages: connection, picture and zone, and each line's two directions.
CONFIGS = 3 + 2 * len(LINES)
FIGURES = {"name", "kind", "count", "entered", "left", "by-label"}


def happened(said, kind="swiftodt-zone"):
    return [line for line in said if line["message"] == kind]


def without_repeats(texts):
    """Removes duplicates, which QoS 1 allows after a lost acknowledgement."""
    return list(dict.fromkeys(texts))


@needs_broker
@needs_server
class Publishing(InFolder):
    """The messages that the broker receives."""

    def setUp(self):
        super().setUp()
        self.camera = FastCamera()

    def test_events_survive_broker_restart(self):
        """Every track and zone event arrives in order, although the broker restarts. Without a queue of unacknowledged messages, the
        events during the outage and those in flight would be missing."""
        with Broker(self.folder, "allow_anonymous true", "persistence true", f"persistence_location {self.folder}/") as broker, \
                Listener(broker, "house/#") as listener, \
                Watch(f"--mqtt=mqtt://{broker.address}/house", f"--zones={ZONES}", f"yard={self.camera.address}") as watch:
            listener.wait(lambda heard: any(topic == "house/yard/zone" for topic, _, _ in heard))
            broker.go()
            count = len(happened(watch.said))
            watch.wait(lambda said: len(happened(said)) > count + 2)
            broker.come()
            count = len(happened(watch.said))
            watch.wait(lambda said: len(happened(said)) > count)
            self.assertEqual(watch.end(), 0)
            texts = [json.dumps(line) for line in happened(watch.said) + happened(watch.said, "swiftodt-track")]
            listener.wait(lambda heard: {json.dumps(json.loads(text)) for topic, _, text in heard
                                         if topic in ("house/yard/zone", "house/yard/track")} >= set(texts))
            for kind, topic in (("swiftodt-zone", "zone"), ("swiftodt-track", "track")):
                with self.subTest(kind):
                    self.assertEqual([json.loads(text) for text in without_repeats(listener.texts(f"house/yard/{topic}"))],
                                     happened(watch.said, kind))
            self.assertGreater(len(happened(watch.said)), 4)
            complaints = "".join(watch.complaints)
            self.assertIn("events are queued", complaints)
            self.assertIn(f"connected to the broker at {broker.address}", complaints)

    def test_unacknowledged_events_are_resent(self):
        """Events that were sent into a silently broken connection arrive over the next one. Without resending unacknowledged
        messages, these events would be missing."""
        with Broker(self.folder, "allow_anonymous true") as broker, UnreliableProxy(broker) as way, Listener(broker, "house/#") as listener, \
                Watch(f"--mqtt=mqtt://{way.address}/house", f"--zones={ZONES}", f"yard={self.camera.address}") as watch:
            listener.wait(lambda heard: any(topic == "house/yard/zone" for topic, _, _ in heard))
            way.is_swallowing = True
            count = len(happened(watch.said))
            watch.wait(lambda said: len(happened(said)) > count + 1)
            way.cut()
            way.is_swallowing = False
            lost = happened(watch.said)[count:]
            listener.wait(lambda heard: {json.dumps(line) for line in lost} <= {
                json.dumps(json.loads(text)) for topic, _, text in heard if topic == "house/yard/zone"})
            self.assertEqual(watch.end(), 0)
            told = [json.loads(text) for text in without_repeats(listener.texts("house/yard/zone"))]
            self.assertEqual(told, happened(watch.said)[:len(told)])

    def test_options_from_configuration_file(self):
        """Relative paths refer to the configuration file's folder, errors name its lines, and a password in it causes no warning."""
        with Broker(self.folder, "allow_anonymous true") as broker:
            with open(self.path("watch.conf"), "w", encoding="utf-8") as file:
                file.write(f"[watch]\nmqtt=mqtt://odt:secret@{broker.address}/house\nstore=kept.sqlite\n"
                           f"[camera yard]\nsource={self.camera.address}\n")
            with Watch("--config", self.path("watch.conf")) as watch:
                watch.wait(lambda said: happened(said, "swiftodt-track"))
                self.assertEqual(watch.end(), 0)
                self.assertNotIn("list of processes", "".join(watch.complaints))
            self.assertIn("kept.sqlite", self.names())
            self.assertEqual(broker.retained("house/yard/state"), {"house/yard/state": "offline"})
        with open(self.path("watch.conf"), "w", encoding="utf-8") as file:
            file.write("[watch]\nmqtt=mqtt://odt:secret@broker\n[camera yard]\nsource=rtsp://127.0.0.1:9/\n")
        said = command(ODT, "watch", "--config", self.path("watch.conf"))
        self.assertEqual(said.returncode, 2)
        self.assertIn("watch.conf:2: mqtt: the address has no topic", said.stderr)
        self.assertNotIn("secret", said.stderr)

    def test_state_and_counts_are_retained(self):
        """States, counts and Home Assistant's discovery messages are retained, also after a restart of a broker without persistence."""
        with Broker(self.folder, "allow_anonymous true") as broker, \
                Watch(f"--mqtt=mqtt://{broker.address}/house", f"--zones={ZONES}", f"yard={self.camera.address}") as watch:
            watch.wait(lambda said: happened(said))
            broker.go()
            broker.come()
            topics = {"house/state", "house/yard/state", "house/yard/alarm", *(f"house/yard/zones/{zone}" for zone in ("left half", *LINES))}
            kept = broker.wait(lambda kept: topics <= set(kept) and sum(topic.startswith("homeassistant/") for topic in kept) >= CONFIGS)
            self.assertEqual((kept["house/state"], kept["house/yard/state"]), ("online", "online"))
            self.assertEqual(set(json.loads(kept["house/yard/zones/left half"])), FIGURES)
            self.assertEqual(set(json.loads(kept["house/yard/zones/middle"])), {"name", "kind", "in", "out", "by-label"})
            self.discovery(kept)
            watch.program.kill()
            kept = broker.wait(lambda kept: kept.get("house/state") == "offline", "house/#")
            # The last will, because the killed program could not publish its state.
            self.assertEqual((kept["house/state"], kept["house/yard/state"]), ("offline", "online"))

    def test_online_follows_the_will_of_an_earlier_watch(self):
        """The broker publishes the will of a watch that was lost with its machine after the next watch has connected."""
        def states(heard):
            return [text for topic, _, text in heard if topic == "house/state"]

        with Broker(self.folder, "allow_anonymous true") as broker, Listener(broker, "house/#") as listener, \
                Watch(f"--mqtt=mqtt://{broker.address}/house", f"yard={self.camera.address}"):
            listener.wait(states)
            words = ("-h", "127.0.0.1", "-p", str(broker.port), "-t", "house/state", "-m", "offline", "-r")
            self.assertEqual(command("mosquitto_pub", *words).returncode, 0)
            listener.wait(lambda heard: states(heard)[-2:] == ["offline", "online"], 60)

    def discovery(self, kept):
        configs = {topic: json.loads(text) for topic, text in kept.items() if topic.startswith("homeassistant/")}
        self.assertEqual(len(configs), CONFIGS, list(configs))
        self.assertEqual(len({config["unique_id"] for config in configs.values()}), len(configs))
        self.assertEqual(len({json.dumps(config["device"]) for config in configs.values()}), 1)
        for topic, config in configs.items():
            self.assertRegex(topic, r"^homeassistant/(binary_)?sensor/[A-Za-z0-9_-]+/[A-Za-z0-9_-]+/config$")
            self.assertIn(config["state_topic"], kept)
            # Home Assistant removed object_id in 2026.4.
            self.assertNotIn("object_id", config)
            self.assertRegex(config["default_entity_id"], rf"^{topic.split('/')[1]}\.yard_[a-z0-9_]+$")
            for place in config["availability"]:
                self.assertEqual(kept[place["topic"]], "online")
            if "value_json" in config.get("value_template", ""):
                field = config["value_template"].split("'")[1]
                self.assertIn(field, json.loads(kept[config["state_topic"]]))

    def test_offline_is_published_at_end(self):
        """At its end the watch publishes "offline" for itself and each camera. With discovery off it publishes no discovery messages. The
        number of dropped events is that of this run."""
        with Broker(self.folder, "allow_anonymous true") as broker:
            self.assertEqual(command("mosquitto_pub", "-h", "127.0.0.1", "-p", str(broker.port), "-t", "a/b/lost", "-m", "5", "-r").returncode, 0)
            with Watch(f"--mqtt=mqtt://{broker.address}/a/b/", "--mqtt-discovery=off", f"yard={self.camera.address}") as watch:
                watch.wait(lambda said: events(said))
                self.assertEqual(watch.end(signal.SIGTERM), 0)
            self.assertEqual(broker.retained(), {"a/b/state": "offline", "a/b/lost": "0", "a/b/yard/state": "offline", "a/b/yard/alarm": "ok"})
            self.assertNotIn("broker", "".join(watch.complaints))

    def test_reload_removes_topics_of_removed_cameras_and_zones(self):
        """Counts, states and Home Assistant's discovery messages."""
        other = FastCamera()
        with Broker(self.folder, "allow_anonymous true") as broker:

            def configure(zones, *more):
                with open(self.path("new"), "w", encoding="utf-8") as file:
                    file.write("\n".join([f"[watch]\nmqtt=mqtt://{broker.address}/house", "[camera yard]", f"source={self.camera.address}",
                                          f"zones={json.dumps(zones)}", *more, ""]))
                os.replace(self.path("new"), self.path("watch.conf"))
                return self.path("watch.conf")

            zones = json.loads(ZONES)
            words = ("--config", configure(zones, "[camera gate]", f"source={other.address}", f"zones={ZONES}"))
            with Watch(*words) as watch:
                broker.wait(lambda kept: {f"house/{camera}/zones/middle" for camera in ("yard", "gate")} <= set(kept))
                configure([zone for zone in zones if zone["name"] == "left half"])
                watch.program.send_signal(signal.SIGHUP)
                kept = broker.wait(lambda kept: not any("gate" in topic or "middle" in topic for topic in kept))
                self.assertLessEqual({"house/state", "house/yard/state", "house/yard/zones/left half"}, set(kept))
                self.assertEqual(watch.end(), 0)
            self.assertNotIn("house/gate/state", broker.retained())

    def test_names_become_topic_levels(self):
        """Characters with a meaning in MQTT topics are percent-encoded in the names of zones."""
        zones = ZONES.replace("left half", "a/b+c#d%é")
        with Broker(self.folder, "allow_anonymous true") as broker, \
                Watch(f"--mqtt=mqtt://{broker.address}/house", f"--zones={zones}", f"yard={self.camera.address}") as watch:
            watch.wait(lambda said: happened(said))
            self.assertEqual(watch.end(), 0)
            self.assertIn("house/yard/zones/a%2Fb%2Bc%23d%25é", broker.retained("house/#"))

    def test_queue_limit_drops_oldest_events(self):
        """During a long outage the oldest events are dropped, counted and reported."""
        with Broker(self.folder, "allow_anonymous true") as broker:
            broker.go()
            with Watch(f"--mqtt=mqtt://{broker.address}/house", "--mqtt-queue=2K", f"--zones={ZONES}",
                       f"yard={self.camera.address}") as watch:
                watch.wait(lambda said: len(happened(said)) > 6)
                broker.come()
                kept = broker.wait(lambda kept: kept.get("house/lost", "0") != "0", "house/#")
                self.assertGreater(int(kept["house/lost"]), 2)
                self.assertEqual(watch.end(), 0)
                complaints = "".join(watch.complaints)
                self.assertIn("dropping oldest events", complaints)
                self.assertIn(f"{kept['house/lost']} events have been dropped", complaints)

    def test_missing_broker_does_not_stop_watch(self):
        """A missing broker causes a warning. The watch continues and reports the undelivered events at its end."""
        with Broker(self.folder) as broker:
            broker.go()
            with Watch(f"--mqtt=mqtt://{broker.address}/house", f"yard={self.camera.address}") as watch:
                watch.wait(lambda said: happened(said, "swiftodt-track"))
                self.assertEqual(watch.end(), 0)
                complaints = "".join(watch.complaints)
                self.assertIn(f"cannot connect to the broker at {broker.address}: Connection refused", complaints)
                self.assertRegex(complaints, r"\d+ events were not delivered to the broker")


@needs_broker
@needs_server
class Authentication(InFolder):
    """Passwords and certificates: errors name their remedy, and the watch continues."""

    def setUp(self):
        super().setUp()
        self.camera = FastCamera()

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return self.path(name)

    def complaint(self, wanted, *words):
        """Watches until a warning contains `wanted`."""
        with Watch(*words, f"yard={self.camera.address}") as watch:
            for _ in range(600):
                if wanted in "".join(watch.complaints):
                    break
                try:
                    watch.program.wait(0.05)
                except subprocess.TimeoutExpired:
                    continue
            self.assertIn(wanted, "".join(watch.complaints))
            watch.wait(lambda said: events(said))
            self.assertEqual(watch.end(), 0)
            return "".join(watch.complaints)

    def arrives(self, broker, *words):
        with Watch(*words, f"yard={self.camera.address}") as watch:
            broker.wait(lambda kept: kept == {"house/yard/state": "online"}, "house/yard/state")
            with open(f"/proc/{watch.program.pid}/cmdline", encoding="utf-8") as file:
                seen = file.read()
            self.assertEqual(watch.end(), 0)
            return seen, "".join(watch.complaints)

    def test_password_authentication(self):
        made = command("mosquitto_passwd", "-c", "-b", self.path("users"), "odt", "geh:eim/7")
        self.assertEqual(made.returncode, 0, made.stderr)
        with Broker(self.folder, "allow_anonymous false", f"password_file {self.path('users')}",
                    words=("-u", "odt", "-P", "geh:eim/7")) as broker:
            place = f"--mqtt=mqtt://odt@{broker.address}/house"
            seen, complaints = self.arrives(broker, place, f"--mqtt-password-file={self.write('right', 'geh:eim/7')}")
            self.assertNotIn("geh", seen + complaints)
            with mock.patch.dict(os.environ, SWIFTODT_MQTT_PASSWORD="geh:eim/7"):
                seen, complaints = self.arrives(broker, place)
            self.assertNotIn("geh", seen + complaints)
            _, complaints = self.arrives(broker, f"--mqtt=mqtt://odt:geh%3Aeim%2F7@{broker.address}/house")
            self.assertIn("is visible in the list of processes", complaints)
            wrong = self.complaint("rejects the user 'odt'", place, f"--mqtt-password-file={self.write('wrong', 'falsch')}")
            self.assertIn("--mqtt-password-file", wrong)
            self.assertNotIn("falsch", wrong)
            self.complaint("requires a user and a password", f"--mqtt=mqtt://{broker.address}/house")

    def authority(self, name):
        self.assertEqual(command(
            "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj",
            f"/CN={name}", "-keyout", self.path(f"{name}.key"), "-out", self.path(f"{name}.pem")).returncode, 0)

    def certificate(self, name, authority, extension=""):
        request = command(
            "openssl", "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", f"/CN={name}",
            "-keyout", self.path(f"{name}.key"), "-out", self.path(f"{name}.csr"))
        self.assertEqual(request.returncode, 0, request.stderr)
        signed = command(
            "openssl", "x509", "-req", "-in", self.path(f"{name}.csr"), "-CA", self.path(f"{authority}.pem"), "-CAkey",
            self.path(f"{authority}.key"), "-CAcreateserial", "-days", "2", "-out", self.path(f"{name}.pem"),
            "-extfile", self.write("extension", extension))
        self.assertEqual(signed.returncode, 0, signed.stderr)

    def test_tls_authentication(self):
        self.authority("ours")
        self.authority("another")
        self.certificate("broker", "ours", "subjectAltName=IP:127.0.0.1\n")
        self.certificate("client", "ours")
        client = ("--cert", self.path("client.pem"), "--key", self.path("client.key"))
        with Broker(self.folder, "allow_anonymous true", f"cafile {self.path('ours.pem')}", f"certfile {self.path('broker.pem')}",
                    f"keyfile {self.path('broker.key')}", "require_certificate true",
                    words=("--cafile", self.path("ours.pem"), *client)) as broker:
            place = f"--mqtt=mqtts://{broker.address}/house"
            client = (f"--mqtt-cert={self.path('client.pem')}", f"--mqtt-key={self.path('client.key')}")
            _, complaints = self.arrives(broker, place, f"--mqtt-ca={self.path('ours.pem')}", *client)
            self.assertNotIn("broker", complaints)
            said = self.complaint("cannot verify", place, f"--mqtt-ca={self.path('another.pem')}", *client)
            self.assertIn("certificate verify failed", said)
            self.assertIn("--mqtt-ca FILE", said)
            self.complaint("cannot verify", place, *client)
            self.complaint("try TLS (mqtts://)", f"--mqtt=mqtt://{broker.address}/house")
            with Broker(self.folder, "allow_anonymous true") as plain:
                self.complaint("check that it uses TLS on this port", f"--mqtt=mqtts://{plain.address}/house")
            self.complaint("--mqtt-cert", place, f"--mqtt-ca={self.path('ours.pem')}")
            self.complaint("cannot verify", f"--mqtt=mqtts://localhost:{broker.port}/house", f"--mqtt-ca={self.path('ours.pem')}", *client)


class Options(InFolder):
    """Invalid options end the program at its start with exit code 2."""

    def test_invalid_options_are_errors(self):
        for words, part in (
                (["--mqtt=localhost/house"], "mqtt[s]://"), (["--mqtt=mqtt://localhost"], "has no topic"),
                (["--mqtt=mqtt://localhost/"], "has no topic"), (["--mqtt=mqtt:///house"], "has no host"),
                (["--mqtt=mqtt://host:0/house"], "has no host and port"), (["--mqtt=mqtt://host:99999/house"], "has no host and port"),
                (["--mqtt=mqtt://[::1/house"], "has no host"), (["--mqtt=mqtt://@host/house"], "has no user"),
                (["--mqtt=mqtt://a:sec%zz@host/house"], "%25"), (["--mqtt=mqtt://host/a/+/b"], "+, #"),
                (["--mqtt=mqtt://host/$SYS"], "begin with $"), (["--mqtt=mqtt://host/" + "a" * 600], "too long"),
                (["--mqtt-ca=ca.pem"], "needs --mqtt"),
                (["--mqtt=mqtt://host/house", "--mqtt-ca=ca.pem"], "begins with mqtts://"),
                (["--mqtt=mqtts://host/house", "--mqtt-cert=c.pem"], "must be used together"),
                (["--mqtt=mqtt://host/house", "--mqtt-discovery=a/#"], "'off' or a topic"),
                (["--mqtt=mqtt://host/house", "--mqtt-queue=much"], "500M or 2G"),
                (["--mqtt=mqtt://host/house", "--mqtt-queue=1"], "at least 1K"),
                (["--mqtt=mqtt://host/house", f"--mqtt-password-file={os.devnull}"], "is not a password"),
                (["--mqtt=mqtts://host/house", "--mqtt-ca=/not/there.pem"], "No such file")):
            with self.subTest(words):
                said = command(ODT, "watch", *words, "rtsp://127.0.0.1:9/")
                self.assertIn(part, said.stderr)
                self.assertNotIn("sec%", said.stderr)
                self.assertIn(said.returncode, (1, 2))
