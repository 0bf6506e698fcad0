"""Runs pipelines for the tests and collects their messages."""
import contextlib
import functools
import http.server
import json
import os
import pty
import shutil
import subprocess
import tempfile
import threading
import unittest

import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstVideo", "1.0")
from gi.repository import GObject, Gst, GstVideo  # noqa: E402, F401

Gst.init(None)

# Under sudo, Pipelines/setup would install into the home folder of this user, not into that of a test.
os.environ.pop("SUDO_USER", None)

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DATA = os.path.join(os.environ.get("XDG_DATA_HOME") or os.path.expanduser("~/.local/share"), "swiftodt")


def installed_models(purpose):
    """Returns the names of the installed models of a purpose, best first: the first one is the default."""
    with open(os.path.join(ROOT, "Pipelines", "models", "catalogue.json"), encoding="utf-8") as file:
        models = [model for model in json.load(file)["models"] if model["purpose"] == purpose]
    return [model["name"] for model in models if os.path.exists(os.path.join(DATA, "models", model["files"][0]))]


DETECTORS = installed_models("detector")
needs_detector = unittest.skipUnless(DETECTORS, "no model: Pipelines/setup fetches it")
BIKES = os.path.join(DATA, "videos", "bikes.mp4")
needs_video = unittest.skipUnless(os.path.exists(BIKES), "no video: Pipelines/setup fetches it")
ENCODED = tempfile.TemporaryDirectory()
BALL = "videotestsrc num-buffers={frames} pattern=ball ! video/x-raw,format={format},width=320,height=240,framerate=30/1"

FORMATS = ("I420 YV12 NV12 NV21 NV16 NV61 NV24 Y42B Y444 YUY2 YVYU UYVY VYUY AYUV VUYA GRAY8 RGB BGR RGBx BGRx xRGB xBGR RGBA"
           " BGRA ARGB ABGR GBR I420_10LE I420_12LE I422_10LE I422_12LE Y444_10LE Y444_12LE Y444_16LE P010_10LE P012_LE P016_LE"
           " Y210 Y212_LE GRAY16_LE GBR_10LE GBR_12LE ARGB64_LE RGBA64_LE BGRA64_LE ABGR64_LE").split()


def ball(frames=90, format="I420"):
    """Returns the source of a ball that moves over black."""
    return BALL.format(frames=frames, format=format)


class MessageCollector:
    """Collects the messages of a pipeline until its end."""

    def __init__(self):
        self.structures = []
        self.errors = []
        self.warnings = []
        self.ended = False

    def hear(self, message):
        """Adds one message. Returns whether the stream has ended."""
        if message.type == Gst.MessageType.EOS:
            self.ended = True
        elif message.type == Gst.MessageType.ERROR:
            self.errors.append(message.parse_error())
        elif message.type == Gst.MessageType.WARNING:
            self.warnings.append(message.parse_warning())
        elif message.type == Gst.MessageType.ELEMENT:
            # A copy, because the message may be freed before the structure is read.
            self.structures.append(message.get_structure().copy())
        return self.ended or bool(self.errors)

    def named(self, name):
        return [structure for structure in self.structures if structure.get_name() == name]

    @property
    def results(self):
        return self.named("swiftodt")


def listen(pipeline, seconds=60):
    """Collects the pipeline's messages until the stream ends or fails, or the time is over."""
    said = MessageCollector()
    deadline = Gst.util_get_timestamp() + int(seconds * Gst.SECOND)
    kinds = Gst.MessageType.EOS | Gst.MessageType.ERROR | Gst.MessageType.WARNING | Gst.MessageType.ELEMENT
    while (left := deadline - Gst.util_get_timestamp()) > 0:
        message = pipeline.get_bus().timed_pop_filtered(left, kinds)
        if message is not None and said.hear(message):
            break
    return said


def run(description, seconds=60):
    """Plays the pipeline to its end and returns its messages."""
    pipeline = Gst.parse_launch(description)
    pipeline.set_state(Gst.State.PLAYING)
    try:
        return listen(pipeline, seconds)
    finally:
        pipeline.set_state(Gst.State.NULL)


def frames(description, sink="frames", seconds=60):
    """Plays the pipeline and yields the samples of its appsink. Afterwards `frames.said` has the messages. Raises AssertionError if the
    pipeline fails."""
    pipeline = Gst.parse_launch(description)
    appsink = pipeline.get_by_name(sink)
    pipeline.set_state(Gst.State.PLAYING)
    try:
        while (sample := appsink.emit("try-pull-sample", int(seconds * Gst.SECOND))) is not None:
            yield sample
        frames.said = listen(pipeline, 5)
        if frames.said.errors:
            raise AssertionError(frames.said.errors[0].gerror.message)
    finally:
        pipeline.set_state(Gst.State.NULL)


