"""RTSP: the network is compiled once, ids survive lost packets, and the stream ends."""
import concurrent.futures
import os
import random
import re
import subprocess
import threading
import unittest

import gi

from streams import ROOT, Gst, listen, needs_detector

try:
    gi.require_version("GstRtspServer", "1.0")
    from gi.repository import GLib, GstRtspServer
except (ValueError, ImportError):
    GLib = GstRtspServer = None

BALL = ("( videotestsrc name=ball pattern=ball is-live=true num-buffers={frames} ! video/x-raw,format=I420,width=320,height=240"
        ",framerate=30/1 ! jpegenc ! rtpjpegpay name=pay0 )")
# Timestamps of the sender: on a busy machine frames arrive late, but their timestamps stay evenly spaced.
SOURCE = "rtspsrc name=source location={address} protocols=tcp buffer-mode=none"


class Server:
    """An RTSP server on this machine with a stream of a moving ball for each client."""

    def __init__(self, frames=-1):
        self.server = GstRtspServer.RTSPServer()
        self.server.set_address("127.0.0.1")
        self.server.set_service("0")
        factory = GstRtspServer.RTSPMediaFactory()
        factory.set_launch(BALL.format(frames=frames))
        factory.connect("media-configure", self.keep)
        self.server.get_mount_points().add_factory("/ball", factory)
        self.factory = factory
        self.media = []
        context = GLib.MainContext()
        self.loop = GLib.MainLoop(context)
        self.server.attach(context)
        threading.Thread(target=self.loop.run, daemon=True).start()

    def keep(self, factory, media):
        self.media.append(media)

    @property
    def address(self):
        return f"rtsp://127.0.0.1:{self.server.get_bound_port()}/ball"

    def end(self):
        """Sends end of stream in all streams, as at the end of a file."""
        for media in self.media:
            media.get_element().get_by_name("ball").send_event(Gst.Event.new_eos())


@unittest.skipUnless(GstRtspServer, "needs an RTSP server (Debian's gir1.2-gst-rtsp-server-1.0)")
class RTSP(unittest.TestCase):

    @needs_detector
    def test_network_is_compiled_once(self):
        """The element learns only after decodebin has found its decoder whether the stream is live. It must not compile the network
        before that for the wrong performance hint."""
        server = Server()
        with subprocess.Popen(
                ["gst-launch-1.0", *SOURCE.format(address=server.address).split(),
                 *"! decodebin ! videoconvert ! swiftodt detector=neural ! fakesink".split()],
                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, cwd=ROOT,
                env=os.environ | {"GST_DEBUG": "swiftodt:6", "GST_DEBUG_NO_COLOR": "1"}) as client:
            # The guard ends the loop if the client prints nothing for long.
            guard = threading.Timer(120, client.kill)
            guard.start()
            said = []
            for text in client.stderr:
                said.append(text)
                if "detection started" in text:
                    server.end()
            code = client.wait()
            guard.cancel()
        story = "".join(said)
        self.assertEqual(code, 0, story[-2000:])
        self.assertIn("upstream is live", story)
        self.assertIn("detection started", story)
        self.assertEqual(len(re.findall(r"the cache has it compiled|has compiled it", story)), 1, story[-2000:])
        self.assertEqual(story.count("loading a detector in the background"), 1, story[-2000:])

    def play(self, loss):
        """Plays a stream that loses packets, and returns the number of frames, the ids and the epochs."""
        server, choose, lost = Server(frames=100), random.Random(12), []

        def decide(pad, info):
            if choose.random() >= loss:
                return Gst.PadProbeReturn.OK
            lost.append(1)
            return Gst.PadProbeReturn.DROP

        def watch(pipeline, bin, element):
            if element.get_factory().get_name() == "rtpjitterbuffer":
                element.get_static_pad("sink").add_probe(Gst.PadProbeType.BUFFER, decide)

        pipeline = Gst.parse_launch(
            f"{SOURCE.format(address=server.address)} ! decodebin ! videoconvert"
            " ! swiftodt detector=motion updates=every-frame ! fakesink")
        pipeline.connect("deep-element-added", watch)
        pipeline.set_state(Gst.State.PLAYING)
        said = listen(pipeline)
        pipeline.set_state(Gst.State.NULL)
        self.assertEqual((said.errors, said.ended), ([], True))
        self.assertEqual(bool(lost), loss > 0)
        ids = {thing.get_value("tracking-id") for result in said.results for thing in result.get_value("objects")}
        return len(said.results), ids, {result.get_value("epoch") for result in said.results}

    def test_lost_packets_keep_ids(self):
        losses = (0, 0.01, 0.03, 0.1)
        with concurrent.futures.ThreadPoolExecutor(len(losses)) as threads:
            plays = list(threads.map(self.play, losses))
        (count, whole, _), *_ = plays
        self.assertTrue(whole)
        for loss, (rest, ids, epochs) in zip(losses, plays):
            with self.subTest(loss=loss):
                self.assertLessEqual(rest, count)
                self.assertEqual((ids, epochs), (whole, {0}))


if __name__ == "__main__":
    unittest.main()
