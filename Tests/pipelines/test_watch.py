"""odt watch stays with cameras that go away, ends when it is told to, and says so."""
import json
import os
import signal
import subprocess
import threading
import unittest

from streams import InFolder, ROOT, Gst, command
from test_rtsp import GLib, GstRtspServer, Server

ODT = f"{ROOT}/.build/tool/odt"
FAST = "--set=detector=motion"
needs_server = unittest.skipUnless(GstRtspServer, "needs an RTSP server (Debian's gir1.2-gst-rtsp-server-1.0)")


class Camera(Server):
    """An RTSP server that can go away and come back under the same address, and fall silent."""

    def on_loop(self, work):
        """The server is no friend of threads: whatever is done to it is done by the one that serves."""
        done = threading.Event()

        def once():
            work()
            done.set()
            return False

        source = GLib.idle_source_new()
        source.set_callback(lambda *_: once())
        source.attach(self.loop.get_context())
        assert done.wait(60)

    def go_away(self):
        def away():
            self.server.get_mount_points().remove_factory("/ball")
            self.server.client_filter(lambda server, client: GstRtspServer.RTSPFilterResult.REMOVE)

        self.on_loop(away)
        self.media.clear()

    def come_back(self):
        self.on_loop(lambda: self.server.get_mount_points().add_factory("/ball", self.factory))

    def fall_silent(self):
        """The connection stays, and nothing comes any more."""
        for media in self.media:
            pad = media.get_element().get_by_name("ball").get_static_pad("src")
            pad.add_probe(Gst.PadProbeType.BUFFER, lambda *_: Gst.PadProbeReturn.DROP)


