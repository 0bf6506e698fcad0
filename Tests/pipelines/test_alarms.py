"""odt watch reports cameras that deliver frames, but a picture that is covered, frozen or of another scene."""
import json
import sqlite3
import subprocess
import unittest

from brokers import Broker, needs_broker
from paged import Paged, needs_soup
from test_schema import complaints, SCHEMA
from watching import Watch, Watching

SCENE = "128+60*sin(X/23)+50*sin(Y/17+X/41)"
PARTS = (("scene", 20), ("black", 12), ("scene", 12), ("frozen", 12), ("shifted", 12), ("scene", 8))
# Starts black soon, for tests in which the file plays at its own speed.
SOON_BLACK = (("scene", 2), ("black", 20))
EXPECTED = [("covered", None), ("restored", "covered"), ("frozen", None), ("restored", "frozen"), ("moved", None), ("restored", "moved")]


class Alarms(Watching):

    def film(self, parts=PARTS):
        """Makes a video with a noisy scene, a black picture, a frozen picture and the scene from another direction."""
        sources, rate = {"scene": (0, "noise=alls=9:allf=t"), "frozen": (0, "null"), "shifted": (95, "noise=alls=9:allf=t")}, 4
        filters = []
        for number, (name, seconds) in enumerate(parts):
            if name == "black":
                filters.append(f"color=black:s=160x120:r={rate}:d={seconds}[p{number}]")
            else:
                shift, noise = sources[name]
                filters.append(f"nullsrc=s=160x120:r={rate}:d={seconds},geq=lum='{SCENE.replace('X', f'(X+{shift})')}':cb=128:cr=128,{noise}[p{number}]")
        joined = "".join(f"[p{number}]" for number in range(len(parts))) + f"concat=n={len(parts)}[out]"
        subprocess.run(["ffmpeg", "-v", "error", "-y", "-filter_complex", ";".join([*filters, joined]), "-map", "[out]", "-pix_fmt", "yuvj420p", "-q:v", "2",
                        "-c:v", "mjpeg", self.path("film.mkv")], check=True, stdin=subprocess.DEVNULL)
        return self.path("film.mkv")

    def alarms(self, said):
        return [(line["event"], line.get("reason")) for line in said if line["message"] == "swiftodt-alarm"]

    def test_events_reach_all_outputs(self):
        store, noted = self.path("events.sqlite"), self.path("noted")
        with open(self.path("watch.conf"), "w", encoding="utf-8") as file:
            file.write(f"[watch]\npicture-alarm=5\nstore={store}\n[camera cam]\nsource={self.film()}\n"
                       f"[event blind]\nevent=covered,frozen,moved,restored\naction=cat >> {noted}\n")
        said, errors = self.watch("--config", self.path("watch.conf"))
        self.assertEqual(errors, "")
        self.assertEqual(self.alarms(said), EXPECTED)
        times, start = {}, 0
        for name, seconds in PARTS:
            times.setdefault(name, start)
            start += seconds
        for line in said:
            if line["message"] == "swiftodt-alarm":
                self.assertEqual(complaints(line, SCHEMA), [])
                part = {"covered": "black", "frozen": "frozen", "moved": "shifted"}.get(line["event"])
                if part:
                    self.assertTrue(5 <= line["running-time"] / 1e9 - times[part] <= 7.5, line)
        with open(noted, encoding="utf-8") as file:
            events = [json.loads(line) for line in file]
        self.assertEqual([(event["kind"], event["event"], event.get("reason")) for event in events], [("alarm", *alarm) for alarm in EXPECTED])
        with sqlite3.connect(store) as database:
            self.assertEqual(database.execute("SELECT event, reason FROM alarm ORDER BY id").fetchall(), EXPECTED)
        database.close()

    def test_options(self):
        film = self.film()
        said, _ = self.watch("--picture-alarm=off", f"cam={film}")
        self.assertEqual(self.alarms(said), [])
        # A problem that is shorter than the time is not reported. The usual times of an hour are unknown in the first three days.
        said, _ = self.watch("--picture-alarm=30", "--quiet-alarm=2", f"cam={film}")
        self.assertEqual(self.alarms(said), [])
        for option, sentence in (("--picture-alarm=0", "--picture-alarm must be a number"), ("--quiet-alarm=1", "--quiet-alarm must be a number")):
            self.assertIn(sentence, self.watch(option, f"cam={film}", code=2)[1])

    @needs_broker
    def test_broker(self):
        with Broker(self.folder, "allow_anonymous true") as broker:
            with Watch("--picture-alarm=1", f"--mqtt=mqtt://{broker.address}/house", "--page=0", f"cam={self.film(SOON_BLACK)}") as watch:
                watch.wait(lambda said: self.alarms(said))
                retained = broker.wait(lambda kept: kept.get("house/cam/alarm") == "covered")
                self.assertEqual(watch.end(), 0)
        (text,) = (text for topic, text in retained.items() if topic.startswith("homeassistant/binary_sensor/") and topic.endswith("/alarm/config"))
        self.assertEqual(json.loads(text)["state_topic"], "house/cam/alarm")


@needs_soup
class Metric(Alarms, Paged):

    def test_events_reach_all_outputs(self):
        """The metric is 1 while the picture is covered. The file plays at its own speed."""
        watch = self.serve("--picture-alarm=1", clip=self.film(SOON_BLACK))
        watch.wait(lambda said: self.alarms(said))
        text = self.get("/metrics")[2].decode()
        self.assertIn('swiftodt_camera_problem{camera="cam",problem="covered"} 1', text)
        self.assertIn('swiftodt_camera_problem{camera="cam",problem="frozen"} 0', text)
        self.assertIn(("alarm", "covered"), [(event["kind"], event["event"]) for event in self.ask("/api/events?since=0")["events"]])
        self.assertEqual(self.ask("/api/cameras")["cameras"][0]["problems"], ["covered"])

    test_options = test_broker = None


if __name__ == "__main__":
    unittest.main()
