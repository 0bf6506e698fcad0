"""`odt report` summarises a file of messages in one web page. Errors name the line of the file."""
import base64
import csv
import json
import os
import re
import subprocess
import tempfile
import time
import unittest
import unittest.mock
from datetime import datetime

import browser
from paged import needs_soup
from streams import ROOT, command, served

ODT = os.path.join(ROOT, ".build", "tool", "odt")
SECOND = 10**9
HOSTILE = '</script><script>document.title = "taken over"</script><b onclick="x">\'"&amp;\u0001\u2028\u202eeht'


def thing(number, label="person", at=0.0, first=0.0, box=(0.25, 0.25, 0.5, 0.75), score=0.8, **more):
    """Returns an object of a message, in a frame of 320x240."""
    left, top, right, bottom = box
    return {"tracking-id": number, "x": int(left * 320), "y": int(top * 240), "width": int((right - left) * 320),
            "height": int((bottom - top) * 240), "x-min": left, "y-min": top, "x-max": right, "y-max": bottom, "score": score,
            "category": "unknown", "category-index": -1, "label": label, "label-index": 0, "state": "tracked",
            "first-seen": int(first * SECOND), "last-seen": int(at * SECOND)} | more


def result(at, things=(), sequence=0, **more):
    now = int(at * SECOND)
    return {"message": "swiftodt", "version": 1, "sequence": sequence, "epoch": 0, "timestamp": now, "stream-time": now,
            "running-time": now, "utc-time": None, "duration": SECOND // 10, "width": 320, "height": 240,
            "orientation": "identity", "mode": "stream", "object-count": len(things), "objects": list(things)} | more


def lines(*messages):
    return "".join(json.dumps(message) + "\n" for message in messages)


def walk(*spans, label="person", step=0.1):
    """Yields a result every `step` seconds, with one object for each time span."""
    end = max(last for _, last in spans)
    for number in range(int(end / step) + 1):
        at = number * step
        things = [thing(place + 1, label, at, first) for place, (first, last) in enumerate(spans) if first <= at <= last]
        yield result(at, things, number)