def command(*words, seconds=120, **environment):
    """Runs a command in this checkout."""
    return subprocess.run(
        words, cwd=ROOT, capture_output=True, text=True, errors="surrogateescape", timeout=seconds, env=os.environ | environment, check=False,
        stdin=subprocess.DEVNULL)


@functools.cache
def encoded(frames, coder, muxer="matroskamux", pattern="ball", size="320,height=240", rate=25):
    """Encodes a video, once per process, and returns its path.

    A video of 2,000 frames or more is a Matroska file that repeats a shorter video of at least 1,000 frames, because copying is faster
    than encoding. This needs ffmpeg, which Pipelines/setup installs.
    """
    path, repeats = os.path.join(ENCODED.name, str(len(os.listdir(ENCODED.name)))), max(1, frames // 1000)
    assert frames % repeats == 0, f"cannot make {frames} frames of {repeats} equal parts; choose a multiple of 1,000"
    assert repeats == 1 or muxer == "matroskamux", f"videos of {frames} frames are written by ffmpeg as Matroska, not by {muxer}"
    said = command("gst-launch-1.0", "-q", *(
        f"videotestsrc num-buffers={frames // repeats} pattern={pattern} ! video/x-raw,format=I420,width={size},framerate={rate}/1 ! {coder}"
        f" ! {muxer} ! filesink").split(), f"location={path}")
    if said.returncode:
        raise AssertionError(said.stderr)
    if repeats > 1:
        said = command("ffmpeg", "-v", "error", "-stream_loop", str(repeats - 1), "-i", path, "-c", "copy", path := f"{path}.mkv")
        if said.returncode:
            raise AssertionError(said.stderr)
    return path


def on_terminal(*words, input=subprocess.DEVNULL, **environment):
    """Runs a command with standard output and error, and with input=None standard input, on a terminal. Returns exit code and output."""
    leader, follower = pty.openpty()
    with open(follower, "wb") as terminal:
        program = subprocess.Popen(words, cwd=ROOT, stdin=input or terminal, stdout=terminal, stderr=terminal,
                                   env=os.environ | {"TERM": "xterm"} | environment)
    shown = b""
    # Reading from a terminal that is closed on the other side ends with an error.
    with contextlib.suppress(OSError):
        while part := os.read(leader, 1000):
            shown += part
    os.close(leader)
    return program.wait(60), shown.decode()


class FolderHandler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


def served(test, folder):
    """Serves a folder by HTTP until the test ends. Returns the address, with a password."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(FolderHandler, directory=folder))
    test.addCleanup(server.server_close)
    test.addCleanup(server.shutdown)
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    return f"http://admin:secret@127.0.0.1:{server.server_port}"


def balls(path):
    """Returns the surroundings of the bright pixels in each frame, 64 x 64 grey levels, if the ball is not at the edge."""
    raw = subprocess.run(["ffmpeg", "-v", "error", "-i", path, "-f", "rawvideo", "-pix_fmt", "gray", "-"], capture_output=True, check=True).stdout
    found, bright = [], bytes(value > 60 for value in range(256))
    for start in range(0, len(raw), 320 * 240):
        frame = raw[start:start + 320 * 240]
        marks = frame.translate(bright)
        places = [place for place in range(len(marks)) if marks[place]]
        if not places:
            continue
        x, y = sum(place % 320 for place in places) // len(places), sum(place // 320 for place in places) // len(places)
        if 32 <= x < 288 and 32 <= y < 208:
            found.append(b"".join(frame[row * 320 + x - 32:row * 320 + x + 32] for row in range(y - 32, y + 32)))
    assert found, f"no ball in {path}"
    return found


def difference(one, other):
    """Returns the average absolute difference of two pictures' grey levels."""
    return sum(abs(a - b) for a, b in zip(one, other)) / len(one)


def box(thing):
    """Returns (x, y, width, height) of an object of a message."""
    return tuple(thing.get_value(name) for name in ("x", "y", "width", "height"))


def overlap(one, other):
    """Returns the intersection over union of two boxes."""
    width = min(one[0] + one[2], other[0] + other[2]) - max(one[0], other[0])
    height = min(one[1] + one[3], other[1] + other[3]) - max(one[1], other[1])
    if width <= 0 or height <= 0:
        return 0.0
    common = width * height
    return common / (one[2] * one[3] + other[2] * other[3] - common)


class InFolder(unittest.TestCase):
    """Gives each test a temporary folder."""

    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)

    def path(self, name):
        return os.path.join(self.folder, name)

    def names(self):
        return sorted(os.listdir(self.folder))
