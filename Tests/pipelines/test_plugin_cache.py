"""The plugin's interface is the one in docs/gst_plugins_cache.json."""
import unittest

from streams import ROOT, command


class PluginCache(unittest.TestCase):
    def test_plugin_interface_matches_reference(self):
        compared = command(f"{ROOT}/Tests/plugin-cache")
        self.assertEqual(compared.returncode, 0, compared.stdout + compared.stderr)


if __name__ == "__main__":
    unittest.main()
