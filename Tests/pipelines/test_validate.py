"""gst-validate finds no violation of GStreamer's rules: seeks, rates, loops, caps and state changes, signals."""
import glob
import os
import shutil
import unittest

from streams import ROOT, command


@unittest.skipUnless(shutil.which("gst-validate-1.0"), "no gst-validate-1.0, which is part of gst-devtools")
class Validation(unittest.TestCase):
    def test_scenarios_have_no_critical_issue(self):
        scenarios = sorted(glob.glob(f"{ROOT}/Tests/validate/*.validatetest"))
        self.assertGreaterEqual(len(scenarios), 6)
        for scenario in scenarios:
            with self.subTest(os.path.basename(scenario)):
                played = command("gst-validate-1.0", "--set-test-file", scenario, seconds=60)
                self.assertEqual(played.returncode, 0, played.stdout[-3000:] + played.stderr[-3000:])


if __name__ == "__main__":
    unittest.main()
