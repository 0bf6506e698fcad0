"""odt bench prints measurements of a run, and an error text for invalid arguments."""
import json
import subprocess
import tempfile
import unittest

from streams import ROOT, on_terminal

ODT = f"{ROOT}/.build/tool/odt"


def bench(*words):
    return subprocess.run([ODT, "bench", *words], capture_output=True, text=True, timeout=120)


class Bench(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = cls.enterClassContext(tempfile.TemporaryDirectory())
        cls.video = f"{cls.folder}/ball.mkv"
        subprocess.run(["gst-launch-1.0", "-q", "videotestsrc", "num-buffers=60", "pattern=ball", "!", "video/x-raw,width=320,height=240",
                        "!", "x264enc", "!", "matroskamux", "!", "filesink", f"location={cls.video}"], check=True, timeout=60)

    def test_run_reports_figures(self):
        said = bench("--json", "motion", self.video)
        self.assertEqual((said.returncode, said.stderr), (0, ""))
        figures = json.loads(said.stdout)
        self.assertEqual((figures["model"], figures["frames"]), ("motion", 60))
        for name in ("frames-per-second", "processor-per-frame", "first-frame", "memory"):
            self.assertGreater(figures[name], 0, name)
        self.assertGreater(figures["stages"]["track"]["max"], 0)
        self.assertNotIn("inference", figures["stages"])

    def test_progress_names_file(self):
        video = f"{self.folder}/long.mkv"
        subprocess.run(["gst-launch-1.0", "-q", "videotestsrc", "num-buffers=400", "pattern=ball", "!", "video/x-raw,width=320,height=240",
                        "!", "x264enc", "speed-preset=ultrafast", "!", "matroskamux", "!", "filesink", f"location={video}"], check=True, timeout=60)
        code, shown = on_terminal(ODT, "bench", "--frames=0", "motion", video)
        self.assertEqual(code, 0, shown)
        self.assertRegex(shown, r"\x1b\[Klong\.mkv: \d+ %, \d+ frames, \d+ a second")

    def test_frames_and_properties_are_options(self):
        said = bench("--frames", "20", "--set", "draw=true", "--set=max-objects=3", "motion", self.video)
        self.assertEqual(said.returncode, 0, said.stderr)
        self.assertIn("20 frames", said.stdout)
        self.assertIn("per second", said.stdout)
        self.assertRegex(said.stdout, r"(?m)^draw +p50")

    def test_invalid_options_are_errors(self):
        for words, code, text in [
            ((self.video,), 2, "name a MODEL and a VIDEO"),
            (("motion", f"{self.folder}/none.mp4"), 4, "no such file"),
            (("no_such_model", self.video), 3, "no_such_model"),
            (("motion", "http://127.0.0.1:9/x"), 4, "cannot play http://127.0.0.1:9/x"),
            (("--set", "no-such-property=1", "motion", self.video), 2, "no-such-property"),
            (("--frames", "5", "motion", self.video), 2, "--frames must be 0 or more than 11"),
        ]:
            said = bench(*words)
            self.assertEqual(said.returncode, code, (words, said.stderr))
            self.assertIn(text, said.stderr)
            self.assertEqual(said.stdout, "")
