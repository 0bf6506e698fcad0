"""`odt watch --store` keeps its data after crashes, stays below its size limit, and gives the same report as the messages."""
import base64
import json
import os
import re
import resource
import shutil
import sqlite3
import subprocess
import time
import unittest
import urllib.parse

from browser import CHROMIUM, Browser
from streams import InFolder, ROOT, command, encoded
from test_gate import needs
from test_mqtt import ZONES
from watching import ODT, Camera, CodedCamera, FastCamera, Watch, clock_is_trusted, needs_server, results

SECOND, DAY = 1000, 86_400_000
CODER = "x264enc key-int-max=10 speed-preset=ultrafast"


class Storing(InFolder):

    def walkers(self, name, frames, lanes, pause=7):
        """Writes detections in MOTChallenge's format: objects cross the frame in sequence, each in its own lane."""
        with open(self.path(name), "w", encoding="utf-8") as file:
            for frame in range(frames):
                for lane in range(lanes):
                    step = (frame + 11 * lane) % (60 + pause)
                    if step < 60:
                        file.write(f"{frame + 1},-1,{step * 5},{20 + 210 * lane // lanes},40,{150 // lanes},0.9\n")
        return self.path(name)

    def watch(self, *words, code=0, meanwhile=lambda: None):
        program = subprocess.Popen([ODT, "watch", *words], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, cwd=ROOT)
        while program.poll() is None:
            meanwhile()
            time.sleep(0.02)
        with program.stderr as complaints:
            said = complaints.read()
        self.assertEqual(program.returncode, code, said)
        return said

    def replay(self, seconds=30, *words, rate=10, lanes=3, camera="yard", meanwhile=lambda: None):
        """Watches a black video with such detections and with a store, and writes the messages to a file as well."""
        video = encoded(seconds * rate, "jpegenc", pattern="black", rate=rate)
        detections = self.walkers("detections.txt", seconds * rate, lanes)
        return self.watch(
            "--store", self.path("s.sqlite"), "--json", self.path("lines.jsonl"), "--zones", ZONES, "--set=detector=recorded",
            f"--set=detections-file={detections}", "--set=max-objects=50", *words, f"{camera}={video}",
            meanwhile=meanwhile)

    def ask(self, question, name="s.sqlite"):
        store = sqlite3.connect(f"file:{self.path(name)}?mode=ro", uri=True)
        try:
            return store.execute(question).fetchall()
        finally:
            store.close()

    def report(self, *words):
        said = command(ODT, "report", "--force", "-o", self.path("page.html"), *words)
        self.assertEqual(said.returncode, 0, said.stderr)
        with open(self.path("page.html"), encoding="utf-8") as file:
            return json.loads(re.search(r"id=data>(.*?)</script>", file.read(), re.DOTALL)[1])

    def refusal(self, *words):
        said = command(ODT, "report", "--force", "-o", self.path("page.html"), *words)
        self.assertNotEqual(said.returncode, 0)
        return said.stderr


