"""The commands in README.md and docs/ use options and properties that exist, and the tutorials run as written."""
import os
import re
import shlex
import subprocess
import tempfile
import unittest

from streams import BIKES, ROOT, command, needs_detector

PAGES = ["README.md"] + sorted(f"docs/{name}" for name in os.listdir(f"{ROOT}/docs") if name.endswith(".md"))
SUBCOMMANDS = "annotate bench classify detect doctor models report setup track watch zones".split()


def shell_lines(page):
    """The commands in a page's shell blocks, with continued lines joined."""
    with open(f"{ROOT}/{page}", encoding="utf-8") as file:
        for block in re.findall(r"^ *```sh\n(.*?)```", file.read(), re.DOTALL | re.MULTILINE):
            yield from filter(None, map(str.strip, block.replace("\\\n", " ").splitlines()))


def invocations(page, program):
    """The argument lists with which a page calls a program."""
    for line in shell_lines(page):
        words = shlex.split(line.replace("$(", "").replace("|", " | "), comments=True)
        for start in (at for at, word in enumerate(words) if word == program or word.endswith("/" + program)):
            if start and words[start - 1] not in ("|", "sudo", "&&", "Pipelines/with-plugin"):
                continue
            end = next((at for at, word in enumerate(words) if at > start and word in ("|", "&&", ";")), len(words))
            yield words[start + 1:end]


def property_names():
    with open(f"{ROOT}/docs/properties.md", encoding="utf-8") as file:
        return set(re.findall(r"^\| `([\w-]+)` \|", file.read(), re.MULTILINE))


class Commands(unittest.TestCase):
    """Options and properties of documented commands."""

    def test_odt_options_exist(self):
        checked = 0
        for page in PAGES:
            for words in invocations(page, "odt"):
                with self.subTest(f"{page}: odt {' '.join(words)}"):
                    self.assertIn(words[0], SUBCOMMANDS)
                    name = words[:2] if words[0] == "models" and words[1] in ("fetch", "quantise") else words[:1]
                    usage = command(f"{ROOT}/.build/tool/odt", *name, "--help").stdout
                    for option in (word for word in words if word.startswith("--")):
                        self.assertRegex(usage, rf"{option}\b")
                        checked += 1
        self.assertGreater(checked, 50)

    def test_properties_exist(self):
        names, checked = property_names(), 0
        for page in PAGES:
            used = [words[at + 1] for words in invocations(page, "odt") for at, word in enumerate(words) if word == "--set"]
            for words in invocations(page, "gst-launch-1.0"):
                if "swiftodt" in words:
                    start = words.index("swiftodt")
                    end = words.index("!", start)
                    used += words[start + 1:end]
            for setting in used:
                with self.subTest(f"{page}: {setting}"):
                    self.assertIn(setting.split("=")[0], names | {"NAME"})
                    checked += 1
        self.assertGreater(checked, 30)


@needs_detector
@unittest.skipUnless(os.path.exists(BIKES), "no video: Pipelines/setup fetches it")
class Tutorials(unittest.TestCase):
    """The commands of tutorial 1 and of the comparison of tutorial 3 run in order, on two seconds of video."""

    @classmethod
    def setUpClass(cls):
        cls.place = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.place.cleanup)
        made = command("ffmpeg", "-v", "error", "-ss", "3", "-i", BIKES, "-t", "2", f"{cls.place.name}/in.mp4")
        assert made.returncode == 0, made.stderr

    def run_line(self, line):
        done = subprocess.run(["/bin/bash", "-euo", "pipefail", "-c", line], cwd=self.place.name, capture_output=True, text=True, timeout=200,
                              stdin=subprocess.DEVNULL, check=False,
                              env=os.environ | {"PATH": f"{ROOT}/.build/tool:{os.environ['PATH']}", "GST_PLUGIN_PATH": f"{ROOT}/.build/plugin"})
        self.assertEqual(done.returncode, 0, f"{line}\n{done.stderr[-2000:]}")

    def test_first_tutorial_runs(self):
        lines = [line for line in shell_lines("docs/tutorial-1-first-video.md") if not line.startswith(("Pipelines/setup", "cp ", "odt doctor"))]
        self.assertGreaterEqual(len(lines), 6)
        for line in lines:
            self.run_line(line)
        for name in ("annotated.mp4", "pipeline.mp4", "messages-report.html"):
            self.assertGreater(os.path.getsize(f"{self.place.name}/{name}"), 50_000, name)

    def test_comparison_of_models_runs(self):
        if command(f"{ROOT}/.build/tool/odt", "models", "show", "yolox_nano").returncode != 0:
            self.skipTest("no YOLOX-nano: Pipelines/fetch-models yolox_nano fetches it")
        for line in shell_lines("docs/tutorial-3-own-model.md"):
            if "my-" not in line and not line.startswith("odt models fetch"):
                self.run_line(line)


if __name__ == "__main__":
    unittest.main()
