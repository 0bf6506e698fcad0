"""A moving ball is detected, tracked and reported without a model."""
import json
import os
import statistics
import tempfile
import unittest

from streams import Gst, ROOT, ball, box, command, frames, overlap

WIDTH, HEIGHT = 320, 240
BRIGHT = bytes(1 if value > 100 else 0 for value in range(256))


def ball_in(sample):
    """Returns the box of the bright pixels of a grey frame."""
    pixels = sample.get_buffer().extract_dup(0, WIDTH * HEIGHT).translate(BRIGHT)
    rows = [pixels[start:start + WIDTH] for start in range(0, WIDTH * HEIGHT, WIDTH)]
    lit = [number for number, row in enumerate(rows) if 1 in row]
    left = min(rows[number].find(1) for number in lit)
    right = max(rows[number].rfind(1) for number in lit)
    return left, lit[0], right - left + 1, lit[-1] - lit[0] + 1


class Ball(unittest.TestCase):
    """detector=motion, tracker and messages together."""

    @classmethod
    def setUpClass(cls):
        description = (f"{ball(300, 'GRAY8')} ! swiftodt detector=motion draw=false updates=every-frame"
                       " ! appsink name=frames sync=false max-buffers=8")
        cls.truth = {sample.get_buffer().pts: ball_in(sample) for sample in frames(description)}
        cls.results = frames.said.results

    def test_every_frame_is_reported(self):
        self.assertEqual([result.get_value("timestamp") for result in self.results], list(self.truth))
        self.assertEqual([result.get_value("sequence") for result in self.results], list(range(300)))

    def test_box_fits_ball(self):
        overlaps = []
        for result in self.results:
            objects = list(result.get_value("objects"))
            if objects or overlaps:
                truth = self.truth[result.get_value("timestamp")]
                overlaps.append(max((overlap(box(thing), truth) for thing in objects), default=0))
        self.assertGreater(len(overlaps), 270, "the ball was detected late")
        self.assertGreater(statistics.mean(overlaps), 0.8)

    def test_ball_keeps_its_id(self):
        ids = {thing.get_value("tracking-id") for result in self.results for thing in result.get_value("objects")}
        self.assertEqual(len(ids), 1)


class Examples(unittest.TestCase):
    """The programs in Pipelines."""

    def test_gst_launch_prints_messages(self):
        said = command("gst-launch-1.0", "-m", *f"{ball()} ! swiftodt detector=motion ! fakesink".split())
        self.assertEqual(said.returncode, 0, said.stderr)
        self.assertIn("swiftodt, version=(uint)1", said.stdout)
        self.assertIn("tracking-id", said.stdout)

    def test_bus_to_json_writes_one_object_a_line(self):
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "said.jsonl")
            said = command("Pipelines/bus-to-json", "-o", file,
                           *f"{ball()} ! swiftodt detector=motion ! fakesink".split())
            self.assertEqual(said.returncode, 0, said.stderr)
            with open(file, encoding="utf-8") as lines:
                messages = [json.loads(line) for line in lines]
            summary = command("Pipelines/summary", file)
        self.assertEqual({message["message"] for message in messages}, {"swiftodt", "swiftodt-track", "stats"})
        last = [message for message in messages if message["message"] == "swiftodt"][-1]
        self.assertEqual(last["object-count"], len(last["objects"]))
        self.assertEqual((last["width"], last["height"]), (WIDTH, HEIGHT))
        self.assertEqual(messages[-1]["frames"], 90)
        self.assertIn("1 object tracked", summary.stdout)

    def test_bus_to_json_reports_errors(self):
        said = command("Pipelines/bus-to-json", "filesrc", "location=/nowhere", "!", "decodebin", "!", "fakesink")
        self.assertNotEqual(said.returncode, 0)
        self.assertIn("/nowhere", said.stderr)

    def test_live_camera_falls_back_to_test_source(self):
        said = command("Pipelines/live-camera", "-n", "30", "/dev/no-camera", DISPLAY="", WAYLAND_DISPLAY="")
        self.assertEqual(said.returncode, 0, said.stderr)
        self.assertIn("swiftodt, version=(uint)1", said.stdout)

    def test_rtp_loopback_loses_no_frame(self):
        said = command("/usr/bin/python3", "Pipelines/rtp-loopback", "2")
        self.assertEqual(said.returncode, 0, said.stdout + said.stderr)
        self.assertIn("60 frames sent, 60 received", said.stdout)

    def test_every_pipeline_has_help(self):
        for name in sorted(os.listdir(os.path.join(ROOT, "Pipelines"))):
            if os.path.isfile(path := os.path.join(ROOT, "Pipelines", name)):
                with self.subTest(name):
                    said = command(path, "--help")
                    self.assertEqual(said.returncode, 0, said.stderr)
                    self.assertIn("usage:", said.stdout.lower())

    def test_second_setup_does_nothing(self):
        before = Gst.util_get_timestamp()
        said = command("Pipelines/setup", "--no-packages", "--no-models")
        self.assertEqual((said.returncode, said.stdout), (0, "setup: ready\n"), said.stderr)
        self.assertLess((Gst.util_get_timestamp() - before) / Gst.SECOND, 2)
