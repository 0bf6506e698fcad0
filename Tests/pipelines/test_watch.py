"""odt watch reconnects to cameras, ends on signals, and reports both."""
import array
import contextlib
import fcntl
import http.server
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import termios
import threading
import time
import unittest

from streams import ROOT, command
from test_schema import SCHEMA, complaints
from watching import Camera, FAST, FastCamera, Footprint, ODT, ShortCamera, Watch, Watching, events, has, needs_server, reconnects, results


class Files(Watching):
    """A file is watched to its end, with all of its frames."""

    def test_file_is_watched_to_its_end(self):
        said, errors = self.watch(self.clip())
        self.assertEqual(errors, "")
        self.assertEqual(events(said), [("connected", 1), ("ended", 1)])
        self.assertEqual(said[-1]["reason"], "the video ended")
        self.assertEqual({line["source"] for line in said}, {"ball"})
        self.assertEqual({line["session"] for line in said}, {1})
        for line in said:
            bare = line if line["message"] == "swiftodt-camera" else {name: value for name, value in line.items() if name != "session"}
            self.assertEqual(complaints(bare, SCHEMA), [])
        # No frame was dropped, although the file is read as fast as possible.
        self.assertEqual([line["timestamp"] for line in results(said, "ball")], [40_000_000 * n for n in range(50)])
        self.assertEqual([line["event"] for line in said if line["message"] == "swiftodt-track"], ["begin", "end"])

    def test_missing_camera_does_not_affect_others(self):
        """The failure of a camera sets the exit code and is reported in a message."""
        said, complaints = self.watch(f"good={self.clip()}", f"bad={self.path('none.mkv')}", code=1)
        self.assertEqual(len(results(said, "good")), 50)
        self.assertEqual(events(said, "bad"), [("ended", 0)])
        self.assertIn("bad: no such file", complaints)
        with open(self.path("text.mkv"), "w", encoding="ascii") as file:
            file.write("no video" * 1000)
        said, complaints = self.watch(f"good={self.clip()}", f"bad={self.path('text.mkv')}", code=1)
        self.assertEqual(len(results(said, "good")), 50)
        self.assertEqual(events(said, "bad"), [("ended", 0)])

    def test_unusable_camera_is_not_retried(self):
        """A missing model is no temporary failure, so there is no retry."""
        said, errors = self.watch("--set=detector=neural", "--set=model-file=/none.onnx", self.clip(), code=1)
        self.assertEqual(events(said), [("ended", 0)])
        self.assertIn("/none.onnx", errors)

    def test_camera_names(self):
        clip, other = self.clip(), self.clip("a=b.mkv")
        said, _ = self.watch(clip, clip, f"yard={clip}", other)
        self.assertEqual({line["source"] for line in said}, {"ball", "ball-2", "yard", "a-b"})

    def test_messages_are_written_to_file(self):
        """Messages are appended to the file. With --quiet there is no output."""
        clip = self.clip()
        for _ in range(2):
            said, _ = self.watch(clip, "--json", self.path("new/lines.jsonl"))
            self.assertEqual(said, [])
        with open(self.path("new/lines.jsonl"), encoding="utf-8") as file:
            self.assertEqual(len(results([json.loads(line) for line in file], "ball")), 100)
        self.assertEqual(self.watch(clip, "--quiet")[0], [])

    def test_closed_pipe_ends_program(self):
        """A closed pipe (`| head`) ends the program without an error text."""
        said = subprocess.run(f"{ODT} watch {FAST} {self.clip(frames=2000)} | head -n 3", shell=True, executable="/bin/bash",
                              capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual((len(said.stdout.splitlines()), said.stderr), (3, ""))

    def test_threads_sleep_while_they_wait_for_a_reader_or_a_camera(self):
        """No thread polls while a file waits for the reader of its messages, or a camera waits for the next attempt to connect."""
        reader, writer = os.pipe()
        self.addCleanup(os.close, reader)
        lines = subprocess.Popen([ODT, "watch", FAST, "--set=updates=every-frame", self.clip(frames=3000)], stdout=writer,
                                 stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
        os.close(writer)
        camera = subprocess.Popen([ODT, "watch", "--retry=60", "--set=detector=motion", *(f"c{number}=http://127.0.0.1:1/{number}" for number in range(8))],
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
        for program in (lines, camera):
            self.addCleanup(program.wait)
            self.addCleanup(program.kill)
        # Polling every millisecond causes 1,000 wakeups per second, eight threads every tenth of a second 80. The player reads its bus ten times per second.
        for program, most in ((lines, 100), (camera, 30)):
            with self.subTest(program.args[-1]):
                end = time.monotonic() + 60
                while (count := self.wakeups(program.pid, 1)) > most:
                    self.assertLess(time.monotonic(), end, f"{count} times a second")

    def wakeups(self, pid, seconds):
        """Returns the number of voluntary context switches of a process within a time."""
        def count():
            total = 0
            for thread in os.listdir(f"/proc/{pid}/task"):
                with contextlib.suppress(OSError), open(f"/proc/{pid}/task/{thread}/status", encoding="ascii") as file:
                    total += int(re.search(r"\nvoluntary_ctxt_switches:\s*(\d+)", file.read())[1])
            return total
        before = count()
        time.sleep(seconds)
        return max(0, count() - before)

    def test_invalid_options_are_errors(self):
        clip = self.clip()
        for words, sentence in (
                ((), "name a camera"), ((f"a={clip}", f"a={clip}"), "two cameras have the name 'a'"), (("a=",), "has no source"),
                ((f"front door={clip}",), "'front door' is not a valid camera name"), (("-a=x",), "unknown option"), ((f".a={clip}",), "'.a' is not a valid camera name"),
                ((clip, "--set", "detector=mot"), "'mot' is not a valid value of detector"), ((clip, "--set", "nonsense=1"), "no property"),
                ((clip, "--set", "message-format=json"), "is not supported here"), ((clip, "--set", "source=a"), "NAME=SOURCE"),
                ((clip, "--timeout", "soon"), "--timeout must be a number"), ((clip, "--nonsense"), "unknown option")):
            with self.subTest(words):
                said = command(ODT, "watch", *words)
                self.assertEqual((said.returncode, said.stdout), (2, ""))
                self.assertIn(sentence, said.stderr)
        said = command(ODT, "watch", "--help")
        self.assertEqual((said.returncode, said.stderr), (0, ""))
        for word in ("usage:", "examples:", "--retry", "exit code"):
            self.assertIn(word, said.stdout)
        # All options have the same indentation, which the manual page needs.
        options = re.findall(r"^( +)--", said.stdout, re.MULTILINE)
        self.assertEqual((set(options), len(options) > 30), ({"  "}, True))


class Configuration(Watching):
    """A configuration file for several cameras. Errors name its line, and no camera is started."""

    def configure(self, text):
        with open(self.path("watch.conf"), "w", encoding="utf-8") as file:
            file.write(text)
        return self.path("watch.conf")

    def test_configuration_sets_cameras_properties_and_options(self):
        """Relative paths refer to the file's folder. The command line overrides the file."""
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
            record=false\n            """)
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

    def test_files_of_properties_are_relative_to_the_configuration(self):
        self.clip()
        with open(self.path("found.txt"), "w", encoding="ascii") as file:
            file.write("".join(f"{number},-1,10,10,20,20,0.9\n" for number in range(1, 51)))
        said = command(ODT, "watch", "--config", self.configure(
            "[camera a]\nsource=ball.mkv\ndetector=recorded\ndetections-file=found.txt\nrecord-detections=again.jsonl"))
        self.assertEqual((said.returncode, said.stderr), (0, ""))
        self.assertTrue(os.path.exists(self.path("again.jsonl")))
        self.assertIn('"event": "begin"', said.stdout)

    def test_errors_name_their_line(self):
        clip = self.clip()
        for text, sentence in (
                ("[camera a]\nsource={clip}\nmax-object=3", "watch.conf:3: swiftodt has no property 'max-object'; did you mean 'max-objects'?"),
                ("[camera a]\nsource={clip}\ndetector=mot", "watch.conf:3: 'mot' is not a valid value of detector"),
                ("[camera a]\nsource={clip}\nzones=none.json", "watch.conf:3: "),
                ("[camera a]\nsource=rtsp://127.0.0.1:9/a\nrecord-detections=found.jsonl", "a: record-detections of a camera needs record-existing=replace"),
                ("[camera a]\nsource={clip}\nmessage_format=structure", "watch.conf:3: 'message-format=structure' is not supported here"),
                ("[camera a]\nsource={clip}\nrecord=perhaps", "watch.conf:3: record: use true or false"),
                ("[camera a]\nsource={clip}\n[watch]\nquite=true", "watch.conf:4: unknown option 'quite': did you mean 'quiet'?"),
                ("[camera a]\nsource={clip}\n[watch]\nnonsense=true", "watch.conf:4: unknown option 'nonsense': use clips, "),
                ("[camera a]\nsource={clip}\n[watch]\nquiet=yes", "watch.conf:4: quiet: use true or false"),
                ("[camera a]\nsource={clip}\n[watch]\ntimeout=0", "watch.conf:4: timeout must be a number"),
                ("[camera a]\nsource={clip}\n[watch]\nrecord-days=1", "watch.conf:4: record-days needs"),
                ("[camera a]\nsource=rtsp://127.0.0.1:9/a # front", "watch.conf:2: source: no file of this name exists; write a comment"),
                *((f"[camera a]\nsource={{clip}}\n[watch]\n{key}=x # disk", f"watch.conf:4: {key}: no file of this name exists; write a comment") for key in ("json", "record", "clips", "store")),
                *((f"[camera a]\nsource={{clip}}\n[watch]\n{key}=", f"watch.conf:4: {key} needs a value")
                  for key in ("json", "mqtt-password-file", "page-token-file", "on-event")),
                ("[camera a]\nsource={clip}\n[watch]\nrecord=video\nrecord-encoder=foo", "watch.conf:5: record-encoder: unknown encoder 'foo'"),
                ("[camera a]\nname=a", "watch.conf:1: [camera a] needs a source=\n"),
                ("[camera a]\nsorce=a", "watch.conf:1: [camera a] needs a source=, not 'sorce='"), ("[camera a b]\nsource=a", "watch.conf:1: 'a b' is not a valid camera name"),
                ("[cameras]\nsource={clip}", "watch.conf:2: source belongs to one camera"), ("[Camera a]", "watch.conf:1: unknown group"),
                ("[camera a]\n{clip}", "watch.conf:2: '"), ("[watch]\nquiet=true", "has no group [camera NAME]")):
            with self.subTest(text):
                said = command(ODT, "watch", "--config", self.configure(text.format(clip=clip)))
                self.assertEqual((said.returncode, said.stdout), (2, ""), said.stderr)
                self.assertIn(sentence, said.stderr)
        said = command(ODT, "watch", "--config", self.path("none.conf"))
        self.assertEqual((said.returncode, said.stdout), (1, ""))
        self.assertIn("none.conf cannot be read", said.stderr)

    def test_example_configuration_is_valid(self):
        """The example with all options enabled except the broker, on files instead of cameras."""
        self.clip()
        with open(f"{ROOT}/Pipelines/examples/watch.conf", encoding="utf-8") as file:
            text = re.sub(r"^#(?!mqtt)(?=[a-z-]+=)", "", file.read(), flags=re.MULTILINE)
        text = re.sub("^source=.*", "source=ball.mkv\ndetector=motion", text, flags=re.MULTILINE)
        text = text.replace("/var/lib/swiftodt-watch", self.path("state"))
        with open(self.path("front.json"), "w", encoding="ascii") as file:
            file.write("[]")
        said, complaints = self.watch("--config", self.configure(text))
        self.assertEqual(said, [])
        # detector=motion has no labels, which causes a warning.
        # The motion detector of this test has no labels and runs on every frame.
        expected = ("label-allowlist", "inference-interval=0 has no effect")
        self.assertEqual([line for line in complaints.splitlines() if not any(text in line for text in expected)], [])
        self.assertEqual(os.listdir(self.path("state/video")), ["front"])

    @unittest.skipUnless(shutil.which("systemd-analyze"), "needs systemd-analyze")
    def test_service_unit_is_valid(self):
        with open(f"{ROOT}/Pipelines/examples/swiftodt-watch.service", encoding="utf-8") as file:
            text = re.sub("^Documentation=.*", "", file.read().replace("=odt ", f"={ODT} "), flags=re.MULTILINE)
        with open(self.path("swiftodt-watch.service"), "w", encoding="utf-8") as file:
            file.write(text)
        said = command("systemd-analyze", "verify", self.path("swiftodt-watch.service"))
        self.assertEqual([line for line in said.stderr.splitlines() if "swiftodt-watch" in line], [])


class JPEGCamera:
    """A camera that sends small JPEG pictures without timestamps over HTTP, until the client disconnects."""

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

    def test_http_jpeg_camera(self):
        """The first picture must be decoded without waiting for more data, and pictures without timestamps must be recorded."""
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


class FaultyServer:
    """A TCP server on loopback. `serve`, a function of the client's socket, runs on a thread for each client."""

    def __init__(self, serve):
        self.serve = serve
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address, self.accepted, self.open = f"127.0.0.1:{self.listener.getsockname()[1]}", 0, []
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        with contextlib.suppress(OSError):
            while True:
                client, _ = self.listener.accept()
                self.accepted += 1
                self.open.append(client)
                threading.Thread(target=self.run, args=[client], daemon=True).start()

    def run(self, client):
        with contextlib.suppress(OSError):
            self.serve(client)
        self.open.remove(client)
        client.close()

    def close(self):
        self.listener.close()
        for client in list(self.open):
            with contextlib.suppress(OSError):
                client.shutdown(socket.SHUT_RDWR)


def send_endless_line(client):
    while True:
        client.sendall(b"A" * 1000)
        time.sleep(0.05)


def without_udp(camera):
    """Returns a function that forwards RTSP to a camera. The UDP packets of the camera go to unused ports."""
    def forward(client):
        with socket.create_connection(("127.0.0.1", int(re.search(r":(\d+)/", camera.address)[1]))) as server:
            threading.Thread(target=pump, args=[server, client], daemon=True).start()
            pump(client, server, lambda data: re.sub(rb"client_port=\d+-\d+", b"client_port=9998-9999", data))

    def pump(source, sink, change=bytes):
        with contextlib.suppress(OSError):
            while data := source.recv(1 << 16):
                sink.sendall(change(data))
            sink.shutdown(socket.SHUT_RDWR)

    return forward


@needs_server
class Cameras(Watching):
    """Lost cameras are reconnected, and do not affect others."""

    def test_camera_reconnects(self):
        camera, other = Camera(), Camera()
        with Watch("--retry=0.2", "--timeout=4", f"cam={camera.address}", f"other={other.address}") as watch:
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
            # The loss of a camera is not reported after every failed attempt.
            self.assertLess(story.count("lost"), 6)
            again = next(line for line in watch.said if line["message"] == "swiftodt-camera" and line["session"] == 2)
            self.assertGreater(again["attempt"], 0)

    def test_each_lasting_outage_is_logged(self):
        """Also within an hour. The last line of the log states whether the camera is connected."""
        camera = Camera()
        with Watch("--retry=0.2", "--timeout=4", f"cam={camera.address}") as watch:
            for session in (1, 2, 3):
                watch.wait(has("connected", session=session))
                if session > 1:
                    watch.complaint("cam: reconnected")
                with watch.news:
                    watch.complaints.clear()
                camera.go_away()
                watch.complaint("reconnecting in")
                camera.come_back()

    def test_camera_that_always_reconnects_at_once_does_not_fill_the_log(self):
        camera = ShortCamera()
        with Watch("--retry=0.2", f"cam={camera.address}") as watch:
            watch.wait(has("connected", session=8))
            watch.end()
            lines = [line for line in watch.complaints if "reconnect" in line]
            self.assertLess(len(lines), 5, lines)

    def test_orientation_of_rtsp_camera(self):
        camera = Camera()
        for words, size in (((), (320, 240)), (("--set", "orientation=90r"), (240, 320))):
            with Watch(*words, f"cam={camera.address}") as watch:
                watch.wait(lambda said: results(said, "cam"))
                line = results(watch.said, "cam")[0]
                self.assertEqual((line["width"], line["height"]), size)
                self.assertEqual(watch.end(), 0, watch.complaints)

    def test_silent_camera_is_lost(self):
        camera = Camera()
        with Watch("--retry=0.2", "--timeout=3.5", f"cam={camera.address}") as watch:
            watch.wait(lambda said: results(said, "cam"))
            camera.fall_silent()
            watch.wait(lambda said: any("no frame for 3.5 s" in line.get("reason", "") for line in said))
            sessions = max(session for _, session in events(watch.said, "cam"))
            watch.wait(has("connected", session=sessions + 1))

    def test_connections_that_do_not_end_are_limited(self):
        """GStreamer cannot close a connection in the middle of a message. A server that sends an endless one keeps two connections."""
        server = FaultyServer(send_endless_line)
        self.addCleanup(server.close)
        with Watch("--retry=0.1", "--timeout=1", f"cam=rtspt://{server.address}/a") as watch:
            watch.wait(lambda said: any("two connections do not end" in line for line in watch.complaints))
            self.assertEqual(len(server.open), 2)
            time.sleep(2)
            self.assertEqual(len(server.open), 2)
            server.open[0].shutdown(socket.SHUT_RDWR)
            end = time.monotonic() + 60
            while server.accepted < 3:
                self.assertLess(time.monotonic(), end)
                time.sleep(0.05)
            self.assertEqual(watch.end(), 0)

    def test_tcp_is_used_before_camera_without_udp_is_lost(self):
        server = FaultyServer(without_udp(Camera()))
        self.addCleanup(server.close)
        with Watch("--timeout=4", f"cam=rtsp://{server.address}/ball") as watch:
            watch.wait(has("connected"))

    def test_stream_without_video_is_lost_once(self):
        """The text of the error is the same at each attempt."""
        camera = Camera()
        camera.factory.set_launch("( audiotestsrc is-live=true ! alawenc ! rtppcmapay name=pay0 )")
        with Watch("--retry=0.2", f"cam={camera.address}") as watch:
            watch.wait(lambda said: any("no video" in line for line in watch.complaints))
            time.sleep(2)
            watch.end()
        lost = [line["reason"] for line in watch.said if line.get("event") == "lost"]
        self.assertEqual(lost, ["the source contains no video"])

    def test_ended_stream_is_reconnected(self):
        """A camera has no end, so end of stream counts as a loss."""
        camera = Camera()
        with Watch("--retry=0.2", f"cam={camera.address}") as watch:
            for session in (1, 2, 3):
                watch.wait(has("connected", session=session))
                camera.end()
                watch.wait(has("lost", session=session))

    def test_watch_ends_during_back_off(self):
        """A service that is stopped before its camera was reached has not failed. Passwords are hidden in all output."""
        camera = Camera()
        address = camera.address.replace("rtsp://", "rtsp://admin:secret@")
        camera.go_away()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            with Watch(f"cam={address}") as watch:
                watch.wait(has("lost"))
                self.assertEqual(watch.end(number, seconds=20), 0)
                self.assertEqual(events(watch.said)[-1], ("ended", 0))
                self.assertNotIn("secret", json.dumps(watch.said) + "".join(watch.complaints))

    def test_one_camera_of_several_that_is_never_reached_is_no_failure_of_the_watch(self):
        camera, away = Camera(), Camera()
        away.go_away()
        with Watch(f"cam={camera.address}", f"away={away.address}") as watch:
            watch.wait(lambda said: has("connected")(said) and has("lost", "away")(said))
            self.assertEqual(watch.end(), 0, watch.complaints)

    def unread(self, *words):
        """Starts a watch whose output is not read, and waits until the pipe is full."""
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

    def test_blocked_output_does_not_block_cameras(self):
        """Nobody reads the output. The broker and the store still get all messages, and the lost camera is reconnected."""
        camera = Camera()
        program = self.unread("--timeout=4", f"cam={camera.address}")
        time.sleep(1)
        camera.go_away()
        guard = threading.Timer(60, program.kill)
        guard.start()
        self.assertTrue(any("reconnecting in" in line for line in program.stderr))
        guard.cancel()
        # A blocked output does not delay the end.
        program.send_signal(signal.SIGINT)
        self.assertEqual(program.wait(30), 0)

    def test_dropped_messages_are_counted(self):
        camera = FastCamera()
        program = self.unread(*(f"cam{number}={camera.address}" for number in range(3)), "--set=updates=every-frame")
        guard = threading.Timer(120, program.kill)
        guard.start()
        self.assertIn("standard output: lines are dropped: the reader is too slow", program.stderr.readline())
        reader = threading.Thread(target=program.stdout.read, daemon=True)
        reader.start()
        self.assertRegex(program.stderr.readline(), r"standard output accepts lines again after [1-9]\d* dropped lines?")
        guard.cancel()
        program.send_signal(signal.SIGINT)
        self.assertEqual(program.wait(30), 0)
        reader.join()

    def smallest_footprint(self, watch):
        """Returns the minimum of each value during eight reconnections. A single sample would depend on the state of the connection."""
        footprints, end, deadline = [], reconnects(watch.said) + 8, time.monotonic() + 60
        while reconnects(watch.said) < end:
            self.assertLess(time.monotonic(), deadline, watch.complaints)
            footprints.append(Footprint(watch.program.pid))
            time.sleep(0.01)
        return {name: min(getattr(one, name) for one in footprints) for name in ("descriptors", "threads", "resident")}

    def test_connections_do_not_leak(self):
        """A pipeline, thread or descriptor that leaks with each reconnect would end the watch after some weeks. The long version, with
        recordings, is Tests/Benchmarks/watch/months."""
        camera = ShortCamera()
        with Watch("--retry=0.01", f"cam={camera.address}") as watch:
            watch.wait(lambda said: reconnects(said) >= 8)
            before = self.smallest_footprint(watch)
            watch.wait(lambda said: reconnects(said) >= 32)
            after = self.smallest_footprint(watch)
            self.assertEqual(watch.end(), 0, watch.complaints)
        # A leak of one per connection would be at least 24.
        for name, limit in (("descriptors", 4), ("threads", 4), ("resident", 12)):
            self.assertLess(after[name] - before[name], limit, name)

    def test_one_signal_ends_all_cameras(self):
        """The tracks of all cameras end, with their events."""
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
                self.assertEqual((mine[-1]["event"], mine[-1]["reason"]), ("ended", "the watch ended"))


if __name__ == "__main__":
    unittest.main()
