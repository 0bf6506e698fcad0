"""odt play shows a video with its objects."""
import os
import shutil
import signal
import subprocess
import time
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
        # The format depends on the sink. I420 has 12 bits per pixel.
        self.assertEqual(len(shown[0]) % (50 * 320 * 240 // 2), 0)
        self.assertGreaterEqual(len(shown[0]), 50 * 320 * 240)
        self.assertNotEqual(*shown)

    @unittest.skipUnless(shutil.which("Xvfb") and shutil.which("ffmpeg"), "needs Xvfb (Debian's xvfb) and ffmpeg")
    def test_window_shows_the_boxes(self):
        reader, writer = os.pipe()
        # Without -noreset, the server accepts no clients for a moment after a sink has tried the display.
        server = subprocess.Popen(["Xvfb", "-noreset", "-displayfd", str(writer), "-screen", "0", "400x300x24"], pass_fds=[writer], stderr=subprocess.DEVNULL)
        self.addCleanup(server.wait)
        self.addCleanup(server.kill)
        os.close(writer)
        with open(reader, encoding="ascii") as file:
            display = f":{file.readline().strip()}"
        environment = {name: value for name, value in os.environ.items() if name != "WAYLAND_DISPLAY"} | {"DISPLAY": display}
        with subprocess.Popen([ODT, "play", FAST, self.clip(frames=2000)], env=environment, stderr=subprocess.PIPE, text=True) as program:
            deadline, green = time.monotonic() + 60, 0
            while green < 40 and time.monotonic() < deadline and program.poll() is None:
                raw = subprocess.run(["ffmpeg", "-v", "error", "-f", "x11grab", "-video_size", "400x300", "-i", display, "-frames:v", "1", "-f", "rawvideo",
                                      "-pix_fmt", "rgb24", "-"], stdin=subprocess.DEVNULL, capture_output=True, check=True).stdout
                green = sum(raw[place] < 90 and raw[place + 1] > 150 and raw[place + 2] < 140 for place in range(0, len(raw), 3))
            program.send_signal(signal.SIGINT)
            self.assertEqual(program.wait(60), 0, program.stderr.read())
        self.assertGreaterEqual(green, 40)

    def zones(self):
        with open(self.path("zones.json"), "w", encoding="ascii") as file:
            file.write(ZONES)
        return self.path("zones.json")

    def test_errors(self):
        clip = self.clip(frames=20)
        self.assertIn("there is no display (DISPLAY and WAYLAND_DISPLAY are unset): use odt annotate", self.play(clip, code=1))
        said = command("env", "-u", "WAYLAND_DISPLAY", "DISPLAY=:6543", ODT, "play", FAST, clip)
        self.assertEqual((said.returncode, said.stderr.count("\n")), (1, 1))
        self.assertIn("the display ':6543' does not answer (check DISPLAY): use odt annotate", said.stderr)
        self.assertIn("GStreamer has no element 'nonsense'", self.play("--sink=nonsense", clip, code=2))
        self.assertIn("swiftodt has no property 'max-object'; did you mean 'max-objects'?", self.play("--sink=fakesink", "--set=max-object=3", clip, code=2))
        self.assertIn("none.json", self.play("--sink=fakesink", "--zones", self.path("none.json"), clip, code=1))
        self.assertIn("name one video", self.play(code=2))
        self.assertIn("none.mkv", self.play("--sink=fakesink", self.path("none.mkv"), code=4))
        self.assertIn("cannot play http://127.0.0.1:9/x", self.play("--sink=fakesink", "http://127.0.0.1:9/x", code=4))
        self.assertIn("/nowhere.onnx", self.play("--sink=fakesink", "--set=detector=neural", "--set=model-file=/nowhere.onnx", clip, code=3))


if __name__ == "__main__":
    unittest.main()
