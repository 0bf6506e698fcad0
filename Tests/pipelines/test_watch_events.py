"""odt watch runs commands and sends requests for the events that its rules select."""
import base64
import contextlib
import http.server
import json
import os
import re
import shutil
import signal
import threading
import time
import unittest

from paged import ZONES, needs_soup
from streams import ROOT, command
from watching import FastCamera, ODT, Watch, Watching, has, needs_server, results


class Receiver:
    """A local web server that notes the bodies of POST requests. It can fail, stall and be absent."""

    def __init__(self, port=0):
        self.bodies, self.files, self.status, self.location, self.stalls = [], [], 200, None, threading.Event()
        self.is_endless = False
        self.stalls.set()
        receiver = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                receiver.stalls.wait(60)
                status = receiver.status
                receiver.bodies.append((status, self.headers["Content-Type"], json.loads(body)))
                with contextlib.suppress(OSError):
                    self.send_response(status)
                    if receiver.location:
                        self.send_header("Location", receiver.location)
                    if receiver.is_endless:
                        self.end_headers()
                        while True:
                            self.wfile.write(bytes(1 << 16))
                    self.send_header("Content-Length", "0")
                    self.end_headers()

            def do_PUT(self):
                receiver.files.append((self.headers["Title"], self.rfile.read(int(self.headers["Content-Length"]))))
                self.send_response(200)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        class Threaded(http.server.ThreadingHTTPServer):
            daemon_threads = True

        self.server = Threaded(("127.0.0.1", port), Handler)
        self.port = self.server.server_port
        self.url = f"http://user:secret@127.0.0.1:{self.port}/hook?key=secret"
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()

    def close(self):
        self.stalls.set()
        self.server.shutdown()
        self.server.server_close()

    def accepted(self):
        return [body for status, _, body in self.bodies if status == 200]


class Ruled(Watching):

    def configure(self, *groups, options=""):
        # A modified file of zones would make cameras connect again.
        if not os.path.exists(self.path("zones.json")):
            self.write_zones()
        with open(self.path("watch.conf"), "w", encoding="utf-8") as file:
            file.write(f"[watch]\n{options}\n[cameras]\nzones=zones.json\n" + "\n".join(groups))
        return self.path("watch.conf")

    def write_zones(self):
        with open(self.path("zones.json"), "w", encoding="ascii") as file:
            file.write(ZONES)
        return self.path("zones.json")

    def note(self, name="events"):
        """Returns a command that appends its input to a file."""
        return f"cat >> {self.path(name)}"

    def noted(self, name="events"):
        if not os.path.exists(self.path(name)):
            return []
        with open(self.path(name), encoding="utf-8") as file:
            return [json.loads(line) for line in file]

    def play(self, *rules, frames=100):
        """Watches the ball with rules. Returns the messages, and for each rule the events that it wrote to a file."""
        groups = (f"[event {number}]\n{rule}\naction={self.note(str(number))}" for number, rule in enumerate(rules))
        said, complaints = self.watch("--config", self.configure(f"[camera cam]\nsource={self.clip(frames=frames)}", *groups))
        self.assertEqual(complaints, "")
        return said, *(self.noted(str(number)) for number in range(len(rules)))


