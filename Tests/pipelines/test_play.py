"""odt play shows a video with its objects."""
import subprocess
import unittest

from paged import ZONES
from streams import command
from watching import FAST, ODT, Watching


class Play(Watching):

    def play(self, *words, code=0):
        said = command("env", "-u", "DISPLAY", "-u", "WAYLAND_DISPLAY", ODT, "play", FAST, *words)
        self.assertEqual(said.returncode, code, said.stderr)
        return said.stderr

    def test_video_is_shown_to_its_end(self):
        """A sink that writes to standard output receives all pictures. With draw=false they have no boxes."""
        clip, shown = self.clip(frames=50), []
        for draw in ("true", "false"):
            said = subprocess.run([ODT, "play", FAST, "--sink=fdsink", f"--set=draw={draw}", "--zones", self.zones(), clip], capture_output=True, check=True)
            self.assertEqual(said.stderr, b"")
            shown.append(said.stdout)
        self.assertEqual(len(shown[0]), len(shown[1]))
        # The format depends on the sink.
        self.assertEqual(divmod(len(shown[0]), 50 * 320 * 240)[1], 0)
        self.assertGreaterEqual(len(shown[0]), 50 * 320 * 240)
        self.assertNotEqual(*shown)

    def zones(self):
        with open(self.path("zones.json"), "w", encoding="ascii") as file:
            file.write(ZONES)
        return self.path("zones.json")

    def test_errors(self):
        clip = self.clip(frames=20)
        self.assertIn("there is no display (DISPLAY and WAYLAND_DISPLAY are unset): use odt annotate", self.play(clip, code=1))
        self.assertIn("GStreamer has no element 'nonsense'", self.play("--sink=nonsense", clip, code=2))
        self.assertIn("swiftodt has no property 'max-object'; did you mean 'max-objects'?", self.play("--sink=fakesink", "--set=max-object=3", clip, code=2))
        self.assertIn("none.json", self.play("--sink=fakesink", "--zones", self.path("none.json"), clip, code=1))
        self.assertIn("name one video", self.play(code=2))
        self.assertIn("none.mkv", self.play("--sink=fakesink", self.path("none.mkv"), code=1))


if __name__ == "__main__":
    unittest.main()
