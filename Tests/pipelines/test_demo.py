"""Pipelines/demo writes the files that its --help lists."""
import contextlib
import json
import os
import re
import shutil
import tempfile
import unittest

from streams import BIKES, ROOT, InFolder, command

OUT = os.path.join(ROOT, "Pipelines", "out", "bikes")


@unittest.skipUnless(os.path.exists(BIKES), "no demo video: Pipelines/setup fetches it")
class Demo(unittest.TestCase):
    """One run of Pipelines/demo."""

    @classmethod
    def setUpClass(cls):
        cls.said = command("Pipelines/demo", seconds=280)

    def test_demo_succeeds(self):
        self.assertEqual(self.said.returncode, 0, self.said.stdout + self.said.stderr)

    def test_video_is_complete(self):
        probe = command("ffprobe", "-v", "error", "-count_frames", "-show_streams", "-of", "json", f"{OUT}/annotated.mp4")
        (stream,) = json.loads(probe.stdout)["streams"]
        self.assertEqual((stream["codec_name"], stream["width"], stream["height"]), ("h264", 640, 272))
        self.assertEqual(stream["nb_read_frames"], "250")
        self.assertAlmostEqual(float(stream["duration"]), 10, delta=0.1)

    def test_messages_match_video(self):
        with open(f"{OUT}/annotated.jsonl", encoding="utf-8") as file:
            messages = [json.loads(line) for line in file]
        results = [message for message in messages if message["message"] == "swiftodt"]
        self.assertEqual(len(results), 250)
        things = [thing for result in results for thing in result["objects"]]
        self.assertGreater(len(things), 400)
        for thing in things:
            self.assertLessEqual(thing["x"] + thing["width"], 640)
            self.assertLessEqual(thing["y"] + thing["height"], 272)

    def test_contact_sheet_is_written(self):
        probe = command("ffprobe", "-v", "error", "-show_streams", "-of", "json", f"{OUT}/contact-sheet.png")
        (stream,) = json.loads(probe.stdout)["streams"]
        self.assertGreater(stream["width"], 1000)

    def test_report_matches_messages(self):
        with open(f"{OUT}/report.html", encoding="utf-8") as file:
            page = file.read()
        data, pictures = (json.loads(re.search(rf"id={name}>(.*?)</script>", page, re.DOTALL)[1]) for name in ("data", "pictures"))
        with open(f"{OUT}/annotated.jsonl", encoding="utf-8") as file:
            ended = {message["tracking-id"] for message in map(json.loads, file) if message.get("event") == "end"}
        self.assertEqual(({row[0] for row in data["tracks"]}, data["results"]), (ended, 250))
        # A picture of each track, and a frame for the heat map.
        self.assertTrue(all(pictures["tracks"]) and pictures["frame"])


class Footage(InFolder):
    """The footage of the pictures. The programs that Pipelines/demo runs are replaced by a script that logs its arguments."""

    def test_pictures_of_report_are_redacted(self):
        for name in ("Pipelines/setup", "Pipelines/summary", ".build/tool/odt", "ffmpeg", "ffprobe"):
            path = self.path(name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                file.write(f'#!/bin/sh\necho "{name} $*" >> {self.folder}/log\n')
                file.write({"ffprobe": "echo 10,250\n", "ffmpeg": 'for last; do :; done\ntouch "$last"\n'}.get(name, ""))
            os.chmod(path, 0o755)
        shutil.copy(f"{ROOT}/Pipelines/demo", self.path("Pipelines/demo"))
        video = self.path("street.mp4")
        with open(video, "w", encoding="utf-8"):
            pass
        annotated = self.path("Pipelines/out/street/annotated.mp4")
        for words, footage in (([], video), (["box-style=blur", "privacy-labels=person"], annotated)):
            with contextlib.suppress(FileNotFoundError):
                os.remove(self.path("log"))
            said = command(self.path("Pipelines/demo"), video, *words, PATH=f"{self.folder}:{os.environ['PATH']}")
            self.assertEqual(said.returncode, 0, said.stderr)
            with open(self.path("log"), encoding="utf-8") as file:
                log = file.read()
            self.assertRegex(log, rf"(?m)^\.build/tool/odt report .* {footage}$")
            self.assertRegex(log, rf"(?m)^ffmpeg .*-i {annotated} ")


@unittest.skipUnless(os.path.exists(BIKES), "no demo video: Pipelines/setup fetches it")
class RealVideo(unittest.TestCase):
    """The default settings on real footage."""

    def test_single_image_is_complete_without_ids(self):
        with tempfile.TemporaryDirectory() as folder:
            picture, annotated = os.path.join(folder, "street.png"), os.path.join(folder, "annotated.png")
            command("ffmpeg", "-v", "error", "-ss", "6.2", "-i", BIKES, "-frames:v", "1", picture)
            said = command("Pipelines/bus-to-json", *f"filesrc location={picture} ! pngdec ! videoconvert ! swiftodt mode=single-image"
                           " multiple-objects=true max-objects=100 classify=true ! videoconvert ! pngenc ! filesink".split(),
                           f"location={annotated}")
            self.assertEqual(said.returncode, 0, said.stderr)
            self.assertGreater(os.path.getsize(annotated), 100_000)
            # No detection reaches this score, so odt names the best one.
            nothing = command(f"{ROOT}/.build/tool/odt", "detect", "--score", "0.999", picture).stdout
            self.assertRegex(nothing, r"^\S+: no object has a score of at least 0\.999; the best was \w+, 0\.\d+\n$")
        (result,) = [one for one in map(json.loads, said.stdout.splitlines()) if one["message"] == "swiftodt"]
        self.assertGreater(result["object-count"], 0)
        for thing in result["objects"]:
            self.assertNotIn("tracking-id", thing)
        self.assertEqual(result["mode"], "single-image")
