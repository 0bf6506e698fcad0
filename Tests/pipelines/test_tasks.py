"""The commands of the how-to pages run as documented, on two seconds of video with sound, and produce what the pages state."""
import csv
import json
import os
import re
import subprocess
import tempfile
import unittest

from streams import BIKES, ROOT, command, needs_detector

LINE = [{"name": "door", "kind": "line", "points": [[0.5, 0], [0.5, 1]]}]
AREA = [{"name": "yard", "points": [[0, 0], [1, 0], [1, 1], [0, 1]]}]


# By page: headings with tested commands.
TASKS = {
    "annotate": ("Annotate a folder of videos", "Write tables for pandas", "Save the best picture of each object"),
    "recorded-detections": ("Record once, then try other settings",),
    "redaction": ("Redact a file",),
    "report": ("Report on a long video",),
    "zones": ("Count objects that cross a line", "Measure how long objects stay in a zone"),
}


def commands():
    """The first shell block below each tested heading, by heading."""
    found = {}
    for page, headings in TASKS.items():
        with open(f"{ROOT}/docs/{page}.md", encoding="utf-8") as file:
            parts = re.split(r"^## ", file.read(), flags=re.MULTILINE)[1:]
        for part in parts:
            if (heading := part.splitlines()[0]) in headings:
                found[heading] = re.search(r"```sh\n(.*?)```", part, re.DOTALL)[1].splitlines()
    return found


@needs_detector
@unittest.skipUnless(os.path.exists(BIKES), "no video: Pipelines/setup fetches it")
class Tasks(unittest.TestCase):
    """One test for each task."""

    @classmethod
    def setUpClass(cls):
        cls.place = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.place.cleanup)
        os.mkdir(cls.path("footage"))
        made = command("ffmpeg", "-v", "error", "-ss", "3", "-i", BIKES, "-f", "lavfi", "-i", "sine=frequency=440:sample_rate=44100", "-t", "2",
                       "-map", "0:v", "-map", "1:a", "-c:v", "libx264", "-preset", "ultrafast", "-c:a", "aac", cls.path("in.mp4"))
        assert made.returncode == 0, made.stderr
        for name in ("one.mp4", "two.mp4"):
            os.symlink(cls.path("in.mp4"), cls.path(f"footage/{name}"))
        for name, zones in (("door.json", LINE), ("yard.json", AREA)):
            with open(cls.path(name), "w", encoding="ascii") as file:
                json.dump(zones, file)

    @classmethod
    def path(cls, name):
        return os.path.join(cls.place.name, name)

    def does(self, task):
        """Runs the commands of a task and returns their output."""
        return self.runs("\n".join(commands()[task]))

    def runs(self, script):
        said = subprocess.run(["/bin/bash", "-euo", "pipefail", "-c", script], cwd=self.place.name, capture_output=True, text=True,
                              timeout=200, stdin=subprocess.DEVNULL, env=os.environ | {"PATH": f"{ROOT}/.build/tool:{os.environ['PATH']}"})
        self.assertEqual(said.returncode, 0, said.stderr[-2000:])
        return said.stdout

    def messages(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return [json.loads(line) for line in file]

    def streams(self, name):
        said = command("ffprobe", "-v", "error", "-show_entries", "stream=codec_type", "-of", "csv=p=0", self.path(name))
        return sorted(said.stdout.split())

    def test_every_task_has_a_test(self):
        with open(__file__, encoding="utf-8") as file:
            tested = set(re.findall(r'self\.does\("(.*?)"\)', file.read()))
        self.assertEqual(tested, set(commands()))
        self.assertEqual(tested, {heading for headings in TASKS.values() for heading in headings})

    def test_line_task(self):
        self.does("Count objects that cross a line")
        messages = self.messages("crossings.jsonl")
        (zone,) = [message for message in messages if message["message"] == "swiftodt"][-1]["zones"]
        crossings = [message for message in messages if message["message"] == "swiftodt-zone"]
        self.assertEqual((zone["name"], zone["in"] + zone["out"]), ("door", len(crossings)))
        self.assertIn("video", self.streams("counted.mp4"))

    def test_zone_task(self):
        stays = [json.loads(line) for line in self.does("Measure how long objects stay in a zone").splitlines()]
        self.assertGreater(len(stays), 0)
        for stay in stays:
            self.assertEqual((stay["message"], stay["zone"]), ("swiftodt-zone", "yard"))
            self.assertLessEqual(stay["dwell"], 2.1e9)

    def test_folder_task(self):
        self.does("Annotate a folder of videos")
        self.assertEqual(sorted(os.listdir(self.path("annotated"))), ["one.jsonl", "one.mp4", "two.jsonl", "two.mp4"])
        self.assertEqual(self.streams("annotated/two.mp4"), ["audio", "video"])

    def test_tables_task(self):
        self.does("Write tables for pandas")
        tables = []
        for name in ("objects.csv", "tracks.csv"):
            with open(self.path(name), encoding="utf-8", newline="") as file:
                tables.append(list(csv.DictReader(file)))
        objects, tracks = tables
        self.assertGreater(len(objects), 20)
        self.assertLessEqual({row["tracking_id"] for row in objects}, {row["tracking_id"] for row in tracks})

    def test_overview_task(self):
        self.does("Report on a long video")
        with open(self.path("overview.html"), encoding="utf-8") as file:
            page = file.read()
        data, pictures = (json.loads(re.search(rf"id={name}>(.*?)</script>", page, re.DOTALL)[1]) for name in ("data", "pictures"))
        self.assertGreater(len(data["tracks"]), 0)
        self.assertTrue(all(pictures["tracks"]))

    def test_privacy_task(self):
        self.does("Redact a file")
        self.assertEqual(self.streams("blurred.mp4"), ["audio", "video"])

    def test_best_pictures_task(self):
        self.does("Save the best picture of each object")
        pictures = os.listdir(self.path("best"))
        self.assertGreater(len(pictures), 1)
        for name in pictures:
            self.assertRegex(name, r"^\d{5}.*\.jpg$")
            with open(self.path(f"best/{name}"), "rb") as file:
                self.assertEqual(file.read(3), b"\xff\xd8\xff")

    def test_report_task(self):
        """The first commands of docs/report.md write a report."""
        with open(f"{ROOT}/docs/report.md", encoding="utf-8") as file:
            block = re.search(r"```sh\n(.*?)```", file.read(), re.DOTALL)[1]
        os.symlink(self.path("in.mp4"), self.path("yard.mp4"))
        self.runs(block)
        self.assertGreater(os.path.getsize(self.path("annotated-report.html")), 50_000)

    def test_recorded_detections_task(self):
        self.does("Record once, then try other settings")
        self.assertEqual(self.streams("patient.mp4"), ["audio", "video"])


if __name__ == "__main__":
    unittest.main()
