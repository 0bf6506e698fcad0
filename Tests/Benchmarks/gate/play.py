#!/usr/bin/python3
"""Plays a video through swiftodt with inference-interval=0, with or without swiftodtgate before the decoder, and prints JSON.

Usage: play.py VIDEO.mkv h264|h265 with|without. Prints the objects of each frame, the time, the size and the type of each encoded frame and
the state of the gate before it, the times of the key frames and of the passed frames, the stream time by which frames leave the gate late, the
gate's statistics, the CPU time and the network. Requires Debian's python3-gi, and Pipelines/with-plugin.
"""
import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parents[2] / "Pipelines"), str(HERE.parent)]
from meter import cpu  # noqa: E402
from running.player import Gst, start_gstreamer  # noqa: E402

LABELS = "person,car,bus,truck"


def main(video, codec, gate):
    start_gstreamer()
    pipeline = Gst.parse_launch(
        f'filesrc location="{video}" ! matroskademux ! {codec}parse name=parser'
        f" ! {'swiftodtgate name=gate ! ' if gate else ''}avdec_{codec} max-threads=1"
        f" ! swiftodt name=odt draw=false inference-interval=0 multiple-objects=true max-objects=100 updates=every-frame track-events=false"
        f" message-format=json label-allowlist={LABELS} ! fakesink name=sink sync=false")
    units, received, delays, begun = [], [0], {}, []

    def note(_, info):
        buffer = info.get_buffer()
        received[0] = max(received[0], buffer.pts)
        state = pipeline.get_by_name("gate").get_property("stats").get_value("state") if gate else "open"
        units.append((buffer.pts / 1e9, buffer.get_size(), not buffer.has_flags(Gst.BufferFlags.DELTA_UNIT), state))
        return Gst.PadProbeReturn.OK

    def passed(_, info):
        delays.setdefault(info.get_buffer().pts, (received[0] - info.get_buffer().pts) / 1e9)
        return Gst.PadProbeReturn.OK

    def begin(_, info):
        begun.append(cpu())
        return Gst.PadProbeReturn.REMOVE

    pipeline.get_by_name("parser").get_static_pad("src").add_probe(Gst.PadProbeType.BUFFER, note)
    if gate:
        pipeline.get_by_name("gate").get_static_pad("src").add_probe(Gst.PadProbeType.BUFFER, passed)
    pipeline.get_by_name("sink").get_static_pad("sink").add_probe(Gst.PadProbeType.BUFFER, begin)
    frames, bus = {}, pipeline.get_bus()
    pipeline.set_state(Gst.State.PLAYING)
    while (message := bus.timed_pop(60 * Gst.SECOND)).type not in (Gst.MessageType.EOS, Gst.MessageType.ERROR):
        if message.type == Gst.MessageType.ELEMENT and message.get_structure().get_name() == "swiftodt":
            result = json.loads(message.get_structure().get_value("json"))
            width, height = result["width"], result["height"]
            frames[result["stream-time"] / 1e9] = [
                (thing["tracking-id"], thing["x-min"] * width, thing["y-min"] * height, (thing["x-max"] - thing["x-min"]) * width,
                 (thing["y-max"] - thing["y-min"]) * height) for thing in result["objects"] if thing["state"] != "lost"]
    if message.type == Gst.MessageType.ERROR:
        sys.exit(message.parse_error()[0].message)
    stats = pipeline.get_by_name("gate").get_property("stats") if gate else None
    print(json.dumps({
        "frames": sorted(frames.items()), "units": units, "keys": [time for time, _, is_key, _ in units if is_key],
        "passed-times": sorted(time / 1e9 for time in delays), "delays": sorted(delays.values()), "cpu": cpu() - begun[0],
        "passed": stats.get_value("passed-share") if gate else 1, "model": result["model"]}))
    pipeline.set_state(Gst.State.NULL)


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2], sys.argv[3] == "with")
