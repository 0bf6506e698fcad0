"""RTSP cameras on loopback, and odt watch as a subprocess."""
import contextlib
import json
import os
import shutil
import signal
import subprocess
import threading
import time
import unittest

from streams import InFolder, ROOT, Gst, command, encoded
from test_rtsp import GLib, GstRtspServer, Server

ODT = f"{ROOT}/.build/tool/odt"
FAST = "--set=detector=motion"
needs_server = unittest.skipUnless(GstRtspServer, "needs an RTSP server (Debian's gir1.2-gst-rtsp-server-1.0)")


def clock_is_trusted():
    """Whether odt watch deletes old files. In the first hour after the start of the machine, it does not."""
    return time.clock_gettime(time.CLOCK_MONOTONIC) > 3600


class Camera(Server):
    """An RTSP server that can disconnect, reappear at the same address, and stall."""

    def on_loop(self, work):
        """Runs `work` on the server's own thread, because gst-rtsp-server is not thread-safe."""
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
        """Keeps the connection, but sends no more frames."""
        for media in self.media:
            pad = media.get_element().get_by_name("ball").get_static_pad("src")
            pad.add_probe(Gst.PadProbeType.BUFFER, lambda *_: Gst.PadProbeReturn.DROP)


class CodedCamera(Camera):
    """A camera that sends H.264 with two key frames per second."""

    def __init__(self, rate=20):
        super().__init__()
        self.factory.set_launch(
            f"( videotestsrc name=ball pattern=ball is-live=true ! video/x-raw,format=I420,width=320,height=240,framerate={rate}/1"
            f" ! x264enc speed-preset=ultrafast tune=zerolatency key-int-max={rate // 2} ! rtph264pay name=pay0 config-interval=1 )")


class FastCamera(Camera):
    """A camera that sends small pictures at 120 frames per second."""

    def __init__(self):
        super().__init__()
        self.factory.set_launch(
            "( videotestsrc name=ball pattern=ball is-live=true ! video/x-raw,format=I420,width=160,height=120,framerate=120/1"
            " ! jpegenc ! rtpjpegpay name=pay0 )")


class ShortCamera(Camera):
    """A camera whose stream ends after six frames, each time."""

    def __init__(self):
        super().__init__()
        self.factory.set_launch(
            "( videotestsrc pattern=ball is-live=true num-buffers=6 ! video/x-raw,format=I420,width=160,height=120,framerate=60/1"
            " ! x264enc speed-preset=ultrafast tune=zerolatency key-int-max=2 ! rtph264pay name=pay0 config-interval=1 )")


class Footprint:
    """The memory and open files of a process at one moment."""

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
    """Returns the names of the open files of a process."""
    folder, names = f"/proc/{program}/fd", []
    for name in os.listdir(folder):
        # A descriptor may be closed during the loop.
        with contextlib.suppress(FileNotFoundError):
            names.append(os.readlink(f"{folder}/{name}"))
    return names


class Watch:
    """Runs odt watch and collects its messages."""

    def __init__(self, *words, prepare=None, **environment):
        self.program = subprocess.Popen(
            [ODT, "watch", FAST, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            cwd=ROOT, preexec_fn=prepare, env=os.environ | environment)
        self.said, self.complaints, self.news, self.has_ended = [], [], threading.Condition(), False
        self.readers = [threading.Thread(target=self.read, daemon=True), threading.Thread(target=self.listen, daemon=True)]
        for reader in self.readers:
            reader.start()

    def read(self):
        for line in self.program.stdout:
            with self.news:
                self.said.append(json.loads(line))
                self.news.notify_all()
        with self.news:
            self.has_ended = True
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
        """Waits until `wanted`, a function of the messages, returns a true value."""
        with self.news:
            if not self.news.wait_for(lambda: wanted(self.said) or self.has_ended, seconds) or not wanted(self.said):
                raise AssertionError(f"the expected message did not arrive: {events(self.said)}, {self.complaints}")

    def complaint(self, text, seconds=60):
        """Waits for a line of the standard error, removes it from `complaints` and returns it."""
        def found():
            return [line for line in self.complaints if text in line]
        with self.news:
            if not self.news.wait_for(found, seconds):
                raise AssertionError(f"no line with '{text}': {self.complaints}")
            line = found()[0]
            self.complaints.remove(line)
            return line

    def end(self, number=signal.SIGINT, seconds=60):
        """Sends a signal and returns the exit code."""
        self.program.send_signal(number)
        code = self.program.wait(seconds)
        for reader in self.readers:
            reader.join()
        return code


def events(said, camera=None):
    """Returns the connection events of one camera, or of all."""
    return [(line["event"], line["session"]) for line in said
            if line["message"] == "swiftodt-camera" and camera in (None, line["source"])]


def reconnects(said):
    """Returns the number of reconnections."""
    return sum(event == "connected" and session > 1 for event, session in events(said))


def results(said, camera):
    return [line for line in said if line["message"] == "swiftodt" and line["source"] == camera]


def has(event, camera="cam", session=None):
    return lambda said: any(line == (event, session or line[1]) for line in events(said, camera))


class Watching(InFolder):

    def clip(self, name="ball.mkv", frames=50, coder="x264enc speed-preset=ultrafast", muxer="matroskamux", size="320,height=240"):
        return shutil.copy(encoded(frames, coder, muxer, size=size), self.path(name))

    def watch(self, *words, code=0):
        said = command(ODT, "watch", FAST, *words)
        self.assertEqual(said.returncode, code, said.stderr)
        return [json.loads(line) for line in said.stdout.splitlines()], said.stderr
