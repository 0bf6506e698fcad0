"""odt watch stays with cameras that go away, ends when it is told to, and says so."""
import array
import contextlib
import fcntl
import http.server
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import termios
import threading
import time
import unittest

from streams import InFolder, ROOT, Gst, command
from test_schema import SCHEMA, complaints
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


class CodedCamera(Camera):
    """One that sends H.264, with a picture that stands alone twice a second."""

    def __init__(self):
        super().__init__()
        self.factory.set_launch(
            "( videotestsrc name=ball pattern=ball is-live=true ! video/x-raw,format=I420,width=320,height=240,framerate=20/1"
            " ! x264enc speed-preset=ultrafast tune=zerolatency key-int-max=10 ! rtph264pay name=pay0 config-interval=1 )")


class FastCamera(Camera):
    """One that sends many small pictures."""

    def __init__(self):
        super().__init__()
        self.factory.set_launch(
            "( videotestsrc name=ball pattern=ball is-live=true ! video/x-raw,format=I420,width=160,height=120,framerate=120/1"
            " ! jpegenc ! rtpjpegpay name=pay0 )")


class ShortCamera(Camera):
    """One whose stream ends after a moment, each time."""

    def __init__(self):
        super().__init__()
        self.factory.set_launch(
            "( videotestsrc pattern=ball is-live=true num-buffers=6 ! video/x-raw,format=I420,width=160,height=120,framerate=60/1"
            " ! x264enc speed-preset=ultrafast tune=zerolatency key-int-max=2 ! rtph264pay name=pay0 config-interval=1 )")


class Footprint:
    """What a program holds at a moment."""

    def __init__(self, pid):
        with open(f"/proc/{pid}/status", encoding="ascii") as file:
            fields = dict(line.split(":", 1) for line in file)
        self.resident = int(fields["VmRSS"].split()[0]) / 1024
        self.threads = int(fields["Threads"])
        self.descriptors = len(os.listdir(f"/proc/{pid}/fd"))

    @property
    def cells(self):
        return f"{self.resident:.1f}", "|", self.descriptors, "|", self.threads


def held(program):
    """The files that a program has open."""
    folder, names = f"/proc/{program}/fd", []
    for name in os.listdir(folder):
        # What is closed meanwhile is held no more.
        with contextlib.suppress(FileNotFoundError):
            names.append(os.readlink(f"{folder}/{name}"))
    return names


