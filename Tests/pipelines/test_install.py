"""What Pipelines/setup --install puts into a home is whole, and --uninstall takes it away again."""
import os
import tempfile
import unittest

from streams import command


class Installation(unittest.TestCase):
    """In a home of its own, whose name has a blank in it."""

    def test_install_and_uninstall(self):
        with tempfile.TemporaryDirectory(prefix="a home ") as home:
            def run(*words):
                said = command(*words, seconds=280, HOME=home, XDG_DATA_HOME=f"{home}/.local/share",
                               XDG_CACHE_HOME=f"{home}/.cache", GST_PLUGIN_PATH="", GST_REGISTRY=f"{home}/registry.bin")
                self.assertEqual(said.returncode, 0, said.stdout + said.stderr)
                return said.stdout

            run("Pipelines/setup", "--install", "--no-packages", "--no-models")
            self.assertIn(home, run("gst-inspect-1.0", "swiftodt"))
            self.assertIn("efficientdet_lite0", run(f"{home}/.local/bin/odt", "models", "list"))
            self.assertIn(home, run("/usr/bin/python3", "-c", "import swiftodt; print(swiftodt.__file__)"))
            # Looks into everything that is needed to fetch and prepare the models.
            self.assertIn("efficientdet_lite0", run(f"{home}/.local/share/swiftodt/fetch-models", "--list"))
            with open(f"{home}/.local/share/swiftodt/models/efficientdet_lite0.json", "w", encoding="ascii") as file:
                file.write("{}")
            run(f"{home}/.local/share/swiftodt/fetch-models", "--list")
            run("Pipelines/setup", "--uninstall")
            left = [os.path.join(folder, name) for folder, _, names in os.walk(f"{home}/.local") for name in names]
            self.assertEqual(left, [])
