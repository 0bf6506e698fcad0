"""odt watch --clips saves a clip and a picture of each event."""
import glob
import hashlib
import json
import os
import shutil
import subprocess
import unittest

from brokers import Broker, needs_broker
from paged import Paged, ZONES, needs_soup
from streams import balls, command, difference
from watching import CodedCamera, Watch, Watching, clock_is_trusted, needs_server

CODER = "x264enc speed-preset=ultrafast key-int-max=25"


def probe(path, *words):
    said = subprocess.run(["ffprobe", "-v", "error", "-of", "json", *words, path], capture_output=True, text=True, check=True)
    if said.stderr:
        raise AssertionError(said.stderr)
    return json.loads(said.stdout)


def packets(path):
    """Returns whether each packet of a video is a key frame, and a hash of its bytes."""
    return [(line["flags"].startswith("K"), line["data_hash"]) for line in probe(path, "-show_packets", "-show_data_hash", "md5")["packets"]]


def length(path):
    times = [float(line["pts_time"]) for line in probe(path, "-show_packets")["packets"]]
    return max(times) - min(times)


def pixels(jpeg, folder):
    """Decodes a JPEG file to RGB, and returns its width, height and bytes."""
    size = probe(jpeg, "-show_streams")["streams"][0]
    raw = subprocess.run(["ffmpeg", "-v", "error", "-i", jpeg, "-f", "rawvideo", "-pix_fmt", "rgb24", "-"], capture_output=True, check=True, cwd=folder).stdout
    return size["width"], size["height"], raw


class Clipping(Watching):

    def clips(self, ending="mkv", camera="cam"):
        return sorted(glob.glob(self.path(f"clips/{camera}/{camera}-*.{ending}")))

    def recorded(self, *words):
        return ["--record", self.path("video"), "--clips", self.path("clips"), *words]

    def check(self, path, shortest, longest):
        """A clip is H.264 that begins with a key frame, decodes without an error and has a certain duration in seconds."""
        self.assertEqual(probe(path, "-show_streams")["streams"][0]["codec_name"], "h264")
        self.assertTrue(packets(path)[0][0])
        # A live camera's frames can be closer than its frame rate.
        self.assertEqual(command("ffmpeg", "-v", "error", "-i", path, "-fps_mode", "vfr", "-f", "null", "-").stderr, "")
        self.assertTrue(shortest <= length(path) <= longest, length(path))