class Rules(Ruled):

    def test_every_event_reaches_the_command(self):
        clip = self.clip(frames=500)
        said, complaints = self.watch("--on-event", self.note(), "--zones", self.write_zones(), f"cam={clip}")
        self.assertEqual(complaints, "")
        expected = [(line["message"].removeprefix("swiftodt-"), line["event"]) for line in said if line["message"] != "swiftodt" and line.get("event") != "update"]
        self.assertEqual([(event["kind"], event["event"]) for event in self.noted()], expected)
        self.assertIn(("zone", "cross"), expected)
        self.assertEqual({event["rule"] for event in self.noted()}, {"on-event"})

    def test_conditions_select_events(self):
        cases = (
                ("event=begin", {("track", "begin")}), ("zone=floor\nevent=enter", {("zone", "enter")}), ("zone=middle", {("zone", "cross")}),
                ("event=in", {("zone", "cross")}), ("camera=cam\nevent=ended, connected", {("camera", "ended"), ("camera", "connected")}),
                ("label=person", set()))
        _, *found = self.play(*(rule for rule, _ in cases), frames=500)
        for (rule, wanted), events in zip(cases, found):
            with self.subTest(rule):
                self.assertEqual({(event["kind"], event["event"]) for event in events}, wanted)
                if rule == "event=in":
                    self.assertEqual({event["direction"] for event in events}, {"in"})

    def test_minimum_dwell(self):
        """The object has to stay in the zone, or in view. The event arrives while the object is still there."""
        _, *short, long_in_zone, long = self.play("zone=floor\ndwell=2", "dwell=2", "zone=floor\ndwell=60", "dwell=60")
        for events in short:
            self.assertEqual([event["event"] for event in events], ["dwell"])
            self.assertTrue(2 <= events[0]["dwell"] < 2.5, events)
        self.assertEqual((long_in_zone, long), ([], []))

    def test_cooldown(self):
        _, all_events, events = self.play("zone=middle", "zone=middle\ncooldown=10000", frames=500)
        self.assertGreater(len(all_events), 3)
        self.assertEqual(len(events), 1)

    def test_times_of_day(self):
        now = time.localtime()
        before, after = (now.tm_hour - 2) % 24, (now.tm_hour + 2) % 24
        spans = f"{before}:00-{after}:00", f"{after}:00-{before}:00", f"{after}:00-{before}:00, {before}:00-{after}:30"
        _, *found = self.play(*(f"event=begin\ntimes={span}" for span in spans))
        self.assertEqual([len(events) for events in found], [1, 0, 1], spans)

    def test_sequence(self):
        """The second rule matches once after each match of the first, and only in time."""
        conf = self.configure(
            f"[camera cam]\nsource={self.clip(frames=500)}",
            "[event first]\nzone=middle\nevent=in",
            f"[event second]\nzone=middle\nevent=out\nafter=first\nwithin=60\naction={self.note('second')}",
            f"[event late]\nzone=middle\nevent=out\nafter=first\nwithin=0.001\naction={self.note('late')}")
        said, complaints = self.watch("--config", conf)
        self.assertEqual(complaints, "")
        events = self.noted("second")
        directions = [line["direction"] for line in said if line["message"] == "swiftodt-zone" and line["event"] == "cross"]
        pairs = len(re.findall("i+o", "".join(word[0] for word in directions)))
        self.assertGreater(pairs, 0)
        self.assertEqual(len(events), pairs)
        self.assertEqual({(event["rule"], event["direction"]) for event in events}, {("second", "out")})
        self.assertEqual(self.noted("late"), [])

    def test_count_threshold(self):
        """The event arrives when the number is reached, not for every result."""
        _, in_zone, *found = self.play("count=1\nzone=floor", "count=1", "count=2", "count=1\ndwell=2", "count=1\ndwell=60")
        self.assertEqual([(event["event"], event["zone"], event["count"]) for event in in_zone], [("count", "floor", 1)])
        self.assertEqual([len(events) for events in found], [1, 0, 1, 0])

    def test_errors_name_their_line(self):
        for rule, sentence in (
                ("[event a]\nactoin=true", "watch.conf:6: unknown key 'actoin': did you mean 'action'?"), ("[event a]\nevent=enters", "watch.conf:6: unknown event 'enters'"),
                ("[event a]\ndwell=long", "watch.conf:6: dwell must be a number of seconds"), ("[event a]\ncount=0", "watch.conf:6: count must be"),
                ("[event a]\ndwell=2\nevent=leave", "watch.conf:5: dwell= and event= cannot be used together"),
                ("[event a]\ntimes=25:00-26:00", "watch.conf:6: '25:00-26:00' is not a time of day"), ("[event a]\nafter=b", "watch.conf:5: after= and within="),
                ("[event a]\naction=true\nafter=b\nwithin=3", "watch.conf:5: there is no [event b]"), ("[event a]\nlabel=x", "watch.conf:5: [event a] needs action="),
                ("[event a]\naction=true\nlabel=dog, @people", "watch.conf:7: '@people' is a label group"),
                ("[event a]\naction=true\ncamera=none", "watch.conf:5: there is no [camera none]"),
                ("[event a]\naction=true\nzone=floor\nevent=in,out", "watch.conf:5: zone=floor has no line, so the rule can never match"),
                ("[event a]\naction=true\nzone=middle\ndwell=2", "watch.conf:5: zone=middle has no area, so the rule can never match"),
                ("[event a]\naction=true\nafter=a\nwithin=3", "watch.conf:5: after=a names the rule itself"),
                ("[event a]\naction=true\nzone=flor", "watch.conf:5: no camera of this rule has a zone 'flor': did you mean 'floor'?"),
                ("[event a]\ncamera=cam\n[event b]\naction=true\nafter=a\nwithin=3\ncamera=live\n[camera live]\nsource=rtsp://127.0.0.1:1/a",
                 "watch.conf:7: after=a links events whose times cannot be compared"), ("[event a]\npicture=maybe", "watch.conf:6: picture: use true or false")):
            with self.subTest(rule):
                said = command(ODT, "watch", "--config", self.configure(rule, f"[camera cam]\nsource={self.clip()}"))
                self.assertEqual((said.returncode, said.stdout), (2, ""), said.stderr)
                self.assertIn(sentence, said.stderr)


