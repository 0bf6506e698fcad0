"""What `zoom=auto` gains on a video with ground truth: HOTA, IDF1, MOTA, objects a frame, and what was looked at.

Usage: video.py VIDEO SEQUENCE [--canvas WIDTHxHEIGHT] [--zoom WHICH]... [PROPERTY=VALUE ...]

SEQUENCE is a folder with gt/gt.txt (MOTChallenge). With --canvas the video stands unscaled in the middle of a grey
picture of that size, as a scene does that a camera with many pixels sees from afar. The properties are given to the element. Needs the
package trackeval and what Pipelines/setup builds.
"""
import argparse
import json
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tracking"))

import numpy as np  # noqa: E402
import score  # noqa: E402
from element import ROOT, box  # noqa: E402


def play(video, canvas, size, properties):
    """What the element says of each frame, its counters, and where the video's left upper corner is."""
    left, top = ((canvas[0] - size[0]) // 2, (canvas[1] - size[1]) // 2) if canvas else (0, 0)
    frame = (f"! videobox border-alpha=1 fill=green left={-left} right={-(canvas[0] - size[0] - left)} top={-top} "
             f"bottom={-(canvas[1] - size[1] - top)}" if canvas else "").replace("fill=green", "fill=black")
    said = subprocess.run(
        [ROOT / "Pipelines/with-plugin", ROOT / "Pipelines/bus-to-json",
         *(f"filesrc location={video} ! decodebin ! videoconvert ! video/x-raw,format=I420 {frame} ! swiftodt draw=false"
           f" updates=every-frame multiple-objects=true max-objects=100 {' '.join(properties)} ! fakesink").split()],
        check=True, capture_output=True, text=True)
    said = [json.loads(line) for line in said.stdout.splitlines()]
    return [one for one in said if one["message"] == "swiftodt"], said[-1], (left, top)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("video")
    parser.add_argument("sequence", type=pathlib.Path)
    parser.add_argument("--canvas", type=lambda text: tuple(map(int, text.split("x"))))
    parser.add_argument("--size", type=lambda text: tuple(map(int, text.split("x"))), default=(768, 576), help="of the video")
    parser.add_argument("--zoom", action="append")
    parser.add_argument("properties", nargs="*")
    options = parser.parse_intermixed_args()
    truth = score.read(options.sequence / "gt" / "gt.txt")
    print(f"{'':8} {'HOTA':>6} {'IDF1':>6} {'MOTA':>6} {'seen a frame':>13}  looks")
    for zoom in options.zoom or ["off", "auto"]:
        results, counters, (left, top) = play(options.video, options.canvas, options.size, [*options.properties, f"zoom={zoom}"])
        rows = []
        for number, result in enumerate(results, 1):
            for thing in result["objects"]:
                if thing["state"] in ("new", "tracked"):
                    x, y, width, height = box(thing, result)
                    rows.append((number, thing["tracking-id"], x - left, y - top, width, height))
        rows = np.array(rows, float).reshape(-1, 6)
        figures = score.score([(truth, np.hstack([rows, np.ones((len(rows), 3))]), int(truth[:, 0].max()))])
        looks = ", ".join(f"{name[6:]} {counters[name]}" for name in counters if name.startswith("views-") and counters[name])
        print(f"{zoom:8} " + " ".join(f"{figure:6.2f}" for figure in figures)
              + f" {len(rows) / max(1, len(results)):13.1f}  {looks or counters['detections']}", flush=True)


if __name__ == "__main__":
    main()
