"""The programs in Pipelines and the tool odt end with a sentence where they cannot go on."""
import os
import tempfile
import unittest

from streams import ROOT, command

TOOL = f"{ROOT}/.build/tool/odt"


class Programs(unittest.TestCase):
    """What people mistype."""

    def refuses(self, code, text, *words, **environment):
        said = command(*words, **environment)
        self.assertEqual(said.returncode, code, said.stdout + said.stderr)
        self.assertIn(text, said.stderr)
        self.assertNotIn("Traceback", said.stderr)

    def test_a_pipeline_that_is_none(self):
        self.refuses(1, "--nonsense", "Pipelines/bus-to-json", "--nonsense")

    def test_what_is_missing(self):
        for words in (["record"], ["record", "-o"], ["single-image"], ["single-image", "-o"], ["live-camera", "-n"]):
            with self.subTest(words):
                self.refuses(2, "Usage: Pipelines/" + words[0], "Pipelines/" + words[0], *words[1:])
        self.assertEqual(command("Pipelines/bus-to-json", "-o").returncode, 2)
        self.refuses(1, "/nowhere/x", "Pipelines/bus-to-json", "-o", "/nowhere/x", "fakesrc", "!", "fakesink")

    def test_a_summary_of_nothing(self):
        self.refuses(1, "/nowhere/x.jsonl", "Pipelines/summary", "/nowhere/x.jsonl")
        self.refuses(1, "README.md", "Pipelines/summary", "README.md")

    def test_options_of_odt(self):
        self.refuses(2, "usage", TOOL)
        self.refuses(2, "'nonsense'", TOOL, "nonsense")
        self.refuses(2, "--nonsense", TOOL, "detect", "--nonsense")
        self.refuses(2, "FILE", TOOL, "models", "show")
        self.refuses(1, "odt models list", TOOL, "models", "show", "nonsense")

    def test_an_answer_that_cannot_be_written(self):
        self.refuses(1, "No space left", "/bin/sh", "-c", f"{TOOL} models list >/dev/full")
        self.refuses(1, "No space left", "/bin/sh", "-c", f"echo 1,-1,1,1,9,9,1 | {TOOL} track --detections - --output -"
                     " >/dev/full")

    def test_the_tool_stays_small(self):
        """Foundation, linked statically, would make it six times as large."""
        self.assertLess(os.path.getsize(TOOL), 16 << 20)

    def test_they_may_be_called_by_a_link(self):
        with tempfile.TemporaryDirectory() as folder:
            link = os.path.join(folder, "plugin")
            os.symlink(f"{ROOT}/Pipelines/with-plugin", link)
            said = command(link, "printenv", "GST_PLUGIN_PATH")
            self.assertTrue(said.stdout.startswith(f"{ROOT}/.build/plugin"), said.stdout + said.stderr)