class Clips(Clipping):

    def test_clip_and_picture_of_an_event(self):
        source = self.clip(frames=250, coder=CODER)
        said, complaints = self.watch(*self.recorded("--clips-before=1", "--clips-after=2"), f"cam={source}")
        self.assertEqual(complaints, "")
        (begin,) = [line for line in said if line["message"] == "swiftodt-track" and line["event"] == "begin"]
        (clip,), (picture,) = self.clips(), self.clips("jpg")
        self.assertEqual(os.path.splitext(clip)[0], os.path.splitext(picture)[0])
        time = begin["running-time"] / 1e9
        self.check(clip, time + 2 - max(0, time - 1) - 0.1, time + 2.1)
        # The frames are copied, not encoded again.
        whole, part = packets(source), packets(clip)
        place = whole.index(part[0])
        self.assertEqual(whole[place:place + len(part)], part)
        width, height, raw = pixels(picture, self.folder)
        self.assertEqual((width, height), (320, 240))
        green = [place for place in range(width * height) if raw[3 * place] < 90 and raw[3 * place + 1] > 150 and raw[3 * place + 2] < 140]
        self.assertGreater(len(green), 40)
        columns = [place % width for place in green]
        # The box surrounds the ball and no other part of the picture.
        self.assertLess(max(columns) - min(columns), 160)

    def test_rules_select_events(self):
        """Without a rule, crossings are selected. With clip=true, only the events of the rule are."""
        source = self.clip(frames=500, coder=CODER)
        with open(self.path("zones.json"), "w", encoding="ascii") as file:
            file.write(ZONES)
        with open(self.path("watch.conf"), "w", encoding="utf-8") as file:
            file.write(f"[watch]\nrecord=video\nclips=clips\nclips-before=0.5\nclips-after=0.5\n[cameras]\nzones=zones.json\n[camera cam]\nsource={source}\n"
                       "[event in]\nevent=in\nclip=true\n")
        said, complaints = self.watch("--config", self.path("watch.conf"))
        self.assertEqual(complaints, "")
        times = [line["event-running-time"] / 1e9 if "event-running-time" in line else line["running-time"] / 1e9 for line in said
                 if line["message"] == "swiftodt-zone" and line["event"] == "cross" and line["direction"] == "in"]
        groups = [time for place, time in enumerate(times) if not place or time - times[place - 1] > 0.5]
        self.assertEqual(len(self.clips()), len(groups))
        for clip in self.clips():
            self.check(clip, 0.6, 2.6 + 0.5 * len(times))

    def test_unfinished_files_of_a_crash_are_cleaned_up(self):
        """An unfinished clip gets its final name, and an unfinished picture is deleted. Files of other names stay."""
        source = self.clip()
        os.makedirs(self.path("clips/cam"))
        for name in ("cam-2026-11-22T15-45-01Z.part.mkv", "cam-2026-11-22T15-45-01Z.part.jpg", "other.part.mkv", "other.part.jpg"):
            with open(self.path(f"clips/cam/{name}"), "w", encoding="ascii") as file:
                file.write(name)
        self.watch(*self.recorded(), f"cam={source}")
        names = [name for name in os.listdir(self.path("clips/cam")) if "15-45-01" in name or "other" in name]
        self.assertEqual(sorted(names), ["cam-2026-11-22T15-45-01Z.mkv", "other.part.jpg", "other.part.mkv"])

    @needs_soup
    def test_a_second_watch_is_refused_where_another_saves_clips_of_the_same_camera(self):
        """It would give the names of running clips to its own clips. Another camera may use the folder."""
        source = self.clip(frames=3000, coder=CODER)
        with Watch("--page=0", *self.recorded(), f"cam={source}") as watch:
            watch.wait(lambda said: said)
            words = ("--record", self.path("other"), "--clips", self.path("clips"))
            _, complaints = self.watch(*words, f"cam={self.clip('short.mkv')}", code=1)
            self.assertIn(f"another odt watch uses the folder {self.path('clips')}/cam: ", complaints)
            self.assertIn("--clips DIR", complaints)
            self.watch(*words, f"second={self.path('short.mkv')}")

    def test_redaction_that_is_not_guaranteed(self):
        source = self.clip()
        with open(self.path("watch.conf"), "w", encoding="utf-8") as file:
            file.write(f"[camera cam]\nsource={source}\n[event in]\nevent=in\nclip=true\n")
        with open(self.path("lost.conf"), "w", encoding="utf-8") as file:
            file.write(f"[watch]\nrecord=video\nclips=clips\n[camera cam]\nsource={source}\n[event gone]\nevent=lost\nclip=true\n")
        with open(self.path("unrecorded.conf"), "w", encoding="utf-8") as file:
            file.write(f"[watch]\nrecord=video\nclips=clips\n[camera cam]\nsource={source}\nrecord=false\n[event in]\nevent=in\nclip=true\ncamera=cam\n")
        os.symlink("x", self.path("link"))
        for words, sentence in (
                (["--config", self.path("unrecorded.conf")], "clip=true needs a camera that is recorded"),
                (["--record", self.path("x"), "--clips", self.path("./link")], "--clips needs another folder than --record"),
                (["--config", self.path("lost.conf")], "clip=true cannot save a clip of 'lost', which has no frame"),
                (["--clips", "x"], "--clips needs --record"), (["--record", "x", "--clips-after", "3"], "--clips-after needs --clips"),
                (["--record", "x", "--clips", "x/"], "--clips needs another folder than --record"), (["--clips-before", "90", *self.recorded()], "--clips-before must be"),
                ([*self.recorded(), "--set", "privacy-labels=person"], "would record the original video"),
                ([*self.recorded("--record-annotated"), "--set", "privacy-labels=person", "--set", "privacy-strict=false"], "clips would show pictures"),
                (["--config", self.path("watch.conf")], "clip=true needs clips=DIR")):
            with self.subTest(sentence):
                _, complaints = self.watch(*words, f"other={source}", code=2)
                self.assertIn(sentence, complaints)
        self.assertEqual(self.clips(), [])

    def test_oldest_clips_are_deleted_while_they_exceed_a_limit(self):
        source = self.clip(frames=250, coder=CODER)
        self.watch(*self.recorded(), f"cam={source}")
        (clip,), (picture,) = self.clips(), self.clips("jpg")
        old = [self.path(f"clips/cam/cam-2001-01-01T00-00-0{number}Z") for number in range(5)]
        for name in old:
            for original, ending in ((clip, ".mkv"), (picture, ".jpg")):
                shutil.copy(original, name + ending)
            with open(name + ".mkv", "ab") as file:
                file.write(bytes(300 << 10))
        with open(self.path("clips/cam/other.mkv"), "wb") as file:
            file.write(bytes(2 << 20))
        self.watch(*self.recorded("--clips-size=1M"), f"cam={source}")
        left = [name for name in self.clips() if not name.endswith("other.mkv")]
        kept = [name + ".mkv" for name in old if name + ".mkv" in left]
        self.assertIn(len(kept), (1, 2, 3))
        self.assertEqual(left[:-2], [name + ".mkv" for name in old[-len(kept):]])
        self.assertEqual([os.path.splitext(name)[0] for name in left], [os.path.splitext(name)[0] for name in self.clips("jpg")])
        # The newest clip was finished after the last check.
        self.assertLessEqual(sum(os.path.getsize(name) for name in left[:-1] + self.clips("jpg")[:-1]), 1 << 20)
        self.assertTrue(os.path.exists(self.path("clips/cam/other.mkv")))
        # In the first hour after the start of the machine, the clock may be wrong.
        self.watch(*self.recorded("--clips-days=1"), f"cam={source}")
        self.assertEqual([name for name in self.clips() if "-2001-" in name], [] if clock_is_trusted() else kept)

    def test_clips_and_pictures_are_redacted(self):
        source = self.clip(frames=100, coder=CODER)
        self.watch(*self.recorded("--record-annotated", "--set=draw=false"), f"cam={source}")
        (sharp,), (sharp_picture,) = self.clips(), self.clips("jpg")
        self.watch(*self.recorded("--record-annotated", "--set=box-style=pixelate", "--set=draw-labels=false"), f"cam={source}")
        (_, redacted), (_, redacted_picture) = self.clips(), self.clips("jpg")
        with open(redacted, "rb") as file:
            self.assertIn(b"redacted with box-style=pixelate;", file.read(4096))
        plain = balls(sharp)[0]
        self.assertLess(max(difference(plain, ball) for ball in balls(sharp)), 9)
        self.assertGreater(min(difference(plain, ball) for ball in balls(redacted)), 10)
        # Both pictures show a box, so the sharp picture differs from the clip, too.
        self.assertGreater(difference(plain, balls(redacted_picture)[0]), 1.4 * difference(plain, balls(sharp_picture)[0]))

    @needs_server
    def test_camera(self):
        """Clips of a camera begin before their event, and have a picture."""
        camera = CodedCamera(rate=40)
        with Watch(*self.recorded("--clips-before=1", "--clips-after=1"), "--zones", ZONES, f"cam={camera.address}") as watch:
            # The picture of a clip is written after the end of the clip. The clip of a short-lived object at the start of the stream may have none.
            watch.wait(lambda _: len(self.clips("jpg")) >= 2)
            self.assertEqual(watch.end(), 0)
        for picture in self.clips("jpg")[:2]:
            self.check(picture.replace(".jpg", ".mkv"), 0.9, 63)


