"""Tests/Benchmarks/run works on a few frames. The measured values are not checked."""
import json
import os
import subprocess
import tempfile
import unittest

from streams import BIKES, ROOT, needs_detector


@needs_detector
@unittest.skipUnless(os.path.exists(BIKES), "no video: Pipelines/demo fetches it")
class Benchmarks(unittest.TestCase):
    def bench(self, *arguments):
        return subprocess.run(
            [os.path.join(ROOT, "Tests/Benchmarks/run"), *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True, timeout=120)

    def test_table_matches_json_file(self):
        with tempfile.NamedTemporaryFile(suffix=".json") as file:
            done = self.bench("starts", "--rounds", "1", "--frames", "3", "--json", file.name)
            self.assertEqual(done.returncode, 0, done.stderr)
            rows = json.load(open(file.name, encoding="utf-8"))["rows"]
        self.assertEqual([row["name"] for row in rows], ["nothing in the cache", "from the cache"])
        for row in rows:
            self.assertTrue(all(value > 0 for value in row["median"].values()), row)
            self.assertIn(f"| {row['median']['first-ms']:.0f} |", done.stdout)

    def test_unmeasurable_input_is_an_error(self):
        for arguments, remedy in ((["starts", "--video", "/nowhere.mp4"], "Pipelines/demo"), (["speed"], "peers, starts"),
                                  (["--rounds", "-1"], "1 or more")):
            done = self.bench(*arguments)
            self.assertEqual((done.returncode, remedy in done.stderr), (2, True), done.stderr)


if __name__ == "__main__":
    unittest.main()
