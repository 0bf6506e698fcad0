"""odt reads a video or a picture from standard input if the operand is '-'."""
import json
import subprocess
import unittest

from streams import ROOT, command, installed_models, needs_detector, on_terminal
from watching import FAST, ODT, Watching

PICTURE = f"{ROOT}/docs/annotated.jpg"


class StandardInput(Watching):
    def run_piped(self, file, *words, code=0):
        """Runs odt behind a pipe, which cannot seek."""
        with open(file, "rb") as source, subprocess.Popen(["cat"], stdin=source, stdout=subprocess.PIPE) as cat:
            said = subprocess.run([ODT, *words], stdin=cat.stdout, capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual(said.returncode, code, said.stderr)
        return said.stdout

    def test_annotate_reads_pipe_as_file(self):
        clip = self.clip(frames=50)
        words = ("annotate", FAST, "--json", "-")
        direct = command(ODT, *words, clip).stdout
        self.assertEqual(direct.count('"swiftodt"'), 50)
        # Statistics contain measured times.
        results = [[line for line in text.splitlines() if json.loads(line)["message"] == "swiftodt"]
                   for text in (direct, self.run_piped(clip, *words, "-"))]
        self.assertEqual(*results)
        self.assertIn("50 frames", self.run_piped(clip, "annotate", FAST, "-", self.path("out.mkv")))

    def test_play_and_bench_read_pipe(self):
        clip = self.clip(frames=50)
        self.assertIn("50 frames", self.run_piped(clip, "bench", "motion", "-"))
        self.run_piped(clip, "play", FAST, "--sink=fakesink", "-")

    def test_watch_ends_with_pipe(self):
        """A transport stream has no duration, but standard input is no camera that comes back."""
        clip = self.clip("ball.ts", muxer="mpegtsmux")
        for words, name in (("-",), "stdin"), (("gate=-",), "gate"):
            lines = [json.loads(line) for line in self.run_piped(clip, "watch", FAST, *words).splitlines()]
            self.assertEqual([(line["source"], line["event"]) for line in lines if line["message"] == "swiftodt-camera"],
                             [(name, "connected"), (name, "ended")])

    def test_zones_show_frame_of_pipe(self):
        self.run_piped(self.clip(frames=30), "zones", "-o", self.path("page.html"), "-")
        with open(self.path("page.html"), encoding="utf-8") as file:
            self.assertIn("data:image/jpeg;base64,", file.read())

    @needs_detector
    def test_detect_reads_picture_and_video(self):
        self.assertEqual(self.run_piped(PICTURE, "detect", "-").replace("-: ", "", 1),
                         command(ODT, "detect", PICTURE).stdout.replace(f"{PICTURE}: ", "", 1))
        self.run_piped(self.clip(frames=10), "detect", "--detections", self.path("found.jsonl"), "-")
        with open(self.path("found.jsonl"), encoding="utf-8") as file:
            self.assertIn("\"frames\":10,", file.read())

    @unittest.skipUnless(installed_models("classifier"), "no classifier")
    def test_classify_reads_picture(self):
        found = json.loads(self.run_piped(PICTURE, "classify", "--json", "-"))
        expected = json.loads(command(ODT, "classify", "--json", PICTURE).stdout)
        self.assertEqual({**found, "picture": PICTURE}, {**expected, "picture": PICTURE})

    def test_terminal_and_null_device_are_refused(self):
        """The null device, standard input of services, is no camera."""
        for words in (["annotate", "--json", self.path("out")], ["detect"], ["classify"], ["bench", "motion"], ["play", "--sink=fakesink"],
                      ["watch"], ["zones"]):
            code, shown = on_terminal(ODT, *words, "-", input=None)
            self.assertEqual(code, 2, shown)
            self.assertIn("'-' is standard input, which is a terminal", shown)
            said = command(ODT, *words, "-")
            self.assertEqual((said.returncode, "'-' is standard input, which is empty" in said.stderr), (2, True), said.stderr)


if __name__ == "__main__":
    unittest.main()