class Commands(Ruled):

    def test_environment_and_failures(self):
        script = f"env | grep ^ODT_ >> {self.path('variables')}; echo printed; exit 3"
        clip = self.clip(frames=100)
        said, complaints = self.watch("--config", self.configure(f"[camera cam]\nsource={clip}", f"[event one]\nevent=enter\naction={script}"))
        with open(self.path("variables"), encoding="utf-8") as file:
            variables = dict(line.rstrip("\n").split("=", 1) for line in file)
        self.assertLessEqual({"ODT_RULE": "one", "ODT_CAMERA": "cam", "ODT_KIND": "zone", "ODT_EVENT": "enter", "ODT_ZONE": "floor", "ODT_LABEL": ""}.items(), variables.items())
        self.assertLess(abs(int(variables["ODT_TIME"]) / 1000 - time.time()), 300)
        # The output of a command does not disturb the lines of JSON.
        self.assertIn("printed\n", complaints)
        self.assertIn("exit code 3", complaints)
        self.assertGreater(len(results(said, "cam")), 90)

    def test_endless_commands_do_not_block_cameras_or_exit(self):
        """After a signal the watch waits for all commands at once, and deletes their pictures and those of a killed process."""
        with open(self.path("odt-event-abcdef.jpg"), "wb"):
            pass
        os.utime(self.path("odt-event-abcdef.jpg"), (0, 0))
        rules = [f"[event {number}]\nevent=begin\naction=sleep {1000 + number}" for number in range(10)]
        picture = f"[event picture]\nevent=end\npicture=true\naction=cp $ODT_PICTURE {self.path('copy.jpg')}; sleep 1000"
        conf = self.configure(f"[camera cam]\nsource={self.clip(frames=400)}", *rules, picture)
        start = time.monotonic()
        with Watch("--config", conf, "--on-event", "sleep 1000", TMPDIR=self.folder) as watch:
            watch.wait(lambda said: len(results(said, "cam")) == 400 and "copy.jpg" in self.names())
            self.assertEqual(watch.end(), 0)
        self.assertLess(time.monotonic() - start, 40)
        self.assertEqual(len(results(watch.said, "cam")), 400)
        self.assertRegex("".join(watch.complaints), r"'sleep': \d+ events not delivered")
        self.assertIn("copy.jpg", self.names())
        self.assertEqual([name for name in self.names() if name.startswith("odt-event-")], [])

    @needs_server
    def test_queued_events_survive_a_change_of_the_command(self):
        """The running command ends normally, and the new command gets the other events."""
        camera = FastCamera()
        with Watch("--config", self.configure(f"[camera cam]\nsource={camera.address}", f"[event a]\nzone=middle\naction=sleep 3; {self.note()}")) as watch:
            crossings = lambda said: [line["direction"] for line in said if line["message"] == "swiftodt-zone" and line["event"] == "cross"]
            watch.wait(lambda said: len(crossings(said)) >= 4)
            self.configure(f"[camera cam]\nsource={camera.address}", f"[event a]\nzone=middle\naction={self.note('later')}")
            watch.program.send_signal(signal.SIGHUP)
            watch.wait(lambda _: any("configuration reloaded" in line for line in watch.complaints) and self.noted("later"))
            self.assertEqual(watch.end(), 0)
        told = [event["direction"] for event in self.noted() + self.noted("later")]
        self.assertGreater(len(self.noted()), 0)
        self.assertEqual(told, crossings(watch.said))