class Watch:
    """A program that watches, and what it has said so far."""

    def __init__(self, *words, **environment):
        self.program = subprocess.Popen(
            [ODT, "watch", FAST, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            cwd=ROOT, env=os.environ | environment)
        self.said, self.complaints, self.news = [], [], threading.Condition()
        self.readers = [threading.Thread(target=self.read, daemon=True), threading.Thread(target=self.listen, daemon=True)]
        for reader in self.readers:
            reader.start()

    def read(self):
        for line in self.program.stdout:
            with self.news:
                self.said.append(json.loads(line))
                self.news.notify_all()

    def listen(self):
        for line in self.program.stderr:
            self.complaints.append(line)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.program.poll() is None:
            self.program.kill()
        self.program.wait()
        for reader in self.readers:
            reader.join()
        self.program.stdout.close()
        self.program.stderr.close()

    def wait(self, wanted, seconds=90):
        """Waits until it has said what is wanted: a function of the messages."""
        with self.news:
            if not self.news.wait_for(lambda: wanted(self.said), seconds):
                raise AssertionError(f"not said: {events(self.said)}, {self.complaints}")

    def end(self, number=signal.SIGINT, seconds=60):
        """Ends it; the exit code."""
        self.program.send_signal(number)
        code = self.program.wait(seconds)
        for reader in self.readers:
            reader.join()
        return code


def events(said, camera=None):
    """What happened to a camera."""
    return [(line["event"], line["session"]) for line in said
            if line["message"] == "swiftodt-camera" and camera in (None, line["source"])]


def results(said, camera):
    return [line for line in said if line["message"] == "swiftodt" and line["source"] == camera]


def has(event, camera="cam", session=None):
    return lambda said: any(line == (event, session or line[1]) for line in events(said, camera))


class Watching(InFolder):

    def clip(self, name="ball.mkv", frames=50):
        said = command("gst-launch-1.0", "-q", *(
            f"videotestsrc num-buffers={frames} pattern=ball ! video/x-raw,width=320,height=240,framerate=25/1 ! x264enc"
            " speed-preset=ultrafast ! h264parse ! matroskamux ! filesink").split(), f"location={self.path(name)}")
        self.assertEqual(said.returncode, 0, said.stderr)
        return self.path(name)

    def watch(self, *words, code=0):
        said = command(ODT, "watch", FAST, *words)
        self.assertEqual(said.returncode, code, said.stderr)
        return [json.loads(line) for line in said.stdout.splitlines()], said.stderr


class Files(Watching):
    """A file is watched to its end, each of its frames."""

    def test_a_file(self):
        said, complaints = self.watch(self.clip())
        self.assertEqual(complaints, "")
        self.assertEqual(events(said), [("connected", 1), ("ended", 1)])
        self.assertEqual(said[-1]["reason"], "the video is over")
        self.assertEqual({line["source"] for line in said}, {"ball"})
        self.assertEqual({line["session"] for line in said}, {1})
        # None was left out, though it was read as fast as it could be.
        self.assertEqual([line["timestamp"] for line in results(said, "ball")], [40_000_000 * n for n in range(50)])
        self.assertEqual([line["event"] for line in said if line["message"] == "swiftodt-track"], ["begin", "end"])

    def test_one_that_is_not_there_disturbs_no_other(self):
        """Its failure is told by the exit code, and by a message of its own."""
        said, complaints = self.watch(f"good={self.clip()}", f"bad={self.path('none.mkv')}", code=1)
        self.assertEqual(len(results(said, "good")), 50)
        self.assertEqual(events(said, "bad"), [("ended", 0)])
        self.assertIn("bad: there is no", complaints)
        with open(self.path("text.mkv"), "w", encoding="ascii") as file:
            file.write("no video" * 1000)
        said, complaints = self.watch(f"good={self.clip()}", f"bad={self.path('text.mkv')}", code=1)
        self.assertEqual(len(results(said, "good")), 50)
        self.assertEqual(events(said, "bad"), [("ended", 0)])

    def test_names(self):
        clip, other = self.clip(), self.clip("a=b.mkv")
        said, _ = self.watch(clip, clip, f"yard={clip}", other)
        self.assertEqual({line["source"] for line in said}, {"ball", "ball-2", "yard", "a-b"})

    def test_lines_go_to_a_file(self):
        """They are added to what is there; --quiet says nothing at all."""
        clip = self.clip()
        for _ in range(2):
            said, _ = self.watch(clip, "--json", self.path("new/lines.jsonl"))
            self.assertEqual(said, [])
        with open(self.path("new/lines.jsonl"), encoding="utf-8") as file:
            self.assertEqual(len(results([json.loads(line) for line in file], "ball")), 100)
        self.assertEqual(self.watch(clip, "--quiet")[0], [])

    def test_nobody_reads_any_more(self):
        """As any program that is read by head: it ends, and does not complain."""
        said = subprocess.run(f"{ODT} watch {FAST} {self.clip(frames=2000)} | head -n 3", shell=True, executable="/bin/bash",
                              capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual((len(said.stdout.splitlines()), said.stderr), (3, ""))

    def test_mistakes_are_named(self):
        clip = self.clip()
        for words, sentence in (
                ((), "no camera is named"), ((f"a={clip}", f"a={clip}"), "two cameras are called 'a'"), (("a=",), "names no source"),
                ((clip, "--set", "detector=mot"), "'mot' cannot be detector"), ((clip, "--set", "nonsense=1"), "no property"),
                ((clip, "--set", "message-format=json"), "no use"), ((clip, "--set", "source=a"), "NAME=SOURCE"),
                ((clip, "--timeout", "soon"), "--timeout must be a number"), ((clip, "--nonsense"), "not an option")):
            with self.subTest(words):
                said = command(ODT, "watch", *words)
                self.assertEqual((said.returncode, said.stdout), (2, ""))
                self.assertIn(sentence, said.stderr)
        said = command(ODT, "watch", "--help")
        self.assertEqual((said.returncode, said.stderr), (0, ""))
        for word in ("usage:", "examples:", "--retry", "exit code"):
            self.assertIn(word, said.stdout)


@needs_server
class Cameras(Watching):
    """What goes away is asked again until it is back; what happens to one is not felt by another."""

    def test_one_goes_away_and_comes_back(self):
        camera, other = Camera(), Camera()
        with Watch("--retry=0.2", f"cam={camera.address}", f"other={other.address}") as watch:
            watch.wait(lambda said: has("connected")(said) and has("connected", "other")(said) and results(said, "cam"))
            camera.go_away()
            watch.wait(has("lost"))
            before = len(results(watch.said, "other"))
            watch.wait(lambda said: len(results(said, "other")) > before + 20)
            camera.come_back()
            watch.wait(has("connected", session=2))
            watch.wait(lambda said: any(line["session"] == 2 for line in results(said, "cam")))
            self.assertEqual(watch.end(), 0, watch.complaints)
            self.assertEqual(events(watch.said, "other"), [("connected", 1), ("ended", 1)])
            story = [event for event, _ in events(watch.said, "cam")]
            self.assertEqual((story[0], story[-1], story.count("connected")), ("connected", "ended", 2))
            # A camera that is away is not told of again and again.
            self.assertLess(story.count("lost"), 6)
            again = next(line for line in watch.said if line["message"] == "swiftodt-camera" and line["session"] == 2)
            self.assertGreater(again["attempt"], 0)

    def test_one_that_is_silent_is_lost(self):
        camera = Camera()
        with Watch("--retry=0.2", "--timeout=3", f"cam={camera.address}") as watch:
            watch.wait(lambda said: results(said, "cam"))
            camera.fall_silent()
            watch.wait(lambda said: any("no picture for 3 seconds" in line.get("reason", "") for line in said))
            sessions = max(session for _, session in events(watch.said, "cam"))
            watch.wait(has("connected", session=sessions + 1))

    def test_a_stream_that_ends_is_asked_again(self):
        """A camera has no end: what says so restarts."""
        camera = Camera()
        with Watch("--retry=0.2", f"cam={camera.address}") as watch:
            for session in (1, 2, 3):
                watch.wait(has("connected", session=session))
                camera.end()
                watch.wait(has("lost", session=session))

    def test_it_ends_while_it_waits_for_a_camera(self):
        """Passwords are for cameras, not for logs."""
        camera = Camera()
        address = camera.address.replace("rtsp://", "rtsp://admin:secret@")
        camera.go_away()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            with Watch(f"cam={address}") as watch:
                watch.wait(has("lost"))
                self.assertEqual(watch.end(number, seconds=20), 0)
                self.assertEqual(events(watch.said)[-1], ("ended", 0))
                self.assertNotIn("secret", json.dumps(watch.said) + "".join(watch.complaints))

    def test_one_signal_ends_all(self):
        """Properly: tracks that are under way end, and are told of."""
        cameras = [Camera(), Camera(), Camera()]
        with Watch(*(f"cam{number}={camera.address}" for number, camera in enumerate(cameras))) as watch:
            for number in range(3):
                watch.wait(lambda said, number=number: any(
                    line["message"] == "swiftodt-track" and line["source"] == f"cam{number}" for line in said))
            self.assertEqual(watch.end(), 0, watch.complaints)
            for number in range(3):
                mine = [line for line in watch.said if line["source"] == f"cam{number}"]
                tracks = [line["event"] for line in mine if line["message"] == "swiftodt-track"]
                self.assertEqual(tracks.count("begin"), tracks.count("end"))
                self.assertEqual((mine[-1]["event"], mine[-1]["reason"]), ("ended", "the watch is over"))


if __name__ == "__main__":
    unittest.main()