class Watch:
    """A program that watches, and what it has said so far."""

    def __init__(self, *words, prepare=None, **environment):
        self.program = subprocess.Popen(
            [ODT, "watch", FAST, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            cwd=ROOT, preexec_fn=prepare, env=os.environ | environment)
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
            with self.news:
                self.complaints.append(line)
                self.news.notify_all()

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


def reconnects(said):
    """How often cameras were connected to again."""
    return sum(event == "connected" and session > 1 for event, session in events(said))


def results(said, camera):
    return [line for line in said if line["message"] == "swiftodt" and line["source"] == camera]


def has(event, camera="cam", session=None):
    return lambda said: any(line == (event, session or line[1]) for line in events(said, camera))


class Watching(InFolder):

    def clip(self, name="ball.mkv", frames=50, coder="x264enc speed-preset=ultrafast", muxer="matroskamux", size="320,height=240"):
        said = command("gst-launch-1.0", "-q", *(
            f"videotestsrc num-buffers={frames} pattern=ball ! video/x-raw,width={size},framerate=25/1 ! {coder}"
            f"{' ! h264parse' if '264' in coder else ''} ! {muxer} ! filesink").split(), f"location={self.path(name)}")
        self.assertEqual(said.returncode, 0, said.stderr)
        return self.path(name)

    def watch(self, *words, code=0):
        said = command(ODT, "watch", FAST, *words)
        self.assertEqual(said.returncode, code, said.stderr)
        return [json.loads(line) for line in said.stdout.splitlines()], said.stderr


class Files(Watching):
    """A file is watched to its end, each of its frames."""

    def test_a_file(self):
        said, errors = self.watch(self.clip())
        self.assertEqual(errors, "")
        self.assertEqual(events(said), [("connected", 1), ("ended", 1)])
        self.assertEqual(said[-1]["reason"], "the video is over")
        self.assertEqual({line["source"] for line in said}, {"ball"})
        self.assertEqual({line["session"] for line in said}, {1})
        for line in said:
            bare = line if line["message"] == "swiftodt-camera" else {name: value for name, value in line.items() if name != "session"}
            self.assertEqual(complaints(bare, SCHEMA), [])
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

    def test_what_cannot_be_used_is_not_tried_again(self):
        """A model that is not there will not come back as a camera does."""
        said, errors = self.watch("--set=detector=neural", "--set=model-file=/none.onnx", self.clip(), code=1)
        self.assertEqual(events(said), [("ended", 0)])
        self.assertIn("/none.onnx", errors)

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


class Configuration(Watching):
    """One file for several cameras; what is wrong in it is named with its line, and nothing begins."""

    def configure(self, text):
        with open(self.path("watch.conf"), "w", encoding="utf-8") as file:
            file.write(text)
        return self.path("watch.conf")

    def test_cameras_properties_and_options(self):
        """Files are named as seen from the file; what the command line says comes after it."""
        self.clip()
        with open(self.path("zones.json"), "w", encoding="ascii") as file:
            file.write('[{"name": "all", "kind": "zone", "points": [[0, 0], [1, 0], [1, 1], [0, 1]]}]')
        name = self.configure(f"""
            # two of them
            [watch]
            json = {self.path("lines.jsonl")}
            record={self.path("video")}
            record-minutes=1
            [camera front]
            source=ball.mkv
            zones=zones.json
            [cameras]
            detector=motion
            updates=every-frame
            [camera yard]
            source=ball.mkv
            updates=none
            record=false
            """)
        said, complaints = self.watch("--config", name, f"third={self.path('ball.mkv')}", "--set", "max-objects=3")
        self.assertEqual((said, complaints), ([], ""))
        with open(self.path("lines.jsonl"), encoding="utf-8") as file:
            said = [json.loads(line) for line in file]
        self.assertEqual({line["source"] for line in said}, {"front", "yard", "third"})
        self.assertEqual((len(results(said, "front")), len(results(said, "yard"))), (50, 0))
        self.assertEqual(results(said, "front")[-1]["zones"][0]["name"], "all")
        self.assertNotIn("zones", results(said, "third")[-1])
        self.assertEqual(sorted(os.listdir(self.path("video"))), ["front", "third"])
        said, _ = self.watch("--config", name, "--json", "-")
        self.assertEqual(len(results(said, "front")), 50)

    def test_mistakes_are_named_with_their_line(self):
        clip = self.clip()
        for text, sentence in (
                ("[camera a]\nsource={clip}\nmax-object=3", "watch.conf:3: 'max-object=3' sets no property"),
                ("[camera a]\nsource={clip}\ndetector=mot", "watch.conf:3: 'mot' cannot be detector"),
                ("[camera a]\nsource={clip}\nzones=none.json", "watch.conf:3: "),
                ("[camera a]\nsource={clip}\nrecord=perhaps", "watch.conf:3: record is true or false"),
                ("[camera a]\nsource={clip}\n[watch]\nquite=true", "watch.conf:4: [watch] has no 'quite': there are "),
                ("[camera a]\nsource={clip}\n[watch]\nquiet=yes", "watch.conf:4: quiet is true or false"),
                ("[camera a]\nsource={clip}\n[watch]\ntimeout=0", "watch.conf:4: timeout must be a number"),
                ("[camera a]\nsource={clip}\n[watch]\nrecord-days=1", "watch.conf:4: record-days needs"),
                ("[camera a]\nname=a", "watch.conf:1: [camera a] has no source="), ("[camera a b]\nsource=a", "watch.conf:1: 'a b' cannot be"),
                ("[cameras]\nsource={clip}", "watch.conf:2: source is one camera's"), ("[Camera a]", "watch.conf:1: there is no group"),
                ("[camera a]\n{clip}", "watch.conf:2: '"), ("[watch]\nquiet=true", "has no [camera NAME]")):
            with self.subTest(text):
                said = command(ODT, "watch", "--config", self.configure(text.format(clip=clip)))
                self.assertEqual((said.returncode, said.stdout), (2, ""), said.stderr)
                self.assertIn(sentence, said.stderr)
        said = command(ODT, "watch", "--config", self.path("none.conf"))
        self.assertEqual((said.returncode, said.stdout), (1, ""))
        self.assertIn("none.conf cannot be read", said.stderr)

    def test_the_example(self):
        """With all that is commented out but the broker, which nobody has; on files instead of cameras."""
        self.clip()
        with open(f"{ROOT}/Pipelines/examples/watch.conf", encoding="utf-8") as file:
            text = re.sub(r"^#(?!mqtt)(?=[a-z-]+=)", "", file.read(), flags=re.MULTILINE)
        text = re.sub("^source=.*", "source=ball.mkv\ndetector=motion", text, flags=re.MULTILINE)
        text = text.replace("/var/lib/swiftodt-watch", self.path("state"))
        with open(self.path("front.json"), "w", encoding="ascii") as file:
            file.write("[]")
        said, complaints = self.watch("--config", self.configure(text))
        self.assertEqual(said, [])
        # What moves has no name.
        self.assertEqual([line for line in complaints.splitlines() if "label-allowlist" not in line], [])
        self.assertEqual(os.listdir(self.path("state/video")), ["front"])

    @unittest.skipUnless(shutil.which("systemd-analyze"), "needs systemd-analyze")
    def test_the_service(self):
        with open(f"{ROOT}/Pipelines/examples/swiftodt-watch.service", encoding="utf-8") as file:
            text = re.sub("^Documentation=.*", "", file.read().replace("=odt ", f"={ODT} "), flags=re.MULTILINE)
        with open(self.path("swiftodt-watch.service"), "w", encoding="utf-8") as file:
            file.write(text)
        said = command("systemd-analyze", "verify", self.path("swiftodt-watch.service"))
        self.assertEqual([line for line in said.stderr.splitlines() if "swiftodt-watch" in line], [])


class JPEGCamera:
    """A camera that sends JPEG files over HTTP for as long as somebody listens, small ones, and says no time of any."""

    def __init__(self, picture):
        class Answer(http.server.BaseHTTPRequestHandler):
            def log_message(self, *_):
                pass

            def do_GET(self):
                self.send_response(200)
                self.send_header("Content-Type", "multipart/x-mixed-replace; boundary=next")
                self.end_headers()
                head = f"--next\r\nContent-Type: image/jpeg\r\nContent-Length: {len(picture)}\r\n\r\n".encode()
                with contextlib.suppress(OSError):
                    while True:
                        self.wfile.write(head + picture + b"\r\n")
                        time.sleep(0.05)

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answer)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.address = f"http://127.0.0.1:{self.server.server_address[1]}/live"

    def close(self):
        self.server.shutdown()
        self.server.server_close()