@needs_soup
class Requests(Ruled):

    def receiver(self, **words):
        receiver = Receiver(**words)
        self.addCleanup(receiver.close)
        return receiver

    @needs_server
    def test_receiver_that_fails_and_recovers(self):
        """All events arrive in order after the receiver has recovered. Cameras and other receivers are not delayed."""
        camera, broken, good = FastCamera(), self.receiver(), self.receiver()
        broken.status = 503
        conf = self.configure(f"[camera cam]\nsource={camera.address}", f"[event broken]\nzone=middle\naction={broken.url}", f"[event good]\nzone=middle\naction={good.url}")
        with Watch("--config", conf) as watch:
            watch.wait(lambda _: len(good.bodies) >= 3)
            self.assertEqual(broken.accepted(), [])
            count = len(results(watch.said, "cam"))
            broken.stalls.clear()
            watch.wait(lambda said: len(results(said, "cam")) > count + 30)
            broken.status = 200
            broken.stalls.set()
            watch.wait(lambda _: len(broken.accepted()) >= 3)
            self.assertEqual([body["time"] for body in broken.accepted()[:3]], [body["time"] for body in good.accepted()[:3]])
            self.assertEqual(watch.end(), 0)
        text = "".join(watch.complaints)
        self.assertIn("status 503; events are queued and sent later", text)
        self.assertIn("works again", text)
        self.assertNotIn("secret", text)
        self.assertEqual({kind for _, kind, _ in good.bodies}, {"application/json"})

    def test_receiver_that_is_absent_at_first(self):
        first = self.receiver()
        first.close()
        clip = self.clip()
        with Watch("--on-event", first.url, f"cam={clip}", "--page=0") as watch:
            # The file plays for 2 s because of the page.
            watch.wait(lambda _: any("events are queued" in line for line in watch.complaints))
            second = self.receiver(port=first.port)
            watch.wait(has("ended"))
            self.assertEqual(watch.program.wait(60), 0)
        self.assertEqual([(body["kind"], body["event"]) for body in second.accepted()][:1], [("camera", "connected")])
        self.assertEqual(second.accepted()[-1]["event"], "ended")

    def test_rejected_event_is_not_sent_again(self):
        receiver = self.receiver()
        receiver.status = 404
        _, complaints = self.watch("--on-event", receiver.url, f"cam={self.clip(frames=100)}")
        self.assertEqual([body["event"] for _, _, body in receiver.bodies], ["connected", "begin", "end", "ended"])
        self.assertIn("status 404\n", complaints)

    def test_answer_without_end_delays_no_event(self):
        receiver = self.receiver()
        receiver.is_endless = True
        _, complaints = self.watch("--on-event", receiver.url, f"cam={self.clip(frames=100)}")
        self.assertEqual([body["event"] for _, _, body in receiver.bodies], ["connected", "begin", "end", "ended"])
        self.assertEqual(complaints, "")

    def test_redirect_is_an_error(self):
        receiver, target = self.receiver(), self.receiver()
        receiver.status, receiver.location = 302, target.url
        _, complaints = self.watch("--on-event", receiver.url, f"cam={self.clip(frames=100)}")
        self.assertEqual((len(receiver.bodies), target.bodies), (4, []))
        self.assertIn("status 302: the URL redirects, so nothing was delivered", complaints)

    @needs_server
    def test_rules_are_reloaded(self):
        camera, first, second = FastCamera(), self.receiver(), self.receiver()
        with Watch("--config", self.configure(f"[camera cam]\nsource={camera.address}", f"[event a]\nzone=middle\naction={first.url}")) as watch:
            watch.wait(lambda _: first.bodies)
            self.configure(f"[camera cam]\nsource={camera.address}", f"[event a]\nzone=middle\naction={second.url}")
            watch.program.send_signal(signal.SIGHUP)
            watch.wait(lambda _: second.bodies)
            self.assertEqual([line["event"] for line in watch.said if line["message"] == "swiftodt-camera"], ["connected"])