@needs_soup
class Page(Clipping, Paged):

    def test_page_serves_clips(self):
        watch = self.serve(*self.recorded("--clips-after=1"), frames=500)
        self.until(lambda: any("cam: the file plays at its own speed because of --page" in line for line in watch.complaints))
        clip = self.until(lambda: self.ask("/api/clips?since=0")["clips"])[0]
        events = self.ask("/api/events?since=0")["events"]
        self.assertTrue(any(event["event"] == "begin" and clip["from"] <= event["time"] <= clip["to"] for event in events), (clip, events))
        self.assertTrue(all(other["number"] > clip["number"] for other in self.ask(f"/api/clips?since={clip['number']}")["clips"]))
        for name, kind in ((clip["video"], "video/x-matroska"), (clip["picture"], "image/jpeg")):
            status, headers, body = self.get(f"/clips/cam/{name}")
            self.assertEqual((status, headers["Content-Type"]), (200, kind))
            with open(self.path(f"clips/cam/{name}"), "rb") as file:
                self.assertEqual(hashlib.md5(file.read()).digest(), hashlib.md5(body).digest())
            self.assertEqual(self.get(f"/clips/cam/{name}", host="example.org")[0], 403)
        with open(self.path("secret.mkv"), "w", encoding="ascii") as file:
            file.write("secret")
        link = clip["video"].replace("Z.mkv", "Z_9.mkv")
        os.symlink(self.path("secret.mkv"), self.path(f"clips/cam/{link}"))
        for path in (f"cam/{link}", "cam/..%2F..%2Fsecret.mkv", "cam/../../secret.mkv", f"other/{clip['video']}", "cam/secret.mkv",
                     f"cam/{clip['video']}%00", f"cam/{clip['video'].replace('.mkv', '.part.mkv')}", f"cam/{clip['video'].replace('.mkv', '.txt')}", "cam/", "cam"):
            with self.subTest(path):
                self.assertIn(self.get(f"/clips/{path}")[0], (400, 404))


    def test_clips_without_the_present_redaction_are_not_served(self):
        def newest(watch, before=""):
            clip = self.until(lambda: [one for one in self.ask("/api/clips?since=0")["clips"] if one["video"] > before])[0]
            return watch, [f"/clips/cam/{clip[name]}" for name in ("video", "picture")]

        watch, sharp = newest(self.serve(*self.recorded("--clips-after=1"), frames=500))
        self.assertEqual([self.get(path)[0] for path in sharp], [200, 200])
        watch.end()
        redaction = ("--record-annotated", "--set=box-style=pixelate")
        watch, redacted = newest(self.serve(*self.recorded("--clips-after=1", *redaction), frames=500), os.path.basename(sharp[0]))
        self.assertEqual([self.get(path)[0] for path in sharp + redacted], [403, 403, 200, 200])


@needs_broker
class Broadcast(Clipping):

    def test_broker_keeps_the_picture(self):
        source = self.clip(frames=250, coder=CODER)
        with Broker(self.folder, "allow_anonymous true") as broker:
            self.watch(*self.recorded(), f"--mqtt=mqtt://{broker.address}/house", f"cam={source}")
            said = subprocess.run(["mosquitto_sub", "-h", "127.0.0.1", "-p", str(broker.port), "-t", "house/cam/snapshot", "-C", "1", "-N", "-W", "5"], capture_output=True, check=True)
            with open(self.clips("jpg")[0], "rb") as file:
                self.assertEqual(said.stdout, file.read())
            (topic, text), = broker.retained("homeassistant/image/#").items()
        self.assertRegex(topic, "^homeassistant/image/swiftodt_house_cam_[0-9a-f]+/snapshot/config$")
        self.assertEqual({name: json.loads(text)[name] for name in ("image_topic", "content_type")}, {"image_topic": "house/cam/snapshot", "content_type": "image/jpeg"})


if __name__ == "__main__":
    unittest.main()