class Report(unittest.TestCase):
    """A temporary folder for each test, and common helpers."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def odt(self, *words, text=None):
        return subprocess.run([ODT, "report", *words], input=text, capture_output=True, timeout=120, cwd=self.folder,
                              stdin=None if text is not None else subprocess.DEVNULL)

    def page(self, text, *words):
        """Returns the report of these messages: the page, its data and its pictures."""
        with open(self.path("messages.jsonl"), "w", encoding="utf-8") as file:
            file.write(text)
        said = self.odt("-o", "page.html", "--force", "messages.jsonl", *words)
        self.assertEqual(said.returncode, 0, said.stderr)
        self.complaint = said.stderr.decode()
        with open(self.path("page.html"), encoding="utf-8") as file:
            page = file.read()
        return page, *(json.loads(re.search(rf"id={name}>(.*?)</script>", page, re.DOTALL)[1]) for name in ("data", "pictures"))

    def tracks(self, data):
        names = ("id", "label", "category", "first", "last", "best", "score", "path", "source", "reason", "recording",
                 "classifier label")
        return [dict(zip(names, row)) for row in data["tracks"]]


class Reading(Report):
    """Parsing of the file."""

    def refuses(self, text, sentence):
        said = self.odt("-o", "page.html", "-", text=text.encode("utf-8", "surrogateescape"))
        self.assertEqual(said.returncode, 1, said.stdout)
        self.assertIn(sentence, said.stderr.decode("utf-8", "replace"))
        self.assertFalse(os.path.exists(self.path("page.html")))

    def test_errors_name_their_line(self):
        good = lines(result(0))
        self.refuses("", "- is empty")
        self.refuses("\n\n \n", "no swiftodt message in its 3 lines")
        self.refuses('{"message": "stats"}\n', "has no swiftodt message")
        said = self.odt("-o", "page.html", "-", text=b"a,b\n1,2\n").stderr
        self.assertRegex(said, b"-:1: invalid JSON: .*; name the file of odt annotate --json first, then the video\n")
        self.refuses("[]\n", "-:1: not a swiftodt message")
        self.refuses(good + "\n" + '{"id": 1}\n', '-:3: not a swiftodt message: the field "message" is missing')
        self.refuses(good + good[:40] + "\n" + good, "-:2: invalid JSON")
        self.refuses(good + '{"message": "swiftodt"}\n', '-:2: the swiftodt message has no list "objects"')
        self.refuses(good + '{"message": "swiftodt", "json": "["}\n', "-:2: invalid JSON")
        self.refuses(good + lines(result(1, [7])), '-:2: an entry of "objects" is not a JSON object')
        self.refuses(good + lines(result(1, [thing("a")])), "-:2: an object has a tracking-id that is not an integer")
        self.refuses("\0" * 100, "-:1: invalid JSON")
        self.refuses("[" * 100_000 + "\n", "-:1: invalid JSON: values are nested too deeply")

    def test_unreadable_files_are_errors(self):
        for words, code, part in (((), 2, "name a FILE.jsonl"), (("a", "b", "c"), 2, "unexpected operand"),
                                  (("/nowhere/x.jsonl",), 1, "/nowhere/x.jsonl"), ((self.folder,), 1, self.folder),
                                  (("--zones", "[", "x.jsonl"), 1, "JSON")):
            said = self.odt("-o", "page.html", *words)
            self.assertEqual((said.returncode, part in said.stderr.decode()), (code, True), said.stderr)
        with open(self.path("x.jsonl"), "w", encoding="ascii") as file:
            file.write(lines(result(0)))
        said = self.odt("x.jsonl", "/nowhere.mp4")
        self.assertEqual((said.returncode, b"no such file: /nowhere.mp4" in said.stderr), (4, True), said.stderr)
        # A text file is no video, so the page is not written.
        said = self.odt("x.jsonl", __file__)
        self.assertEqual((said.returncode, os.path.exists(self.path("x-report.html"))), (1, False), said.stderr)

    def test_existing_page_is_not_replaced(self):
        with open(self.path("x.jsonl"), "w", encoding="ascii") as file:
            file.write(lines(result(0)))
        self.assertEqual([self.odt("x.jsonl").returncode, self.odt("x.jsonl").returncode], [0, 2])
        self.assertEqual(self.odt("--force", "x.jsonl").returncode, 0)
        self.assertTrue(os.path.exists(self.path("x-report.html")))
        said = self.odt("-o", "-", "x.jsonl")
        self.assertTrue(said.stdout.startswith(b"<!DOCTYPE html>"))

    def test_files_with_any_name(self):
        """A file name is a sequence of bytes and need not be UTF-8."""
        name = b"caf\xe9 <'\"&\\.jsonl"
        with open(os.path.join(self.folder.encode(), name), "w", encoding="ascii") as file:
            file.write(lines(result(0)))
        said = self.odt(name)
        self.assertEqual(said.returncode, 0, said.stderr)
        self.assertIn(name[:-6] + b"-report.html", os.listdir(self.folder.encode()))
        self.assertEqual(self.odt(name).returncode, 2)

    def test_truncated_line_is_ignored(self):
        """kill -9 may truncate the last line of a recording."""
        text = lines(*walk((0, 1)))
        _, data, _ = self.page(text + lines(result(1.1, [thing(2)]))[:150])
        self.assertEqual((len(data["tracks"]), data["isCutOff"]), (1, True))
        self.assertIn("incomplete", self.complaint)

    def test_models_are_named_with_their_checksums(self):
        models = [{"model": "small.onnx", "model-sum": "1a2b"}, {"model": "large.xml", "model-sum": "3c4d"}]
        results = [result(at, [thing(1, at=at)], **model) for at, model in zip((0, 1, 2, 3), (*models, models[0], {}))]
        self.assertEqual(self.page(lines(*results))[1]["models"], ["small.onnx (1a2b)", "large.xml (3c4d)"])

    def test_tracks_from_results_alone(self):
        _, data, _ = self.page(lines(*walk((0, 1), (0.5, 2))))
        one, other = self.tracks(data)
        self.assertEqual((one["id"], one["first"], one["last"]), (1, 0, 1))
        self.assertEqual((other["id"], other["first"], other["last"]), (2, 0.5, 2))
        self.assertEqual((data["labels"], data["results"], data["objects"], data["length"]), (["person"], 21, 2, 2))

    def test_end_event_overrides_results(self):
        """The end event has the times, label and best frame of a track, which throttled results may lack."""
        event = {"message": "swiftodt-track", "event": "end", "tracking-id": 1, "label": "dog", "category": "plant", "timestamp": 3 * SECOND,
                 "running-time": 3 * SECOND, "stream-time": 3 * SECOND, "first-seen": SECOND // 2, "last-seen": 2 * SECOND,
                 "best-score": 0.5, "best-x": 0, "best-y": 0, "best-width": 32, "best-height": 24,
                 "best-running-time": SECOND, "path-length": 12, "reason": "left-frame", "classifier-label": "poodle"}
        _, data, _ = self.page(lines(result(1, [thing(1, "cat", 1, 0.5, score=0.9)]), event))
        (track,) = self.tracks(data)
        self.assertEqual({key: track[key] for key in ("first", "last", "best", "score", "path", "reason", "classifier label")},
                         {"first": 0, "last": 1.5, "best": 0.5, "score": 0.5, "path": 12, "reason": "left-frame", "classifier label": "poodle"})
        self.assertEqual((data["labels"][track["label"]], data["categories"][track["category"]]), ("dog", "plant"))

    def test_consecutive_recordings(self):
        """Ids and times restart with each recording in a file, so the objects are different ones."""
        once = lines(*walk((0, 2)))
        _, data, _ = self.page(once + once)
        one, other = self.tracks(data)
        self.assertEqual((one["id"], other["id"], one["last"], other["first"]), (1, 1, 2, 2))

    def test_statistics_end_recording_of_their_source(self):
        """The second of two appended recordings can begin later than the first one ended."""
        later = [result(30 + tenth / 10, [thing(1, at=30 + tenth / 10, first=30)], tenth) for tenth in range(20)]
        for statistics, ends in (({}, [2, 31.9]), ({"source": "yard"}, [31.9])):
            _, data, _ = self.page(lines(*walk((0, 2)), {"message": "stats"} | statistics, *later, {"message": "stats"}))
            self.assertEqual([track["last"] for track in self.tracks(data)], ends)
            self.assertEqual((len(data["sources"]), len(data["heat"])), (1, 1))

    def test_parallel_streams(self):
        """Two cameras in one file have separate ids."""
        mixed = [message | {"source": name} for pair in zip(walk((0, 2)), walk((0, 2), label="car"))
                 for message, name in zip(pair, ("door", "yard"))]
        _, data, _ = self.page(lines(*mixed))
        self.assertEqual([(data["sources"][track["source"]], data["labels"][track["label"]]) for track in self.tracks(data)],
                         [("door", "person"), ("yard", "car")])
        # One heat map over the frame of one of the cameras would be wrong.
        self.assertEqual((data["heat"], data["width"], data["height"]), ([], 0, 0))

    def test_connections_are_placed_by_time_of_day(self):
        """The running time restarts with each connection to a camera. Between the connections are two hours."""
        taken = 1_795_357_805
        messages = [message | {"source": source, "session": session, "utc-time": message["running-time"] + (taken + later) * SECOND}
                    for source, session, later in (("door", 1, 0), ("door", 2, 7200), ("yard", 1, 7210)) for message in walk((0, 2))]
        _, data, _ = self.page(lines(*messages))
        self.assertEqual([(data["sources"][track["source"]], track["first"], track["last"]) for track in self.tracks(data)],
                         [("door", 0, 2), ("door", 7200, 7202), ("yard", 7210, 7212)])
        self.assertEqual((data["utc"], data["length"]), (taken * 1000, 7212))
        self.assertEqual(self.moments(), [datetime.fromtimestamp(taken + later).astimezone().isoformat() for later in (0, 7200, 7210)])

    def test_moments_of_repeated_hour_differ(self):
        """On 2026-10-25, clocks are set back from 03:00 to 02:00."""
        taken = 1_792_888_200
        messages = [message | {"session": session, "utc-time": message["running-time"] + (taken + later) * SECOND}
                    for session, later in ((1, 0), (2, 3600)) for message in walk((0, 2))]
        self.page(lines(*messages))
        with unittest.mock.patch.dict(os.environ, TZ="CET-1CEST,M3.5.0,M10.5.0/3"):
            self.assertEqual(self.moments(), ["2026-10-25T02:30:00+02:00", "2026-10-25T02:30:00+01:00"])

    def moments(self):
        said = self.odt("--csv", "-", "messages.jsonl")
        return [row["moment"] for row in csv.DictReader(said.stdout.decode().splitlines())]

    def test_json_messages_give_same_report(self):
        """Messages of message-format=json, nested as bus-to-json writes them, and alone."""
        plain = list(walk((0, 1), (0.5, 2)))
        wrapped = [{"message": "swiftodt", "version": 1, "json": json.dumps(message)} for message in plain]
        self.assertEqual(self.page(lines(*plain))[1], self.page(lines(*wrapped))[1])

    def test_unknown_times_and_objects_without_ids(self):
        unknown = 2**64 - 1
        things = [{key: value for key, value in thing(1).items() if key != "tracking-id"}] * 3
        _, data, _ = self.page(lines(*(result(number / 10, things, number) | {"utc-time": unknown} for number in range(10))))
        self.assertEqual((data["tracks"], data["untracked"]["most"], "utc" in data), ([], 3, False))
        ((label, counts),) = data["untracked"]["series"]
        self.assertEqual(data["labels"][label], "person")
        self.assertAlmostEqual(sum(counts) * data["untracked"]["step"], 3, delta=0.01)
        self.assertEqual(data["untracked"]["times"], [[0, 3]])

    def test_the_time_line_begins_with_the_first_object(self):
        """An object is first seen some frames before its first report; the time line must begin there."""
        _, data, _ = self.page(lines(*(result(1 + tenth / 10, [thing(1, at=1 + tenth / 10, first=0.7)], tenth) for tenth in range(10))))
        track, = self.tracks(data)
        self.assertEqual((track["first"], track["last"], data["length"]), (0, 1.2, 1.2))

    def test_zone_counts_are_reported(self):
        def event(kind, at, number, **more):
            return {"message": "swiftodt-zone", "event": kind, "zone": more.pop("zone", "yard"), "tracking-id": number, "label": "person",
                    "event-running-time": int(at * SECOND), "running-time": int(at * SECOND), **more}
        events = [event("enter", 0.2, 1), event("leave", 1.2, 1, dwell=SECOND), event("enter", 0.4, 2), event("leave", 1, 2, dwell=SECOND // 2),
                  event("cross", 1.3, 1, zone="door", direction="in"), event("cross", 1.4, 2, zone="door", direction="out")]
        messages = sorted([*walk((0, 2)), *events], key=lambda message: message["running-time"])
        _, data, _ = self.page(lines(*messages), "--zones", '[{"name": "door", "kind": "line", "points": [[0, 0], [1, 1]]}]')
        yard, door = data["zones"]
        self.assertEqual(yard["byLabel"], [[0, 2, 2, 0, 0, 1.5, 1]])
        self.assertEqual((door["byLabel"], door["isLine"]), ([[0, 0, 0, 1, 1, 0, 0]], True))
        self.assertEqual([row[:3] for row in yard["events"]], [[0.2, "enter", 1], [0.4, "enter", 2], [1, "leave", 2], [1.2, "leave", 1]])
        self.assertEqual(data["shapes"], [{"name": "door", "kind": "line", "points": [[0, 0], [1, 1]]}])
        # Without events, the counts of the results.
        counts = [{"name": "door", "kind": "line", "in": 3, "out": 1, "by-label": [{"label": "car", "in": 3, "out": 1}]}]
        _, data, _ = self.page(lines(result(0, zones=[]), result(1, zones=counts)))
        self.assertEqual(data["zones"][0]["byLabel"], [[0, 0, 0, 3, 1, 0, 0]])

    def test_tables_list_all_objects(self):
        """The page lists the longest 20,000 objects."""
        def messages(number):
            common = {"tracking-id": number, "label": "person", "running-time": 3 * SECOND}
            yield {"message": "swiftodt-zone", "event": "enter", "zone": "yard"} | common
            yield {"message": "swiftodt-track", "event": "end", "first-seen": SECOND, "last-seen": SECOND + number} | common
        text = lines(*(message for number in range(1, 20_011) for message in messages(number)))
        _, data, _ = self.page(text, "--csv", "objects.csv", "--events-csv", "events.csv")
        self.assertEqual((len(data["tracks"]), data["objects"]), (20_000, 20_010))
        ids = []
        for name in ("objects.csv", "events.csv"):
            with open(self.path(name), encoding="utf-8", newline="") as file:
                ids.append(sorted(int(row["tracking_id"]) for row in csv.DictReader(file)))
        self.assertEqual(ids, [list(range(1, 20_011))] * 2)

    def test_heat_map_is_upright(self):
        """Each result counts for its duration. The map is rotated like the picture."""
        box = (0, 0, 0.5, 0.25)
        for orientation, (columns, rows) in (("identity", (range(0, 32), range(0, 12))), ("90r", (range(48, 64), range(0, 43)))):
            moments = [result(number / 2, [thing(1, box=box)], number, orientation=orientation) for number in range(5)]
            _, data, _ = self.page(lines(*moments))
            (heat,) = data["heat"]
            cells = heat["cells"]
            self.assertEqual(len(cells), 64 * heat["rows"])
            for row in range(heat["rows"]):
                for column in range(64):
                    expected = 2.1 if column in columns and row in rows else 0
                    self.assertAlmostEqual(cells[row * 64 + column], expected, delta=0.05, msg=f"{orientation} {column} {row}")

    def test_hostile_names_stay_text(self):
        huge = "x" * 1_000_000
        page, data, _ = self.page(lines(result(0, [thing(1, HOSTILE), thing(2, huge)], source=HOSTILE), result(1, [thing(1, HOSTILE)])),
                                  "--title", HOSTILE)
        self.assertLess(len(page), 300_000)
        self.assertEqual(page.count("</script>"), 3)
        self.assertEqual((data["labels"][0], data["title"], len(data["labels"][1])), (HOSTILE, HOSTILE, 121))

    def test_numbers_of_any_size(self):
        """No valid JSON number crashes the program."""
        wild = thing(2**53, score=-1e308) | {"x-min": -1e308, "y-min": 1e308, "x-max": 1e300, "y-max": -1e-300, "first-seen": 1e300,
                                             "last-seen": -5}
        self.page(lines(result(1e9, [wild], 2**70, width=-1, height=1e300), result(0, [wild]), result(5, [thing(-3)], width=1e300)))


class Pictures(Report):
    """The pictures show the right time and place."""

    def gray(self, picture):
        """Returns the size and the pixels of a JPEG picture."""
        with open(self.path("picture.jpg"), "wb") as file:
            file.write(picture)
        size = command("ffprobe", "-v", "error", "-show_entries", "stream=width,height", "-of", "csv=p=0", self.path("picture.jpg"))
        width, height = map(int, size.stdout.split(","))
        pixels = subprocess.run(["ffmpeg", "-v", "error", "-i", self.path("picture.jpg"), "-f", "rawvideo", "-pix_fmt", "gray", "-"],
                                capture_output=True, timeout=60, check=True).stdout
        return width, height, pixels

    def video(self, *filters):
        """Returns a video of three seconds, 320x240, black with a white square that is at the left, in the middle and at the right."""
        squares = ",".join(f"drawbox=x={40 + 100 * second}:y=80:w=40:h=40:c=white:t=fill:enable='between(t,{second},{second}.95)'"
                           for second in range(3))
        subprocess.run(["ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", "color=black:s=320x240:r=10:d=3", "-vf", ",".join([squares, *filters]),
                        "-c:v", "libx264", "-preset", "ultrafast", self.path("video.mp4")], timeout=60, check=True)
        return "video.mp4"

    def messages(self, turned=False, **more):
        """Yields one object per second, at the position of the square, with its best score in the middle of that second."""
        for second in range(3):
            left, top = (40 + 100 * second) / 320, 80 / 240
            box = (left, top, left + 40 / 320, top + 40 / 240)
            if turned:
                # The box in a buffer that must be rotated clockwise to be upright.
                box = (box[1], 1 - box[2], box[3], 1 - box[0])
            for tenth in range(10):
                at = second + tenth / 10
                yield result(at, [thing(second + 1, "square", at, second, box, score=0.9 if tenth == 5 else 0.5)], int(at * 10), **more)

    def check(self, pictures, size):
        self.assertEqual(self.gray(base64.b64decode(pictures["frame"], validate=True))[:2], size)
        self.assertEqual(len(pictures["tracks"]), 3)
        for text in pictures["tracks"]:
            width, height, pixels = self.gray(base64.b64decode(text, validate=True))
            self.assertAlmostEqual(width / height, 1, delta=0.1)
            self.assertGreater(pixels[height // 2 * width + width // 2], 200)
            # The picture has a margin around the object.
            self.assertLess(pixels[0], 60)

    def test_every_track_has_a_picture(self):
        _, data, pictures = self.page(lines(*self.messages()), self.video())
        self.assertEqual([track["best"] for track in self.tracks(data)], [0.5, 1.5, 2.5])
        self.check(pictures, (320, 240))
        self.assertEqual(data["video"], "video.mp4")

    def test_pictures_are_upright(self):
        """Boxes are in pixels of the buffer; the pictures in the report are upright."""
        turned = self.messages(turned=True, orientation="90r", width=240, height=320)
        _, data, pictures = self.page(lines(*turned), self.video("transpose=2"))
        self.assertEqual((data["width"], data["height"]), (320, 240))
        self.check(pictures, (320, 240))

    def test_pictures_of_pixel_formats_that_videoflip_rejects(self):
        for name in ("yuv422p", "yuv420p10le"):
            with self.subTest(name):
                self.check(self.page(lines(*self.messages()), self.video(f"format={name}"))[2], (320, 240))
                said = subprocess.run([ODT, "zones", "--force", "-o", self.path("zones.html"), self.path("video.mp4")], capture_output=True, timeout=60)
                self.assertEqual(said.returncode, 0, said.stderr)

    @needs_soup
    def test_password_of_address_is_not_in_page(self):
        self.video()
        subprocess.run(["ffmpeg", "-v", "error", "-i", self.path("video.mp4"), "-c", "copy", self.path("video.mkv")], timeout=60, check=True)
        page, data, pictures = self.page(lines(*self.messages()), served(self, self.folder) + "/video.mkv?key=secret.x")
        self.check(pictures, (320, 240))
        self.assertEqual(data["title"], "127.0.0.1")
        self.assertNotIn("secret", page + self.complaint)

    def test_pictures_of_video_that_was_rotated_by_property(self):
        """The video has no orientation tag. The messages have the orientation of the upright frames, and so has the annotated video."""
        said = command("gst-launch-1.0", "-q", *(
            "videotestsrc num-buffers=75 pattern=ball ! video/x-raw,width=320,height=240,framerate=25/1 ! videoflip video-direction=180"
            " ! x264enc speed-preset=ultrafast ! h264parse ! mp4mux ! filesink").split(), f"location={self.path('down.mp4')}")
        self.assertEqual(said.returncode, 0, said.stderr)
        for name in ("up.mp4", "up.mkv"):
            said = command(ODT, "annotate", "--force", "--set=detector=motion", "--set=orientation=180", "--json", self.path("up.jsonl"),
                           self.path("down.mp4"), self.path(name))
            self.assertEqual(said.returncode, 0, said.stderr)
            with open(self.path("up.jsonl"), encoding="utf-8") as file:
                text = file.read()
            for video in ("down.mp4", name):
                with self.subTest(video):
                    _, _, pictures = self.page(text, video)
                    self.assertTrue(pictures["tracks"])
                    for picture in pictures["tracks"]:
                        width, height, pixels = self.gray(base64.b64decode(picture))
                        self.assertGreater(pixels[height // 2 * width + width // 2], 200)

    def test_pictures_of_several_recordings(self):
        """A video has pictures only for the source with its name. Messages of other recordings have the same times and boxes."""
        video, plain = self.video(), list(self.messages())
        mixed = [message | {"source": source} for message in plain for source in ("video", "yard")]
        _, data, pictures = self.page(lines(*mixed), video)
        sources = [data["sources"][track["source"]] for track in self.tracks(data)]
        self.assertEqual([bool(picture) for picture in pictures["tracks"]], [source == "video" for source in sources])
        self.assertEqual((len(sources), bool(pictures["frame"])), (6, True))
        self.assertIn("3 of 6 objects are not in video.mp4, which shows only the source 'video'", self.complaint)
        for messages in ([message | {"source": source} for message in plain for source in ("door", "yard")], [*plain, *plain]):
            _, data, pictures = self.page(lines(*messages), video)
            self.assertEqual((len(data["tracks"]), pictures["tracks"], pictures["frame"]), (6, [], ""))
            self.assertIn("no pictures: it is unknown which of several recordings in the messages is video.mp4", self.complaint)

    def test_mismatching_video_is_reported(self):
        """Objects at times outside of the video get no picture, and a warning says so."""
        late = [message | {name: message[name] + 60 * SECOND for name in ("timestamp", "stream-time", "running-time")} for message in self.messages()]
        _, _, pictures = self.page(lines(*late), self.video())
        self.assertEqual(pictures["tracks"], ["", "", ""])
        self.assertIn("3 of 3 objects are not in video.mp4", self.complaint)

    def test_thousands_of_pictures_stay_below_20_megabytes(self):
        """Also with pictures that compress badly. At most 5,000 objects have a picture."""
        command("gst-launch-1.0", "-q", "videotestsrc", "pattern=snow", "num-buffers=20", "!", "video/x-raw,width=320,height=240,framerate=10/1", "!",
                "jpegenc", "!", "matroskamux", "!", "filesink", f"location={self.path('snow.mkv')}")
        moments = (result(frame / 10, [thing(1 + frame * 260 + place, at=frame / 10) for place in range(260)], frame) for frame in range(20))
        page, _, pictures = self.page(lines(*moments), "snow.mkv")
        self.assertEqual((len(pictures["tracks"]), sum(bool(text) for text in pictures["tracks"]), self.complaint), (5200, 5000, ""))
        self.assertLess(len(page), 20_000_000)


@unittest.skipUnless(browser.CHROMIUM, "no chromium")
class Browser(Report):
    """The page in a headless browser."""

    def see(self, text, script="", *words):
        """Returns the answer of a script on the page."""
        self.page(text, *words)
        with browser.Browser(1200, 900) as page:
            page.open(f"file://{self.path('page.html')}")
            page.wait("location.protocol === 'file:' && document.readyState === 'complete'")
            return page.evaluate("(() => { const press = (key) => $('axis').dispatchEvent(new KeyboardEvent('keydown', {key}));"
                                 "const paint = () => painters.forEach(paint => paint()); let answer; " + script + "; return answer; })()")

    def test_page_matches_messages(self):
        people, cars = walk((0, 4), (1, 2), (1.5, 3)), [result(at / 10, [thing(9, "car", at / 10, 3.5)]) for at in range(41, 60)]
        model = {"model": "small.onnx", "model-sum": "1a2b"}
        seen = self.see(lines(*people, *cars, result(5.9, **model)), "answer = {title: document.title, lead: $('lead').innerText, figures: $('figures').innerText, labels: $('labels').innerText,"
                        "cards: $('cards').innerText, bars: $('lanes').textContent, counts: $('counts').querySelectorAll('path').length}")
        self.assertEqual(seen["title"], "messages")
        self.assertIn("small.onnx (1a2b)", seen["lead"])
        self.assertRegex(seen["figures"], r"length\s+0:05\.9\s+objects tracked\s+4\s+maximum at once\s+3 at 0:01\.5\s+labels\s+2")
        self.assertRegex(seen["labels"], r"person\s+3\s+2\.2\ss\s+4\.0\ss\s+car\s+1\s+2\.4\ss")
        self.assertEqual(re.findall(r"#\d+ \w+", seen["cards"]), ["#1 person", "#2 person", "#3 person", "#9 car"])
        self.assertRegex(seen["bars"], "person3.*car1")

    def test_report_excludes_absence_of_returning_object(self):
        """With re-identification, object 1 returns. Its absence counts neither in the figures nor in the charts."""
        other, back = ([result(at / 10, [thing(number, at=at / 10, first=first)]) for at in range(first * 10, last * 10 + 1)]
                       for number, first, last in ((2, 4, 6), (1, 10, 12)))
        seen = self.see(lines(*walk((0, 2)), *other, *back), """answer = [$('figures').innerText, $('labels').innerText,
            columnsOfCounts({left: 0, right: 120})[0].values[80], $('lanes').innerHTML.match(/M[\\d.]+ [\\d.]+H[\\d.]+v/g).length]""")
        self.assertRegex(seen[0], r"objects tracked\s+2\s+maximum at once\s+1 at")
        self.assertRegex(seen[1], r"person\s+2\s+3\.0\ss\s+4\.0\ss")
        self.assertEqual(seen[2:], [0, 3])

    def test_ids_of_several_connections_are_distinguished(self):
        """Ids begin with 1 for each connection to a camera."""
        both = [message | {"source": "yard", "session": session} for session in (1, 2) for message in walk((0, 1), (0.5, 1))]
        for message in both[len(both) // 2:]:
            for name in ("running-time", "stream-time", "timestamp"):
                message[name] += 60 * SECOND
            for one in message["objects"]:
                one["first-seen"] += 60 * SECOND
                one["last-seen"] += 60 * SECOND
        seen = self.see(lines(*both), "$('wanted').value = '#2.1'; const all = $('cards').innerText; showCards(); press('ArrowDown'); paint();"
                        "answer = [all, $('cards').innerText, $('notes').innerText, $('chosen').innerText]")
        self.assertEqual(re.findall(r"#[\d.]+ \w+", seen[0]), ["#1.1 person", "#1.2 person", "#2.1 person", "#2.2 person"])
        self.assertEqual(re.findall(r"#[\d.]+ \w+", seen[1]), ["#2.1 person"])
        self.assertIn("#2.7 is object 7 of the second one", seen[2])
        self.assertIn("#1.1 person", seen[3])

    def test_objects_of_several_cameras_are_distinguished(self):
        """Both cameras have an object #1. The search finds the name of a camera."""
        mixed = [message | {"source": name} for message in walk((0, 2)) for name in ("door", "yard")]
        seen = self.see(lines(*mixed), "const all = $('cards').innerText; $('wanted').value = 'Yard'; showCards(); press('ArrowDown'); paint();"
                        "answer = [all, $('cards').innerText, $('chosen').innerText, $('figures').innerText]")
        self.assertEqual(re.findall(r".*#.*", seen[0]), ["door: #1 person", "yard: #1 person"])
        self.assertEqual(re.findall(r".*#.*", seen[1]), ["yard: #1 person"])
        self.assertIn("door: #1 person", seen[2])
        self.assertRegex(seen[3], r"maximum at once, all cameras\s+2 at")

    def test_events_in_clips_name_their_connection(self):
        messages = [message | {"source": "yard", "session": session, "utc-time": message["running-time"] + (taken + 1_795_357_805) * SECOND}
                    for session, taken in ((1, 0), (2, 60)) for message in walk((0, 2))]
        event = messages[-1] | {"message": "swiftodt-zone", "event": "enter", "zone": "door", "tracking-id": 1, "label": "person"}
        seen = self.see(lines(*messages, event), "answer = eventsIn({source: 0, recording: 1, from: 0, to: 100}, TRACKS.filter(track => track.recording))")
        self.assertEqual(seen, ["#2.1 entered door"])

    def test_times_of_day_do_not_overlap_on_narrow_screens(self):
        """The first label of the axis is not centred at its tick."""
        boxes = self.see(lines(*(message | {"utc-time": message["running-time"] + 1_795_357_805 * SECOND} for message in walk((0, 40), step=1))), """
            $('clocked').checked = true; $('clocked').onchange(); $('axis').style.width = '360px'; answer = [];
            for (let from = 0; from < 4; from += 0.05) { show(from, from + 20.01); paint(); answer.push([...$('counts').querySelectorAll('text')]
                .map(one => one.getBBox()).filter(box => box.y > 120).map(box => [box.x, box.x + box.width])); }""")
        self.assertTrue(all(one[1] < other[0] for row in boxes for one, other in zip(row, row[1:])), boxes)

    def test_times_of_day_of_several_days_have_dates(self):
        taken = 1_795_357_805
        messages = [message | {"session": session, "utc-time": message["running-time"] + (taken + later) * SECOND}
                    for session, later in ((1, 0), (2, 3 * 86400)) for message in walk((0, 2))]
        seen = self.see(lines(*messages), "$('clocked').checked = true; $('clocked').onchange(); paint();"
                        "answer = [$('cards').innerText, [...$('counts').querySelectorAll('text')].map(one => one.getBBox()).filter(box => box.y > 120)"
                        ".map(box => [box.x, box.width])]")
        for later in (0, 3 * 86400):
            begin, end = (time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(taken + later + seconds)) for seconds in (0, 2))
            self.assertIn(f"{begin}.0 – {end.split()[1]}.0", seen[0])
        # The labels of the ticks do not overlap.
        self.assertTrue(all(one[0] + one[1] < other[0] for one, other in zip(seen[1], seen[1][1:])), seen[1])

    def test_dates_and_times_of_day_have_24_hours(self):
        """In local time, in the order of ISO 8601, regardless of the browser's language."""
        taken = 1_795_357_805  # 2026-11-22T14:30:05Z
        seen = self.see(lines(*(message | {"utc-time": message["running-time"] + taken * SECOND} for message in walk((0, 4)))),
                        "$('clocked').checked = true; $('clocked').onchange(); paint(); answer = [$('lead').innerText, $('range').innerText,"
                        "$('cards').innerText, $('figures').innerText, [-540, 0, 210].map(one => offsetOf({getTimezoneOffset: () => one}))]")
        begin, end = (time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(taken + seconds)) for seconds in (0, 4))
        offset = time.strftime("%z", time.localtime(taken))
        self.assertIn(f"from {begin} UTC{offset[:3]}:{offset[3:]}", seen[0])
        self.assertIn(f"1 at {begin.split()[1]}.0", seen[3])
        self.assertEqual(seen[4], ["UTC+09:00", "UTC+00:00", "UTC-03:30"])
        self.assertEqual(seen[1], f"{begin}.0 – {end.split()[1]}.0")
        self.assertIn(f"{begin.split()[1]}.0 – {end.split()[1]}.0", seen[2])

    def test_keys_wheel_and_labels(self):
        seen = self.see(lines(*walk((0, 4), (1, 2), (5, 60)), *[result(61, [thing(9, "car", 61, 60)], 999)]), """
            const shown = () => [view.from, view.to], list = [shown()];
            press('+'); list.push(shown()); press('ArrowRight'); list.push(shown()); press('0'); list.push(shown());
            const frame = $('axis').getBoundingClientRect();
            $('axis').dispatchEvent(new WheelEvent('wheel', {deltaY: -300, clientX: frame.left + frame.width - 8, cancelable: true})); list.push(shown());
            press('0'); press('ArrowDown'); press('ArrowDown'); paint();
            const chosen = $('chosen').innerText, label = $('labels').querySelectorAll('tbody input')[1];
            label.click(); paint();
            answer = {list, chosen, cards: $('cards').innerText, lanes: $('lanes').textContent, heat: $('heat-note').innerText};""")
        whole, closer, moved, again, wheeled = seen["list"]
        self.assertEqual((whole, again), ([0, 61], [0, 61]))
        self.assertAlmostEqual(closer[1] - closer[0], 0.6 * 61)
        self.assertGreater(moved[0], closer[0])
        # The zoom keeps the position of the pointer, which is at the end.
        self.assertAlmostEqual(wheeled[1], 61, delta=0.1)
        self.assertGreater(wheeled[0], 10)
        self.assertIn("#2 person", seen["chosen"])
        self.assertNotIn("car", seen["cards"] + seen["lanes"])
        self.assertIn("labels selected", seen["heat"])

    def test_hostile_names_stay_text(self):
        seen = self.see(lines(result(0, [thing(1, HOSTILE)]), result(1, [thing(1, HOSTILE, 1)])),
                        "press('ArrowDown'); paint(); answer = {title: document.title, label: $('labels').querySelector('tbody td').innerText,"
                        "strange: document.querySelectorAll('b[onclick], main script').length}", "--title", HOSTILE)
        # Control characters and characters that change the text direction are replaced.
        shown = HOSTILE.replace("\u0001", "\ufffd").replace("\u2028", "\ufffd").replace("\u202e", "\ufffd")
        self.assertEqual(seen, {"title": shown, "label": shown, "strange": 0})

    def test_hour_with_5000_tracks_opens(self):
        """Tests/Benchmarks/report measures the time."""
        def hour():
            for second in range(0, 3600):
                yield result(second, [thing(1 + number, "person" if number % 3 else "car", second, 0.7 * number) for number in range(5000)
                                      if 0.7 * number <= second <= 0.7 * number + 8], second)
        seen = self.see(lines(*hour()), "answer = [TRACKS.length, $('cards').children.length, $('shown').innerText, BUSIEST.most > 8]")
        self.assertEqual(seen, [5000, 60, "60 of 5,000 objects", True])

    def test_mean_stay_includes_tracks_that_are_only_counted(self):
        """The page shows the longest 20,000 tracks."""
        def event(number, length):
            return {"message": "swiftodt-track", "event": "end", "tracking-id": number, "label": "person", "running-time": 3 * SECOND,
                    "first-seen": SECOND, "last-seen": int((1 + length) * SECOND), "reason": "lost"}
        seen = self.see(lines(result(0), *(event(number, 2 if number < 20_000 else 0.5) for number in range(30_000))),
                        "answer = [TRACKS.length, $('labels').innerText, $('notes').innerText]")
        self.assertEqual(seen[0], 20_000)
        self.assertRegex(seen[1], r"person\s+30,000\s+1\.5\ss\s+2\.0\ss")
        self.assertIn("The 20,000 longest tracks are shown below.", seen[2])

    def test_labels_without_tracking_are_complete(self):
        things = [{key: value for key, value in thing(1, f"label {number}").items() if key != "tracking-id"} for number in range(30)]
        seen = self.see(lines(*(result(number / 10, things) for number in range(10))),
                        "answer = [...$('labels').querySelectorAll('tbody tr')].map(row => row.innerText.trim())")
        self.assertEqual(sorted(re.sub(r"\s+", " ", row) for row in seen), sorted(f"label {number} 1.1" for number in range(30)))

    def test_report_of_zone_events_alone(self):
        event = {"message": "swiftodt-zone", "event": "enter", "zone": "yard", "tracking-id": 1, "label": "", "running-time": SECOND}
        seen = self.see(lines(event, event | {"event": "leave", "running-time": 3 * SECOND, "dwell": 2 * SECOND}),
                        "answer = [$('notes').innerText, $('chart').hidden, $('strips').textContent]")
        self.assertEqual(seen[:2], ["", False])
        self.assertIn("yard", seen[2])

    def test_labels_filter_table_of_zones(self):
        """A label that is only in zone events has no check box. The summary shows the four zones with most events."""
        event = {"message": "swiftodt-zone", "event": "enter", "tracking-id": 1, "running-time": SECOND}
        events = [event | {"zone": f"yard {number}", "label": label} for number in range(5) for label in ["person", "car", "ghost"][:number + 1]]
        seen = self.see(lines(*walk((0, 1)), result(1.1, [thing(9, "car", 1.1, 1.1)]), *events, events[-1]), """
            const rows = () => { paint(); return [...$('zones').tBodies[0].rows].at(-1).innerText; }, all = rows();
            $('labels').querySelectorAll('tbody input')[1].click(); answer = [all, rows(), $('figures').innerText];""")
        self.assertRegex(seen[0], r"yard 4\s+4\s.*ghost 2; person 1; car 1|yard 4\s+4\s.*ghost 2; car 1; person 1")
        self.assertRegex(seen[1], r"yard 4\s+3\s.*ghost 2; person 1$")
        self.assertEqual(re.findall(r"yard \d", seen[2]), ["yard 4", "yard 2", "yard 3", "yard 1"])

    def test_report_without_objects(self):
        seen = self.see(lines(result(0), result(1)), "answer = [$('notes').innerText, $('chart').hidden, $('gallery').hidden, $('places').hidden]")
        self.assertEqual(seen, ["No objects were detected.", True, True, True])


if __name__ == "__main__":
    unittest.main()
