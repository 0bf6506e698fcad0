#!/usr/bin/python3
"""Serves an H.264 byte stream of 25 frames per second in a loop as N RTSP cameras on loopback.

Usage: serve.py FILE.h264 N. Prints the addresses, and ends when standard input closes. The cameras begin at different times of the loop.
Requires Debian's gir1.2-gst-rtsp-server-1.0.
"""
import sys
import threading
import time

import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstRtspServer", "1.0")
from gi.repository import GLib, Gst, GstRtspServer  # noqa: E402

CAPS = "video/x-h264,stream-format=byte-stream,alignment=au"
PERIOD = 1 / 25


def access_units(file):
    pipeline = Gst.parse_launch(f'filesrc location="{file}" ! h264parse ! {CAPS} ! appsink name=sink sync=false')
    pipeline.set_state(Gst.State.PLAYING)
    units = []
    while (sample := pipeline.get_by_name("sink").emit("pull-sample")) is not None:
        units.append(sample.get_buffer().copy_deep())
        units[-1].pts = units[-1].dts = Gst.CLOCK_TIME_NONE
    pipeline.set_state(Gst.State.NULL)
    return units


class Cameras:
    """Sends one access unit to each connected camera every 40 ms."""

    def __init__(self, units):
        self.units = units
        self.keys = [number for number, unit in enumerate(units) if not unit.has_flags(Gst.BufferFlags.DELTA_UNIT)]
        self.sources = []

    def connect(self, media, number):
        # The cameras are spread over the loop.
        start = self.keys[number * 7 % len(self.keys)]
        self.sources.append([media.get_element().get_by_name("source"), start])

    def send(self):
        due = time.monotonic()
        while True:
            for position in list(self.sources):
                position[0].emit("push-buffer", self.units[position[1] % len(self.units)].copy())
                position[1] += 1
            due += PERIOD
            time.sleep(max(0, due - time.monotonic()))


def main(file, count):
    Gst.init(None)
    cameras, server = Cameras(access_units(file)), GstRtspServer.RTSPServer()
    server.set_address("127.0.0.1")
    server.set_service("0")
    for number in range(count):
        factory = GstRtspServer.RTSPMediaFactory()
        # The source stamps each buffer with the time at which it is pushed, as a camera does.
        factory.set_launch(f"( appsrc name=source is-live=true format=time do-timestamp=true max-buffers=100 leaky-type=downstream caps={CAPS}"
                           " ! h264parse ! rtph264pay name=pay0 config-interval=-1 )")
        factory.connect("media-configure", lambda _, media, number: cameras.connect(media, number), number)
        server.get_mount_points().add_factory(f"/{number}", factory)
    server.attach(None)
    loop = GLib.MainLoop()
    for number in range(count):
        print(f"rtsp://127.0.0.1:{server.get_bound_port()}/{number}", flush=True)
    print(flush=True)
    threading.Thread(target=lambda: (sys.stdin.read(), loop.quit()), daemon=True).start()
    threading.Thread(target=cameras.send, daemon=True).start()
    loop.run()


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(sys.argv[1], int(sys.argv[2]))