class HTTP(Watching):

    def test_a_camera_that_sends_jpeg_files(self):
        """The decoder once waited for megabytes before it gave the first picture, and pictures without a time were not recorded."""
        said = command("gst-launch-1.0", "-q", *"videotestsrc num-buffers=1 ! jpegenc ! filesink".split(), f"location={self.path('a.jpg')}")
        self.assertEqual(said.returncode, 0, said.stderr)
        with open(self.path("a.jpg"), "rb") as file:
            camera = JPEGCamera(file.read())
        self.addCleanup(camera.close)
        with Watch(f"cam={camera.address}", f"--record={self.path('video')}") as watch:
            watch.wait(lambda said: len(results(said, "cam")) > 20)
            self.assertEqual(watch.end(), 0, watch.complaints)
            self.assertEqual([event for event, _ in events(watch.said)], ["connected", "ended"])
            times = [line["timestamp"] for line in results(watch.said, "cam")]
            self.assertEqual(times, sorted(set(times)))
        name, = os.listdir(self.path("video/cam"))
        self.assertGreater(os.path.getsize(self.path(f"video/cam/{name}")), 1000)


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

    def unread(self, *words):
        """A watch whose lines nobody reads, once the pipe is full."""
        program = subprocess.Popen([ODT, "watch", FAST, "--retry=0.2", *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, cwd=ROOT, text=True)
        self.addCleanup(program.stderr.close)
        self.addCleanup(program.stdout.close)
        self.addCleanup(program.wait)
        self.addCleanup(program.kill)
        fcntl.fcntl(program.stdout, 1031, 4096)  # F_SETPIPE_SZ
        waiting, end = array.array("i", [0]), time.monotonic() + 90
        while waiting[0] < 2048:
            self.assertLess(time.monotonic(), end, "nothing is written")
            fcntl.ioctl(program.stdout, termios.FIONREAD, waiting)
            time.sleep(0.05)
        return program

    def test_lines_that_nobody_reads_hold_up_no_camera(self):
        """Somebody has paged through them and gone to lunch: the broker and the store are told all the same, and the camera is asked
        again when it goes away."""
        camera = Camera()
        program = self.unread(f"cam={camera.address}")
        time.sleep(1)
        camera.go_away()
        guard = threading.Timer(60, program.kill)
        guard.start()
        self.assertTrue(any("it is asked again" in line for line in program.stderr))
        guard.cancel()
        # Nor do they hold up its end.
        program.send_signal(signal.SIGINT)
        self.assertEqual(program.wait(30), 0)

    def test_lines_for_which_there_is_no_room_are_counted(self):
        camera = FastCamera()
        program = self.unread(*(f"cam{number}={camera.address}" for number in range(3)), "--set=updates=every-frame")
        guard = threading.Timer(120, program.kill)
        guard.start()
        self.assertIn("the standard output takes no lines: nobody reads them", program.stderr.readline())
        reader = threading.Thread(target=program.stdout.read, daemon=True)
        reader.start()
        self.assertRegex(program.stderr.readline(), r"the standard output takes lines again; [1-9]\d* were left out")
        guard.cancel()
        program.send_signal(signal.SIGINT)
        self.assertEqual(program.wait(30), 0)
        reader.join()

    def test_nothing_is_left_behind_by_a_connection(self):
        """A pipeline, a thread or a descriptor that stays with each reconnect ends the watch after some weeks. The long form, with
        recordings, is Tests/Benchmarks/watch/months."""
        camera = ShortCamera()
        with Watch("--retry=0.01", f"cam={camera.address}") as watch:
            watch.wait(lambda said: reconnects(said) >= 8)
            before = Footprint(watch.program.pid)
            watch.wait(lambda said: reconnects(said) >= 32)
            after = Footprint(watch.program.pid)
            self.assertEqual(watch.end(), 0, watch.complaints)
        # One that is being made or taken away has some of its own at any moment; 24 that stayed would have a hundred.
        self.assertLess(after.descriptors - before.descriptors, 24)
        self.assertLess(after.threads - before.threads, 24)
        self.assertLess(after.resident - before.resident, 24)

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


class Recording(Watching):
    """Segments are whole, or play as far as they got, and the disk does not fill."""

    def segments(self, camera="cam"):
        """The names of what was recorded, the oldest first."""
        try:
            return sorted(os.listdir(self.path(f"video/{camera}")))
        except FileNotFoundError:
            return []

    def frames(self, name, camera="cam"):
        """How many pictures of a segment play, without a single complaint."""
        said = command("ffmpeg", "-v", "error", "-i", self.path(f"video/{camera}/{name}"), "-f", "framemd5", "-")
        # One that was cut off may have half a picture at its end.
        complaints = [line for line in said.stderr.splitlines() if "File ended prematurely" not in line]
        self.assertEqual((said.returncode, complaints), (0, []), name)
        return sum(not line.startswith("#") for line in said.stdout.splitlines())

    def record(self, *words):
        return (f"--record={self.path('video')}", "--record-minutes=0.02", "--quiet", *words)

    def test_segments_of_a_file(self):
        """H.264 is not encoded again: the same packets, in as many files as it takes; none is lost between them."""
        clip = self.clip(frames=100, coder="x264enc speed-preset=ultrafast key-int-max=10")
        self.watch(*self.record(f"cam={clip}"))
        names = self.segments()
        # A segment ends before the first picture that stands alone after 1.2 seconds.
        self.assertEqual(sorted(self.frames(name) for name in names), [10, 30, 30, 30])
        for name in names:
            self.assertRegex(name, r"^cam-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ(_\d)?\.mkv$")
        recorded = {line for name in names for line in self.packets(self.path(f"video/cam/{name}"))}
        self.assertEqual(recorded, set(self.packets(clip)))

    def packets(self, path):
        said = command("ffmpeg", "-v", "error", "-i", path, "-c", "copy", "-f", "framemd5", "-")
        return [line.split(",")[5] for line in said.stdout.splitlines() if not line.startswith("#")]

    def test_what_is_no_h264_is_encoded(self):
        """Of any size, also an odd one; with what is drawn in, everything is."""
        clip = self.clip("ball.avi", frames=50, coder="jpegenc", muxer="avimux", size="321,height=241")
        self.watch(*self.record(f"cam={clip}", "--record-minutes=1"))
        self.assertEqual([self.frames(name) for name in self.segments()], [50])
        clip = self.clip()
        self.watch(*self.record(f"drawn={clip}", f"--record-minutes=1", "--record-annotated"))
        name, = self.segments("drawn")
        self.assertEqual(self.frames(name, "drawn"), 50)
        self.assertNotEqual(self.pictures(clip), self.pictures(self.path(f"video/drawn/{name}")))

    def pictures(self, path):
        """How much green there is in the last picture: the box's colour, where there is one."""
        said = subprocess.run(["ffmpeg", "-v", "error", "-i", path, "-vf", "format=rgb24", "-f", "rawvideo", "-"],
                              capture_output=True, check=True).stdout[-320 * 240 * 3:]
        return sum(abs(said[at] - said[at + 1]) > 60 or abs(said[at] - said[at + 2]) > 60 for at in range(0, len(said), 3)) > 100

    @needs_server
    def test_a_power_cut(self):
        """kill -9: what was finished is whole, what was under way plays, and the next watch gives it its name."""
        camera = CodedCamera()
        words = self.record(f"cam={camera.address}")
        with Watch(*words) as watch:
            self.wait(lambda: len(self.segments()) > 3 and ".part." in self.segments()[-1]
                      and os.path.getsize(self.path(f"video/cam/{self.segments()[-1]}")) > 4000, watch)
            watch.end(signal.SIGKILL)
        names = self.segments()
        self.assertEqual([".part." in name for name in names], [False] * (len(names) - 1) + [True])
        self.assertTrue(all(self.frames(name) > 0 for name in names))
        with Watch(*words) as watch:
            self.wait(lambda: len(self.segments()) > len(names), watch)
            self.assertIn(names[-1].replace(".part", ""), self.segments())
            self.assertEqual(watch.end(), 0, watch.complaints)
        self.assertFalse([name for name in self.segments() if ".part." in name])
        self.assertTrue(all(self.frames(name) > 0 for name in self.segments()))

    def wait(self, wanted, watch, seconds=90):
        deadline = time.monotonic() + seconds
        while not wanted():
            self.assertLess(time.monotonic(), deadline, (self.segments(), watch.complaints))
            time.sleep(0.05)

    @needs_server
    def test_a_camera_that_comes_back_begins_a_segment(self):
        camera = CodedCamera()
        with Watch(*self.record(f"cam={camera.address}", "--record-minutes=9", "--retry=0.2")) as watch:
            self.wait(lambda: self.segments(), watch)
            for count in (2, 3):
                camera.end()
                self.wait(lambda count=count: len(self.segments()) == count, watch)
                self.assertEqual([".part." in name for name in self.segments()], [False] * (count - 1) + [True])
            self.assertEqual(watch.end(), 0)

    @needs_server
    def test_a_disk_that_is_full(self):
        """Is said, once, and the watch goes on. (A file that may not grow any more is as good as a disk that is full.)"""
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))

        camera = CodedCamera()
        with Watch(f"--record={self.path('video')}", f"cam={camera.address}", prepare=limit) as watch:
            watch.wait(lambda said: "is not recorded" in "".join(watch.complaints))
            before = len(results(watch.said, "cam"))
            watch.wait(lambda said: len(results(said, "cam")) > before + 40)
            # What was given up holds no file and no lock, which would keep it from being deleted to make room.
            self.assertEqual([name for name in held(watch.program.pid) if ".mkv" in name], [])
            self.assertEqual(watch.end(), 0, watch.complaints)
            self.assertEqual([event for event, _ in events(watch.said)], ["connected", "ended"])
            self.assertEqual(len([line for line in watch.complaints if "is not recorded" in line]), 1, watch.complaints)
        for name in self.segments():
            self.assertGreater(self.frames(name), 5)

    @needs_server
    def test_a_limit_is_kept(self):
        """The oldest go; what the watch has not written stays, whatever it is called."""
        os.makedirs(self.path("video/cam"))
        foreign = self.path("video/cam/cam-2020-01-01T00-00-00Z.mkv")
        with open(foreign, "wb") as file:
            file.write(bytes(5000))
        cameras = [CodedCamera(), CodedCamera()]
        with Watch("--record-size=1M", *self.record("--record-days=0.001", f"cam={cameras[0].address}", f"other={cameras[1].address}"),
                   ) as watch:
            self.wait(lambda: len(self.segments()) > 3 and len(self.segments("other")) > 3, watch)
            self.assertEqual(watch.end(), 0, watch.complaints)
        for camera in ("cam", "other"):
            for name in self.segments(camera):
                path = self.path(f"video/{camera}/{name}")
                if path != foreign:
                    # Made larger.
                    with open(path, "r+b") as file:
                        os.posix_fallocate(file.fileno(), 0, 200_000)
        before = set(self.segments() + self.segments("other"))
        with Watch("--record-size=1M", *self.record(f"cam={cameras[0].address}")) as watch:
            self.wait(lambda: set(self.segments()) - before, watch)
            self.assertEqual(watch.end(), 0, watch.complaints)
        left = [path for camera in ("cam", "other") for path in map(
            lambda name, camera=camera: self.path(f"video/{camera}/{name}"), self.segments(camera)) if path != foreign]
        self.assertLess(sum(os.stat(path).st_blocks * 512 for path in left), 1 << 20)
        self.assertGreater(len(left), 2)
        self.assertTrue(os.path.exists(foreign))

    def test_mistakes_are_named(self):
        clip = self.clip()
        with open(self.path("file"), "w", encoding="ascii"):
            pass
        for words, sentence, code in (
                (["--record-days=3"], "--record-days", 2), (["--record-size=10", f"--record={self.path('a')}"], "1M at least", 2),
                ([f"--record={self.path('file/a')}"], "nothing can be recorded", 1),
                ([f"--record={self.path('a')}", "--record-encoder=abacus"], "is no encoder", 2)):
            with self.subTest(words):
                said = command(ODT, "watch", clip, *words)
                self.assertEqual((said.returncode, said.stdout), (code, ""), said.stderr)
                self.assertIn(sentence, said.stderr)


if __name__ == "__main__":
    unittest.main()