@needs_soup
class Pictures(Ruled):

    def picture(self, data):
        """Returns the width, the height and the RGB values of a JPEG file."""
        with open(self.path("crop.jpg"), "wb") as file:
            file.write(data)
        said = command("gst-launch-1.0", "-q", "filesrc", f"location={self.path('crop.jpg')}", "!", "jpegdec", "!", "videoconvert", "!", "video/x-raw,format=RGB",
                       "!", "pngenc", "!", "filesink", f"location={self.path('crop.png')}")
        self.assertEqual(said.returncode, 0, said.stderr)
        said = command("gst-launch-1.0", "-q", "filesrc", f"location={self.path('crop.png')}", "!", "pngdec", "!", "videoscale", "!", "videoconvert", "!",
                       "video/x-raw,format=GRAY8,width=32,height=32", "!", "filesink", f"location={self.path('crop.gray')}")
        self.assertEqual(said.returncode, 0, said.stderr)
        with open(self.path("crop.gray"), "rb") as file:
            return file.read()

    def test_best_picture_of_the_object(self):
        receiver = Receiver()
        self.addCleanup(receiver.close)
        clip = self.clip(frames=100)
        self.watch("--config", self.configure(f"[camera cam]\nsource={clip}", f"[event a]\nevent=end\npicture=true\naction={receiver.url}"))
        [body] = receiver.accepted()
        gray = self.picture(base64.b64decode(body["picture"]))
        # The ball is white in the middle of its box, and the edges are black.
        self.assertGreater(gray[16 * 32 + 16], 200)
        self.assertLess(max(gray[:4]), 60)
        self.watch("--config", self.configure(f"[camera cam]\nsource={clip}", f"[event a]\nevent=end\npicture=true\naction=cp $ODT_PICTURE {self.path('copy.jpg')}; echo $ODT_PICTURE > {self.path('name')}"))
        with open(self.path("copy.jpg"), "rb") as file:
            self.assertEqual(file.read(2), b"\xff\xd8")
        with open(self.path("name"), encoding="ascii") as file:
            self.assertFalse(os.path.exists(file.read().strip()))

    @unittest.skipUnless(shutil.which("curl"), "needs curl")
    def test_documented_notification_has_a_picture(self):
        """The rule of docs/notifications.md, at any time of day and for objects without label."""
        receiver = Receiver()
        self.addCleanup(receiver.close)
        with open(f"{ROOT}/docs/notifications.md", encoding="utf-8") as file:
            configuration = re.search(r"```ini\n(.*?)```", file.read(), re.DOTALL)[1]
        with open(self.path("yard.json"), "w", encoding="ascii") as file:
            file.write(ZONES.replace("floor", "yard"))
        clip = self.clip(frames=250)
        for text, other in (("rtsp://192.168.1.20/stream1", clip), ("label=person\n", ""), ("dwell=5", "dwell=2"), ("times=22:00-06:00\n", ""),
                            ("https://ntfy.sh/my-secret-topic", f"http://127.0.0.1:{receiver.port}/topic")):
            self.assertEqual(configuration.count(text), 1, text)
            configuration = configuration.replace(text, other)
        with open(self.path("watch.conf"), "w", encoding="utf-8") as file:
            file.write(configuration)
        self.assertEqual(self.watch("--config", self.path("watch.conf")), ([], ""))
        (title, picture), = receiver.files
        self.assertEqual((title, picture[:2]), ("Person at gate", b"\xff\xd8"))

    def test_pictures_are_redacted(self):
        receiver = Receiver()
        self.addCleanup(receiver.close)
        clip = self.clip(frames=100)

        def pixels(*words):
            receiver.bodies.clear()
            self.watch("--config", self.configure(f"[camera cam]\nsource={clip}", f"[event a]\nevent=end\npicture=true\naction={receiver.url}"), *words)
            return self.picture(base64.b64decode(receiver.accepted()[0]["picture"]))

        plain, again, hidden = pixels(), pixels(), pixels("--set=box-style=pixelate", "--set=draw-labels=false")
        difference = lambda one, other: sum(abs(a - b) for a, b in zip(one, other)) / len(one)
        self.assertLess(difference(plain, again), 5)
        self.assertGreater(difference(plain, hidden), 15)

    @needs_server
    def test_waiting_events_have_no_pictures_without_present_redaction(self):
        receiver = Receiver()
        self.addCleanup(receiver.close)
        receiver.status = 503
        source = FastCamera()
        camera, rule = f"[camera cam]\nsource={source.address}", f"[event a]\nevent=begin\npicture=true\naction={receiver.url}"
        with Watch("--config", self.configure(camera, rule)) as watch:
            watch.wait(lambda _: receiver.bodies)
            sharp = receiver.bodies[0][2]
            self.configure(camera + "\nbox-style=pixelate", rule)
            watch.program.send_signal(signal.SIGHUP)
            watch.wait(lambda _: any("configuration reloaded" in line for line in watch.complaints))
            receiver.status = 200
            watch.wait(lambda _: receiver.accepted())
            waiting = receiver.accepted()[0]
            self.assertEqual(sharp.pop("picture")[:4], "/9j/")
            self.assertEqual(waiting, sharp)

    def test_pictures_are_refused_if_redaction_is_not_guaranteed(self):
        said = command(ODT, "watch", "--config", self.configure(f"[camera cam]\nsource={self.clip()}\nbox-style=blur\nprivacy-strict=false", "[event a]\npicture=true\naction=true"))
        self.assertEqual((said.returncode, said.stdout), (2, ""))
        self.assertIn("cam: picture=true or clips would show pictures although privacy-strict=false", said.stderr)


if __name__ == "__main__":
    unittest.main()
