"""The file of odt watch, read for many cameras: what it says of each, and what cannot be meant."""
import unittest
from pathlib import Path

from fleets import PYTHON, needs_fleet
from streams import InFolder, ROOT, command
from swiftodt_fleet.cameras.configuration import Configuration, ConfigurationError


class Configurations(InFolder):
    """The file of odt watch, read so that each camera gets its own."""

    def read(self, text):
        Path(self.path("watch.conf")).write_text(text, encoding="utf-8")
        return Configuration.read(Path(self.path("watch.conf")))

    def test_each_camera_gets_its_own(self):
        Path(self.path("zones.json")).write_text('[{"name": "a\\\\b",\n "points": []}]', encoding="utf-8")
        found = self.read("# cameras\n[watch]\nrecord=video\nmqtt=mqtt://a/b\nquiet=true\n[cameras]\ndetector=motion\n\n"
                          "[camera front]\nsource=rtsp://a:b@c/d\nzones=zones.json\n[camera yard]\n source = yard.mkv \nrecord=false\n")
        self.assertEqual(list(found.cameras), ["front", "yard"])
        self.assertEqual(found.options, {"mqtt": "mqtt://a/b"})
        self.assertEqual(len(found.warnings), 1)
        self.assertIn("watch.conf:5: quiet has no effect here", found.warnings[0])
        self.assertEqual(found.cameras["yard"].text.splitlines(), [
            "", "[watch]", f"record={self.path('video')}", "", "", "[cameras]", "detector=motion", "", "", "", "", "[camera yard]",
            f"source={self.path('yard.mkv')}", "record=false"])
        self.assertIn('zones=[{"name": "a\\\\\\\\b", "points": []}]\n', found.cameras["front"].text)
        moved = self.read("[cameras]\ndetector=motion\n[camera new]\nsource=a\n[watch]\nrecord=video\n[camera yard]\nsource=yard.mkv\nrecord=false\n")
        self.assertEqual(sorted(moved.cameras["yard"].gist.splitlines()), sorted(found.cameras["yard"].gist.splitlines()))

    def test_mistakes_are_named_with_their_line(self):
        for text, sentence in (
                ("[camera a b]\nsource=a", "watch.conf:1: 'a b' cannot be"), ("\n[camera a]\nname=a", "watch.conf:2: [camera a] has no source="),
                ("[Camera a]", "watch.conf:1: there is no group"), ("source=a", "watch.conf:1: 'source' stands before"),
                ("[camera a]\nsource", "watch.conf:2: 'source' is neither"), ("[camera a]\nsource=a\nsource=b", "watch.conf:3: source is there"),
                ("[camera a]\nsource=a\n[camera a]", "watch.conf:3: [camera a] is there"), ("[camera a", "watch.conf:1: a group is")):
            with self.subTest(text), self.assertRaises(ConfigurationError) as refused:
                self.read(text)
            self.assertIn(sentence, str(refused.exception))
        with self.assertRaises(ConfigurationError):
            Configuration.read(Path(self.path("none.conf")))


@needs_fleet
class Watches(InFolder):

    WATCHER = """
import sys, time
from pathlib import Path
from swiftodt_fleet.cameras.configuration import Configuration
from swiftodt_fleet.cameras.export import Destinations
from swiftodt_fleet.cameras.worker import CameraWatch, Order
folder = Path(sys.argv[1])
cameras = Configuration.read(folder / "watch.conf").cameras.values()
watches = [CameraWatch(Order(camera, Destinations(str(folder / "out"), folder / "journals"), retry=0.1)) for camera in cameras]
while (states := [watch.status() for watch in watches]) and not {state["state"] for state in states} <= {"ended", "refused"}:
    time.sleep(0.05)
for watch, state in zip(watches, states):
    print(state["state"], state["reason"], state["starts"], sep="|")
    watch.stop()
print(*(folder / "journals").glob("*/*"))
"""

    def test_what_cannot_be_meant_is_not_begun_again(self):
        """A mistake is named with the line of the file as the user has it; a file that has been seen to its end is over."""
        made = command("gst-launch-1.0", "-q", *"videotestsrc num-buffers=5 ! jpegenc ! matroskamux ! filesink".split(), f"location={self.path('a.mkv')}")
        self.assertEqual(made.returncode, 0, made.stderr)
        Path(self.path("watch.conf")).write_text("[cameras]\ndetector=motion\n[camera film]\nsource=a.mkv\n[camera bad]\nsource=a.mkv\nmax-object=3\n",
                                                 encoding="ascii")
        said = command(PYTHON, "-c", self.WATCHER, self.folder, PYTHONPATH=f"{ROOT}/Pipelines/fleet")
        self.assertEqual((said.returncode, said.stderr), (0, ""))
        film, bad, left = said.stdout.splitlines()
        self.assertEqual((film, left), ("ended|None|1", ""))
        self.assertTrue(bad.startswith(f"refused|{self.path('watch.conf')}:7: 'max-object=3' sets no property"), bad)
        self.assertTrue(bad.endswith("|1"), bad)


if __name__ == "__main__":
    unittest.main()
