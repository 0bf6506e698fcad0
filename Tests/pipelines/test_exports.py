"""odt annotate --events-csv and --export, and odt report --csv: other programs read the same boxes, tracks and events."""
import csv
import io
import json
import os
import unittest
import xml.etree.ElementTree

from paged import ZONES
from streams import command
from watching import FAST, ODT, Watching


class Exports(Watching):

    def annotate(self, *words, code=0):
        said = command(ODT, "annotate", FAST, *words)
        self.assertEqual(said.returncode, code, said.stderr)
        return said

    def table(self, name):
        with open(self.path(name), encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    def messages(self, name, kind):
        with open(self.path(name), encoding="utf-8") as file:
            return [line for line in map(json.loads, file) if line["message"] == kind]

    def test_exports_have_the_boxes_of_the_table(self):
        source = self.clip(frames=60)
        self.annotate("--csv", self.path("all.csv"), "--export", f"coco={self.path('coco.json')}", "--export", f"cvat={self.path('cvat.xml')}",
                      f"--export=mot={self.path('mot.txt')}", source)
        rows = [row for row in self.table("all.csv") if row["state"] != "lost"]
        self.assertGreater(len(rows), 40)
        wanted = sorted((int(row["frame"]), int(row["tracking_id"]), *(int(row[name]) for name in ("x", "y", "width", "height"))) for row in rows)
        with open(self.path("mot.txt"), encoding="ascii", newline="") as file:
            lines = list(csv.reader(file))
        self.assertEqual({len(line) for line in lines}, {10})
        self.assertEqual(sorted(tuple(map(int, line[:6])) for line in lines), wanted)
        self.assertEqual([float(line[6]) for line in lines], [float(row["score"]) for row in rows])
        self.check_coco(wanted)
        self.check_cvat(rows, wanted)

    def check_coco(self, wanted):
        with open(self.path("coco.json"), encoding="utf-8") as file:
            coco = json.load(file)
        images = {image["id"]: image for image in coco["images"]}
        categories = {category["id"] for category in coco["categories"]}
        self.assertEqual((len(images), len(coco["images"]), len({image["file_name"] for image in coco["images"]})), (60, 60, 60))
        self.assertEqual({(image["width"], image["height"]) for image in coco["images"]}, {(320, 240)})
        self.assertEqual([image["time"] for image in coco["images"]], [frame / 25 for frame in range(60)])
        self.assertEqual([category["name"] for category in coco["categories"]], ["object"])
        self.assertEqual(len({box["id"] for box in coco["annotations"]}), len(wanted))
        for box in coco["annotations"]:
            self.assertEqual((box["iscrowd"], box["area"]), (0, box["bbox"][2] * box["bbox"][3]))
            self.assertIn(box["category_id"], categories)
            self.assertTrue(0 <= box["score"] <= 1)
        self.assertEqual(sorted((images[box["image_id"]]["frame_index"] + 1, box["track_id"], *box["bbox"]) for box in coco["annotations"]), wanted)

    def check_cvat(self, rows, wanted):
        root = xml.etree.ElementTree.parse(self.path("cvat.xml")).getroot()
        self.assertEqual((root.tag, root.findtext("version"), root.findtext("meta/task/size"), root.findtext("meta/task/stop_frame")), ("annotations", "1.1", "60", "59"))
        self.assertEqual([label.text for label in root.findall("meta/task/labels/label/name")], ["object"])
        tracks = root.findall("track")
        self.assertEqual(len(tracks), len({row["tracking_id"] for row in rows}))
        boxes = []
        for track in tracks:
            frames = [int(box.get("frame")) for box in track]
            self.assertEqual(frames, sorted(set(frames)))
            for box in track:
                left, top, right, bottom = (int(box.get(name)) for name in ("xtl", "ytl", "xbr", "ybr"))
                if box.get("outside") == "0":
                    boxes.append((int(box.get("frame")) + 1, left, top, right - left, bottom - top))
                else:
                    # The track has no box in this frame.
                    self.assertNotIn((int(box.get("frame")) + 1, left, top, right - left, bottom - top), boxes)
        self.assertEqual(sorted(boxes), sorted((frame, *box) for frame, _, *box in wanted))

    def test_events(self):
        self.annotate("--zones", ZONES, "--json", self.path("all.jsonl"), "--events-csv", self.path("events.csv"), self.clip(frames=500))
        rows = self.table("events.csv")
        crossings = self.messages("all.jsonl", "swiftodt-zone")
        begun = [line for line in self.messages("all.jsonl", "swiftodt-track") if line["event"] != "update"]
        self.assertIn("cross", [line["event"] for line in crossings])
        for kind, lines in (("zone", crossings), ("track", begun)):
            self.assertEqual([(row["event"], row["tracking_id"], row["zone"], row["direction"]) for row in rows if row["kind"] == kind],
                             [(line["event"], str(line["tracking-id"]), line.get("zone", ""), line.get("direction", "")) for line in lines])
        for row, line in zip([row for row in rows if row["kind"] == "zone"], crossings):
            self.assertAlmostEqual(float(row["time"]), line.get("event-running-time", line["running-time"]) / 1e9, 5)
        report = command(ODT, "report", "--csv", "-", "--events-csv", self.path("zones.csv"), self.path("all.jsonl"))
        self.assertEqual(report.returncode, 0, report.stderr)
        objects = list(csv.DictReader(io.StringIO(report.stdout)))
        self.assertEqual(sorted(row["tracking_id"] for row in objects), sorted({str(line["tracking-id"]) for line in begun}))
        ends = {str(line["tracking-id"]): line for line in begun if line["event"] == "end"}
        for row in objects:
            self.assertAlmostEqual(float(row["duration"]), ends[row["tracking_id"]]["duration"] / 1e9, 2)
            self.assertEqual(row["reason"], ends[row["tracking_id"]]["reason"])
        zones = self.table("zones.csv")
        self.assertEqual([(row["zone"], row["event"], row["tracking_id"]) for row in zones],
                         [(line["zone"], line.get("direction") or line["event"], str(line["tracking-id"])) for line in crossings])
        # Without -o there is no page. Existing tables are kept.
        self.assertFalse([name for name in os.listdir(self.folder) if name.endswith(".html")] or os.path.exists("all-report.html"))
        again = command(ODT, "report", "--events-csv", self.path("zones.csv"), self.path("all.jsonl"))
        self.assertEqual(again.returncode, 2)
        self.assertIn("already exists; use --force", again.stderr)
        both = command(ODT, "report", "--csv", self.path("objects.csv"), "-o", self.path("page.html"), self.path("all.jsonl"))
        self.assertEqual((both.returncode, os.path.exists(self.path("page.html")), os.path.exists(self.path("objects.csv"))), (0, True, True), both.stderr)

    def test_many_inputs(self):
        self.clip("one.mkv", frames=20)
        self.clip("two.mkv", frames=20)
        self.annotate("--out-dir", self.path("new/out"), "--events-csv", ".events.csv", "--export", "mot=.txt", "--export", "coco=.json", self.path("one.mkv"), self.path("two.mkv"))
        self.assertEqual(sorted(os.listdir(self.path("new/out"))), sorted(f"{name}{ending}" for name in ("one", "two") for ending in (".events.csv", ".json", ".mkv", ".txt")))
        said = self.annotate("--out-dir", self.path("other"), "--export", "mot=.txt", "--csv", ".txt", self.path("one.mkv"), code=2)
        self.assertIn("two outputs have the same extension", said.stderr)

    def test_export_that_cannot_be_written_is_an_error(self):
        """The earlier file stays."""
        source, name = self.clip(frames=100), self.path("all.json")
        with open(name, "w", encoding="ascii") as file:
            file.write("earlier")
        said = command("/bin/bash", "-c", 'ulimit -f 1; exec "$@"', "limited", ODT, "annotate", "--force", "--set", "detector=motion",
                       "--export", f"coco={name}", source)
        self.assertEqual(said.returncode, 3, said.stderr)
        self.assertIn("cannot write", said.stderr)
        with open(name, encoding="ascii") as file:
            self.assertEqual(file.read(), "earlier")

    def test_errors(self):
        source = self.clip(frames=20)
        for words, sentence in (
                (["--export", self.path("x.json")], "--export needs KIND=FILE with one of coco, cvat, mot"), (["--export", f"voc={self.path('x.xml')}"], "--export needs KIND=FILE"),
                (["--export", f"mot={self.path('x.txt')}", "--set", "updates=on-change"], "--export needs every frame"),
                (["--events-csv", self.path("x.csv"), "--set", "track_events=false"], "--events-csv needs track events"),
                (["--tracks-csv", self.path("x.csv"), "--set", "tracking=false"], "--tracks-csv needs track events: leave out --set tracking"),
                (["--crops", self.path("x"), "--set", "mode=single-image"], "--crops needs track events: leave out --set mode"),
                (["--json", self.path("x.jsonl"), "--quality", "20"], "--quality needs OUT"), (["--json", self.path("x.jsonl"), "--encoder", "x264enc"], "--encoder needs OUT")):
            with self.subTest(sentence):
                self.assertIn(sentence, self.annotate(*words, source, code=2).stderr)
        for words in ([f"--csv={self.path('missing/x.csv')}", source], [source, self.path("missing/out.mp4")]):
            self.assertIn(f"there is no folder {self.path('missing/')}: create it", self.annotate(*words, code=1).stderr)
        self.assertEqual(os.listdir(self.folder), ["ball.mkv"])


if __name__ == "__main__":
    unittest.main()