class Keeping(Storing):
    """The content of the store."""

    def test_report_from_store_equals_report_from_messages(self):
        """Tracks, zone events and counts of the report are the same from the store and from the messages of the same run."""
        self.replay()
        lines, store = self.report(self.path("lines.jsonl")), self.report("--store", self.path("s.sqlite"))
        tracks = [sorted([track[0], data["labels"][track[1]], track[2], track[9]] for track in data["tracks"])
                  for data in (lines, store)]
        self.assertGreater(len(tracks[0]), 9)
        self.assertEqual(*tracks)
        for one, other in zip(*(sorted(data["tracks"]) for data in (lines, store))):
            for place in (3, 4, 5, 6, 7):
                self.assertAlmostEqual(one[place], other[place], delta=0.02 if place < 7 else 1, msg=f"{one} {other}")
        self.assertEqual(lines["sources"], store["sources"])
        self.assertAlmostEqual(lines["length"], store["length"], delta=1)
        self.assertGreater(sum(zone["eventCount"] for zone in lines["zones"]), 20)
        for one, other in zip(lines["zones"], store["zones"], strict=True):
            self.assertEqual([one[name] for name in ("name", "isLine", "eventCount")],
                             [other[name] for name in ("name", "isLine", "eventCount")])
            self.assertEqual([row[:5] for row in one["byLabel"]], [row[:5] for row in other["byLabel"]])
            self.assertEqual([event[1:3] for event in sorted(one["events"])], [event[1:3] for event in sorted(other["events"])])
            for first, second in zip(sorted(one["events"]), sorted(other["events"])):
                self.assertAlmostEqual(first[0], second[0], delta=0.02)
        # Boxes are stored once per second, so that positions are the same and durations approximate.
        warm = [sum(data["heat"][0]["cells"]) for data in (lines, store)]
        self.assertAlmostEqual(warm[0] / warm[1], 1, delta=0.1)

    @needs_server
    def test_report_of_any_time_range(self):
        """The report of a time range and of one camera. Missing cameras and times are errors."""
        self.replay()
        camera = Camera()
        with Watch("--store", self.path("s.sqlite"), f"door={camera.address}") as watch:
            watch.wait(lambda said: any(line["message"] == "swiftodt-track" for line in said))
            self.assertEqual(watch.end(), 0)
        (began, ended), = self.ask("SELECT began, ended FROM session JOIN camera ON camera.id = camera WHERE name = 'yard'")
        self.assertAlmostEqual(ended - began, 30 * SECOND, delta=2 * SECOND)
        store = ("--store", self.path("s.sqlite"))
        self.assertEqual(set(self.report(*store)["sources"]), {"yard", "door"})
        self.assertEqual(self.report(*store, "--camera=door")["sources"], ["door"])
        part = self.report(*store, "--camera", "yard", "--from", moment(began + 10 * SECOND), "--to", moment(began + 15 * SECOND, local=True))
        self.assertLessEqual(part["length"], 5.01)
        self.assertGreater(part["length"], 3.9)
        self.assertEqual(part["utc"] // SECOND, (began + 10 * SECOND) // SECOND)
        self.assertTrue(all(-0.01 <= track[3] and track[4] <= 5.01 for track in part["tracks"]), part["tracks"])
        events = self.ask(f"SELECT count(*) FROM zone_event WHERE time BETWEEN {began + 10 * SECOND} AND {began + 15 * SECOND}")
        self.assertEqual(sum(len(zone["events"]) for zone in part["zones"]), events[0][0])
        self.assertIn("no camera 'gate'; it has door, yard", self.refusal(*store, "--camera", "gate"))
        self.assertIn("it covers", self.refusal(*store, "--to", "2001-01-01"))
        for wrong in ("yesterday", "2026-13-01", "2026-02-30", "2026-01-01T25:00", "2026-01-01T10", "2026-01-01T10:00+1"):
            self.assertIn("2026-11-22T14:30", self.refusal(*store, "--from", wrong), wrong)
        self.assertIn("later than --to", self.refusal(*store, "--from", "2026-01-02", "--to", "2026-01-01"))
        self.assertIn("--store FILE.sqlite", self.refusal("--from", "2026-01-02", self.path("lines.jsonl")))

    def test_sessions_have_separate_ids(self):
        """Ids begin with 1 for each connection, so the same id means different objects."""
        self.replay(10)
        os.remove(self.path("lines.jsonl"))
        self.replay(10)
        per_session = self.ask("SELECT count(*) FROM track GROUP BY session")
        self.assertEqual(len(per_session), 2)
        self.assertEqual(len(self.report("--store", self.path("s.sqlite"))["tracks"]), sum(count for count, in per_session))

    def test_documented_queries_run(self):
        self.replay()
        with open(os.path.join(ROOT, "docs", "watch-reference.md"), encoding="utf-8") as file:
            queries = re.findall(r"```sql\n(.*?)```", file.read(), re.DOTALL)
        self.assertGreaterEqual(len(queries), 1)
        for query in queries:
            with self.subTest(query):
                self.assertTrue(self.ask(query))


class Pictures(Storing):
    """Pictures from the segments that the same watch recorded."""

    def page(self, *words):
        """Returns the pictures of the report's tracks, its frame, and the messages on standard error."""
        # The second time, the page exists.
        for _ in range(2):
            said = command(ODT, "report", "--force", "--store", self.path("s.sqlite"), self.path("page.html"), *words)
            self.assertEqual(said.returncode, 0, said.stderr)
        with open(self.path("page.html"), encoding="utf-8") as file:
            pictures = json.loads(re.search(r"id=pictures>(.*?)</script>", file.read(), re.DOTALL)[1])
        return pictures["tracks"], pictures["frame"], said.stderr

    def brightness(self, picture):
        """Returns the brightness of the middle of a JPEG picture, 0 to 255."""
        said = subprocess.run(
            ["ffmpeg", "-v", "error", "-i", "-", "-vf", "crop=iw/3:ih/3,scale=1:1:flags=area", "-f", "rawvideo", "-pix_fmt", "gray", "-"],
            input=base64.b64decode(picture), capture_output=True, timeout=60, check=True)
        return said.stdout[0]

    def test_each_track_has_its_picture_of_the_recorded_segments(self):
        watch = ("--quiet", "--store", self.path("s.sqlite"), "--record", self.path("video"), "--record-minutes=0.02", "--set=detector=motion",
                 f"yard={encoded(150, CODER)}")
        # A file is watched faster than real time, so the second session begins within the first one by the wall clock.
        self.assertEqual(self.watch(*watch), "")
        self.assertEqual(self.watch(*watch), "")
        self.assertGreater(self.ask("SELECT count(*) FROM segment")[0][0], 4)
        pictures, frame, complaints = self.page()
        self.assertEqual(len(pictures), 2)
        # The ball is white on black.
        for picture in pictures:
            self.assertGreater(self.brightness(picture), 150)
        self.assertTrue(frame)
        self.assertEqual(complaints, "")
        self.assertEqual(self.page("--no-pictures"), ([], "", ""))
        os.rename(self.path("video"), self.path("moved"))
        pictures, frame, complaints = self.page()
        self.assertEqual((pictures, frame), (["", ""], ""))
        self.assertIn("2 of 2 objects have no picture", complaints)
        pictures, _, complaints = self.page("--recordings", self.path("moved"))
        self.assertEqual(([self.brightness(picture) > 150 for picture in pictures], complaints), ([True, True], ""))

    def test_pictures_of_rotated_video_are_upright(self):
        """The recording has the frames of the video, and the boxes are in upright frames."""
        said = command("gst-launch-1.0", "-q", *(
            "videotestsrc num-buffers=100 pattern=ball ! video/x-raw,width=320,height=240,framerate=25/1 ! videoflip video-direction=180"
            " ! x264enc key-int-max=10 speed-preset=ultrafast ! h264parse ! mp4mux ! filesink").split(), f"location={self.path('down.mp4')}")
        self.assertEqual(said.returncode, 0, said.stderr)
        turned = ["-i", self.path("down.mp4"), "-c", "copy"]
        # ffmpeg from version 6 on, and earlier versions.
        if "display_rotation" in command("ffmpeg", "-v", "error", "-h", "full").stdout:
            turned = ["-display_rotation", "180", *turned]
        else:
            turned += ["-metadata:s:v", "rotate=180"]
        said = command("ffmpeg", "-v", "error", *turned, self.path("tagged.mp4"))
        self.assertEqual(said.returncode, 0, said.stderr)
        for words, video in (("--set=orientation=180", "down.mp4"), ("--set=orientation=auto", "tagged.mp4"),
                             ("--record-annotated", "tagged.mp4")):
            with self.subTest((words, video)):
                self.assertEqual(self.watch("--quiet", "--store", self.path("s.sqlite"), "--record", self.path("video"), "--set=detector=motion",
                                            words, f"yard={self.path(video)}"), "")
                pictures, frame, complaints = self.page()
                self.assertTrue(pictures)
                for picture in pictures:
                    self.assertGreater(self.brightness(picture), 150)
                self.assertTrue(frame)
                self.assertEqual(complaints, "")
                os.remove(self.path("s.sqlite"))

    @needs_server
    def test_pictures_of_a_live_camera_are_of_the_right_frame(self):
        camera = CodedCamera()
        with Watch("--store", self.path("s.sqlite"), "--record", self.path("video"), "--record-minutes=0.02", f"yard={camera.address}") as watch:
            watch.wait(lambda said: len(results(said, "yard")) > 60)
            self.assertEqual(watch.end(), 0, watch.complaints)
        pictures, frame, complaints = self.page("--from", "2001-01-01")
        self.assertTrue(pictures)
        for picture in pictures:
            self.assertGreater(self.brightness(picture), 150)
        self.assertTrue(frame)
        self.assertEqual(complaints, "")

    def test_a_store_without_recordings_has_no_pictures(self):
        """Also with a store of an earlier version, which has no table of segments."""
        self.replay(10)
        store = sqlite3.connect(self.path("s.sqlite"))
        store.execute("DROP TABLE segment")
        store.close()
        self.assertEqual(self.page(), ([], "", ""))
        self.replay(10)
        self.assertEqual(self.page(), ([], "", ""))


class Clips(Storing):
    """The clips to which a report links, and that it plays."""

    def save(self, *words, outputs=("record", "clips"), frames=200, coder=CODER):
        """Watches the ball with a store, and returns the names of the new clips."""
        before = self.saved()
        folders = [word for output in outputs for word in (f"--{output}", self.path(output))]
        self.watch("--quiet", "--store", self.path("s.sqlite"), *folders, "--zones", ZONES, "--set=detector=motion", *words, f"yard={encoded(frames, coder)}")
        return self.saved() - before

    def saved(self):
        return {name for name in os.listdir(self.path("clips/yard")) if name.endswith(".mkv")} if os.path.isdir(self.path("clips/yard")) else set()

    def page(self, *words, page="report/the page.html"):
        """Returns the clips to which the page links, by name, the number of its pictures, and the messages on standard error."""
        os.makedirs(os.path.dirname(self.path(page)), exist_ok=True)
        said = command(ODT, "report", "--force", "-o", self.path(page), "--store", self.path("s.sqlite"), *words)
        self.assertEqual(said.returncode, 0, said.stderr)
        with open(self.path(page), encoding="utf-8") as file:
            text = file.read()
        data, pictures = (json.loads(re.search(rf"id={name}>(.*?)</script>", text, re.DOTALL)[1]) for name in ("data", "pictures"))
        clips = {}
        for source, recording, first, last, video, picture, _ in data["clips"]:
            self.assertEqual(data["sources"][source], "yard")
            self.assertTrue(any(track[8] == source and track[10] == recording and first <= track[4] and track[3] <= last for track in data["tracks"]), data)
            files = [os.path.join(os.path.dirname(self.path(page)), urllib.parse.unquote(address)) for address in (video, picture) if address]
            self.assertTrue(all(map(os.path.isfile, files)), files)
            clips[os.path.basename(files[0])] = last - first
        self.assertEqual("media-src" in text, bool(clips))
        return clips, sum(map(bool, pictures["tracks"])), said.stderr

    def test_report_links_to_the_clips_of_the_store(self):
        names = self.save()
        self.assertTrue(names)
        clips, _, complaints = self.page()
        self.assertEqual((set(clips), complaints), (names, ""))
        self.assertTrue(all(1 <= length <= 14 for length in clips.values()), clips)
        # A page beside the clips has addresses that remain valid if both are moved.
        self.page(page="page.html")
        with open(self.path("page.html"), encoding="utf-8") as file:
            self.assertIn('"clips/yard/yard-', file.read())
        os.rename(self.path("clips"), self.path("moved & more"))
        clips, _, complaints = self.page()
        self.assertEqual(clips, {})
        self.assertIn(f"{len(names)} clip{'s' if len(names) > 1 else ''} deleted or moved (--clips DIR)", complaints)
        self.assertEqual(set(self.page("--clips", self.path("moved & more"))[0]), names)
        said = command(ODT, "report", "--clips", "x", "x.jsonl")
        self.assertIn("--clips needs --store", said.stderr)

    def test_clips_and_pictures_without_the_present_redaction_are_not_shown(self):
        sharp = self.save()
        self.assertEqual((set(self.page()[0]), self.page()[1]), (sharp, 1))
        redaction = ("--record-annotated", "--set=box-style=pixelate", "--set=privacy-threshold=0.2")
        redacted = self.save(*redaction)
        self.assertTrue(redacted)
        clips, pictures, complaints = self.page()
        # The picture of the second run is of a redacted recording.
        self.assertEqual((set(clips), pictures), (redacted, 1))
        self.assertIn("not linked: recorded without the redaction that the camera has now", complaints)
        # A renamed file is judged by its content.
        for name in redacted:
            shutil.copy(self.path(f"clips/yard/{min(sharp)}"), self.path(f"clips/yard/{name}"))
        self.assertEqual(self.page()[0], {})
        # A run with another redaction counts, also if it saves no clip.
        self.save("--set=box-style=blur", outputs=())
        self.assertEqual(self.page()[:2], ({}, 0))
        # Nothing is known about the redaction.
        store = sqlite3.connect(self.path("s.sqlite"))
        self.assertEqual(store.execute("SELECT name, word FROM redaction JOIN camera ON camera.id = camera").fetchall(), [("yard", "box-style=blur")])
        store.execute("DELETE FROM redaction")
        store.commit()
        store.close()
        self.assertEqual(self.page()[:2], ({}, 0))
        # Without redaction all clips are shown.
        newest = self.save()
        self.assertEqual(set(self.page()[0]), sharp | redacted | newest)

    def test_store_of_an_earlier_version(self):
        self.save()
        store = sqlite3.connect(self.path("s.sqlite"))
        store.executescript("DROP TABLE clip; DROP TABLE redaction")
        store.close()
        clips, pictures, complaints = self.page()
        # Nothing is known about the redaction of the camera.
        self.assertEqual((clips, pictures), ({}, 0))
        self.assertIn("not known to have the redaction of the camera", complaints)

    @unittest.skipUnless(CHROMIUM, "no chromium")
    def test_clips_are_played_in_the_browser(self):
        """With SWIFTODT_PICTURES=FOLDER the test leaves screenshots there."""
        self.save(frames=500)
        clips = self.page()[0]
        for name, width, height, mobile, dark in (("desk", 1280, 900, False, False), ("phone", 390, 844, True, True)):
            with self.subTest(name), Browser(width, height, mobile, dark) as browser:
                browser.open("file://" + urllib.parse.quote(self.path("report/the page.html")))
                browser.wait(f"document.querySelectorAll('#clips video').length === {len(clips)} && $('cards').children.length > 0")
                # Nothing is loaded before it is played.
                self.assertEqual(browser.evaluate("[...document.querySelectorAll('video')].map(one => one.readyState)"), [0] * len(clips))
                browser.evaluate("document.querySelector('#clips .names button').click()")
                browser.wait("!!$('chosen').querySelector('video')")
                for place in ("'#clips video'", "'#chosen video'"):
                    browser.evaluate(f"document.querySelector({place}).muted = true; document.querySelector({place}).play()")
                    browser.wait(f"document.querySelector({place}).currentTime > 0.2 && document.querySelector({place}).videoWidth === 320")
                seen = browser.evaluate("({wide: document.documentElement.scrollWidth, text: $('clips').innerText, foot: $('foot').innerText})")
                self.assertLessEqual(seen["wide"], width)
                # An object that is selected again is shown again.
                browser.evaluate("choose(null)")
                browser.wait("!$('chosen').innerText")
                browser.evaluate("document.querySelector('#clips .names button').click()")
                browser.wait("!!$('chosen').querySelector('video')")
                self.assertRegex(seen["text"], r"(?s)#1 object.*#1 (entered|left|crossed) ")
                self.assertIn("the clips are separate files", seen["foot"])
                self.assertEqual(browser.complaints, [])
                if folder := os.environ.get("SWIFTODT_PICTURES"):
                    browser.picture(os.path.join(folder, f"report-clips-{name}.png"), whole=True)
        os.rename(self.path("report/the page.html"), self.path("page.html"))
        with Browser() as browser:
            browser.open("file://" + self.path("page.html"))
            browser.wait("!!document.querySelector('#clips video')")
            browser.evaluate("document.querySelector('#clips video').muted = true; document.querySelector('#clips video').play().catch(() => {})")
            browser.wait("document.querySelector('#clips .unplayable')?.innerText.includes('Keep the page next to its clips')")

    @unittest.skipUnless(CHROMIUM, "no chromium")
    @needs("x265enc", "h265parse", "avdec_h265")
    def test_clips_in_h265_can_be_downloaded(self):
        """A browser that does not decode H.265 shows the reason instead of a black player."""
        self.assertTrue(self.save(coder="x265enc key-int-max=10 speed-preset=ultrafast ! h265parse"))
        self.page()
        with Browser() as browser:
            browser.open("file://" + urllib.parse.quote(self.path("report/the page.html")))
            browser.wait("$('cards').children.length > 0 && $('clips').children.length > 0")
            if browser.evaluate("PLAYS_H265"):
                self.skipTest("this browser plays H.265")
            self.assertEqual(browser.evaluate("document.querySelectorAll('video').length"), 0)
            note = browser.evaluate("(one => [one.innerText, one.querySelector('a').href, one.querySelector('img').naturalWidth])(document.querySelector('#clips .unplayable'))")
            self.assertIn("This browser cannot play H.265: download the file, or set the camera to H.264.", note[0])
            self.assertTrue(os.path.isfile(urllib.parse.unquote(note[1].removeprefix("file://"))), note)
            self.assertEqual(note[2], 320)
            self.assertEqual(browser.complaints, [])


class Surviving(Storing):
    """Crashes of the program and errors of the disk."""

    @needs_server
    def test_store_survives_kill(self):
        """All messages from more than a second before kill -9 are in the store."""
        camera = FastCamera()
        with Watch("--store", self.path("s.sqlite"), "--zones", ZONES, f"yard={camera.address}") as watch:
            watch.wait(lambda said: sum(line["message"] == "swiftodt-zone" for line in said) > 3)
            said = [line for line in watch.said if line["message"] == "swiftodt-zone"]
            tracks = {line["tracking-id"] for line in watch.said if line["message"] == "swiftodt-track"}
            time.sleep(1)
            watch.program.kill()
            watch.program.wait()
        self.assertEqual(self.ask("PRAGMA integrity_check"), [("ok",)])
        stored = self.ask("SELECT zone.name, event, track FROM zone_event JOIN zone ON zone.id = zone ORDER BY zone_event.id")
        self.assertEqual(stored[:len(said)], [(line["zone"], line.get("direction", line["event"]), line["tracking-id"]) for line in said])
        self.assertLessEqual(tracks, {number for number, in self.ask("SELECT id FROM track")})
        # The store can be used again.
        self.assertEqual(self.replay(10), "")

    def test_store_enforces_size_limit(self):
        """The file stays below its limit, and the oldest rows are deleted."""
        largest = 0

        def look():
            nonlocal largest
            names = [name for name in self.names() if name in ("s.sqlite", "s.sqlite-wal")]
            largest = max(largest, sum(os.path.getsize(self.path(name)) for name in names))

        self.replay(3600, "--store-size=1M", rate=1, lanes=12, meanwhile=look)
        self.assertGreater(largest, 1 << 19)
        self.assertLessEqual(largest, 1 << 20)
        self.assertEqual([name for name in self.names() if name.startswith("s.sqlite")], ["s.sqlite"])
        first = self.ask("SELECT min(time), max(time) FROM result")[0]
        (began, ended), = self.ask("SELECT began, ended FROM session")
        self.assertGreater(first[0], began)
        self.assertLess(ended - first[1], 2 * SECOND)
        self.assertEqual(self.ask("PRAGMA integrity_check"), [("ok",)])
        # A clock that was wrong once has left times far in the future, beside which all others seem old.
        store = sqlite3.connect(self.path("s.sqlite"))
        store.execute(f"INSERT INTO result VALUES ({first[1] + 50_000 * DAY}, 1, 0)")
        store.commit()
        store.close()
        self.replay(3600, "--store-size=1M", rate=1, lanes=12)
        self.assertGreater(self.ask("SELECT count(*) FROM result WHERE session = 2")[0][0], 100)

    def test_size_is_enforced_without_result_rows(self):
        """With updates=none a store has only tracks and zone events."""
        self.replay(2)
        store = sqlite3.connect(self.path("s.sqlite"))
        (began,), = store.execute("SELECT began FROM session")
        for table in ("result", "box", "zone_event", "zone_count", "track"):
            store.execute(f"DELETE FROM {table}")
        store.executemany(
            "INSERT INTO track VALUES (1, ?, ?, ?, ?, 1, -1, 100.5, ?, 0.9, 10, 20, 30, 40, 'lost')",
            ((number, began - DAY + number, began - DAY + number, began - DAY + number, began - DAY + number) for number in range(100_000)))
        store.execute(f"UPDATE session SET began = {began - DAY}")
        store.commit()
        store.close()
        self.assertGreater(os.path.getsize(self.path("s.sqlite")), 5 << 20)
        self.replay(30, "--store-size=1M", "--set=updates=none")
        self.assertLessEqual(sum(os.path.getsize(self.path(name)) for name in self.names() if name.startswith("s.sqlite")), 1 << 20)
        # The oldest tracks are deleted, and the latest ones remain.
        self.assertGreater(self.ask("SELECT min(id) FROM track WHERE session = 1")[0][0], 50_000)
        self.assertGreater(self.ask("SELECT count(*) FROM track WHERE session = 2")[0][0], 9)
        self.assertEqual(self.ask("SELECT count(*) FROM result"), [(0,)])
        self.assertEqual(self.ask("PRAGMA integrity_check"), [("ok",)])

    def test_store_enforces_age_limit(self):
        """Rows older than --store-days are deleted. In the first hour after the start of the machine, the clock may be wrong."""
        self.replay(10)
        count = self.ask("SELECT count(*) FROM track")[0][0]
        store = sqlite3.connect(self.path("s.sqlite"))
        for table, columns in {"result": ["time"], "box": ["time"], "zone_event": ["time"], "zone_count": ["time"],
                               "track": ["time", "first", "last", "best"], "session": ["began", "ended"]}.items():
            store.execute(f"UPDATE {table} SET {', '.join(f'{column} = {column} - {3 * DAY}' for column in columns)}")
        store.commit()
        store.close()
        self.replay(10, "--store-days=2")
        self.assertEqual(self.ask("SELECT count(*) FROM track")[0][0], count if clock_is_trusted() else 2 * count)
        self.assertEqual(self.ask("SELECT count(*) FROM session")[0][0], 1 if clock_is_trusted() else 2)

    @needs_server
    def test_store_survives_full_disk(self):
        """A full disk is reported, the watch continues, and queued rows are stored when there is space again."""
        camera = Camera()
        with Watch("--store", self.path("s.sqlite"), "--zones", ZONES, f"yard={camera.address}") as watch:
            watch.wait(lambda said: said)
            resource.prlimit(watch.program.pid, resource.RLIMIT_FSIZE, (4096, resource.RLIM_INFINITY))
            count = len(watch.said)
            for _ in range(600):
                if "check the free disk space" in "".join(watch.complaints):
                    break
                time.sleep(0.05)
            self.assertIn("the watch continues", "".join(watch.complaints))
            watch.wait(lambda said: len(said) > count + 20)
            resource.prlimit(watch.program.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
            for _ in range(600):
                if "resumed" in "".join(watch.complaints):
                    break
                time.sleep(0.05)
            self.assertEqual(watch.end(), 0)
            self.assertIn("resumed", "".join(watch.complaints))
            said = [line["tracking-id"] for line in watch.said if line["message"] == "swiftodt-zone"]
        self.assertEqual([number for number, in self.ask("SELECT track FROM zone_event ORDER BY id")], said)


    def test_watch_continues_with_a_damaged_store(self):
        with open(self.path("s.sqlite"), "wb") as file:
            file.write(b"no database at all" * 1000)
        complaints = self.replay(5)
        self.assertIn("is not a database of odt watch, or is damaged", complaints)
        self.assertIn("the watch continues without storing", complaints)
        self.assertRegex(complaints, r"not stored in .*: \d+ row")
        with open(self.path("s.sqlite"), "rb") as file:
            self.assertEqual(file.read(), b"no database at all" * 1000)
        with open(self.path("lines.jsonl"), encoding="utf-8") as file:
            self.assertGreater(len(file.readlines()), 50)

    @unittest.skipUnless(os.geteuid(), "root may write to all folders")
    def test_store_is_read_in_a_folder_that_is_not_writable(self):
        self.replay(10)
        os.mkdir(self.path("kept"))
        shutil.copy(self.path("s.sqlite"), self.path("kept"))
        os.chmod(self.path("kept"), 0o555)
        self.addCleanup(os.chmod, self.path("kept"), 0o755)
        self.assertTrue(self.report("--store", self.path("kept/s.sqlite"))["tracks"])


class Refusing(Storing):
    """Unusable store files are errors at the start, which name the remedy and leave the file unchanged."""

    def read(self, file):
        with open(file, "rb") as bytes_of_it:
            return bytes_of_it.read()

    def refused(self, part, file):
        self.assertIn(part, self.watch("--store", file, "rtsp://127.0.0.1:9/", code=1))

    def untouched(self, part, file):
        before = self.read(file)
        self.refused(part, file)
        self.assertEqual(self.read(file), before)

    def test_invalid_store_files_are_errors(self):
        self.refused("check that it exists", self.path(""))
        other = sqlite3.connect(self.path("other.sqlite"))
        other.execute("CREATE TABLE mine (id INTEGER)")
        other.commit()
        other.close()
        self.untouched("of another program", self.path("other.sqlite"))
        self.assertIn("of another program", self.refusal("--store", self.path("other.sqlite")))
        self.refused("cannot create the folder", self.path("other.sqlite/s.sqlite"))
        self.assertIn("unable to open", self.refusal("--store", self.path("none.sqlite")))
        self.replay(2)
        store = sqlite3.connect(self.path("s.sqlite"))
        store.execute("PRAGMA user_version = 9")
        store.close()
        self.untouched("version 9, but this odt supports version 1: use the newer odt", self.path("s.sqlite"))
        self.assertIn("version 9", self.refusal("--store", self.path("s.sqlite")))
        store = sqlite3.connect(self.path("s.sqlite"))
        store.execute("PRAGMA user_version = 1")
        store.execute("BEGIN EXCLUSIVE")
        self.refused("is locked by another program", self.path("s.sqlite"))
        store.close()

    def test_invalid_options_are_errors(self):
        for words, part in ((["--store-days=3"], "needs --store"), (["--store=s", "--store-days=-1"], "from 0 to 36500"),
                            (["--store=s", "--store-days=x"], "from 0 to 36500"), (["--store=s", "--store-size=9"], "at least 1M"),
                            (["--store=-"], "needs a file name")):
            with self.subTest(words):
                said = command(ODT, "watch", *words, "rtsp://127.0.0.1:9/")
                self.assertEqual(said.returncode, 2)
                self.assertIn(part, said.stderr)


def moment(milliseconds, local=False):
    """Formats a time for --from and --to."""
    whole, part = divmod(milliseconds, SECOND)
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.localtime(whole) if local else time.gmtime(whole)) + f".{part:03}" + ("" if local else "Z")
