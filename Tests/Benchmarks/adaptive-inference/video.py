#!/usr/bin/env python3
"""Measures `zoom=auto` on a video with ground truth: HOTA, IDF1, MOTA, objects per frame, and inferences by region.

Usage: video.py VIDEO SEQUENCE [--canvas WIDTHxHEIGHT] [--zoom WHICH]... [PROPERTY=VALUE ...]

SEQUENCE is a folder with gt/gt.txt (MOTChallenge). With --canvas the video is placed unscaled in the middle of a
black frame of that size, like a distant scene of a high-resolution camera. The properties are set on the element. Requires trackeval
and Pipelines/setup.
"""
import argparse
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tracking"))

import score  # noqa: E402
from element import play  # noqa: E402


def corner(canvas, size):
    """Returns the upper left corner of a video of this size in the canvas."""
    return ((canvas[0] - size[0]) // 2, (canvas[1] - size[1]) // 2) if canvas else (0, 0)


def surround(canvas, size):
    """Returns the elements that place a video of this size in the canvas."""
    if not canvas:
        return ""
    left, top = corner(canvas, size)
    return (f"videoconvert ! video/x-raw,format=I420 ! videobox left={-left} right={-(canvas[0] - size[0] - left)} top={-top}"
            f" bottom={-(canvas[1] - size[1] - top)} !")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("video")
    parser.add_argument("sequence", type=pathlib.Path)
    parser.add_argument("--canvas", type=lambda text: tuple(map(int, text.split("x"))))
    parser.add_argument("--size", type=lambda text: tuple(map(int, text.split("x"))), default=(768, 576), help="the size of the video")
    parser.add_argument("--zoom", action="append")
    parser.add_argument("properties", nargs="*")
    options = parser.parse_intermixed_args()
    truth = score.read(options.sequence / "gt" / "gt.txt")
    print(f"{'':8} {'HOTA':>6} {'IDF1':>6} {'MOTA':>6} {'seen a frame':>13}  looks")
    left, top = corner(options.canvas, options.size)
    for zoom in options.zoom or ["off", "auto"]:
        results, counters = play(options.video, [*options.properties, f"zoom={zoom}"], surround(options.canvas, options.size))
        tracks = score.shown(results)
        tracks[:, 2:4] -= left, top
        figures = score.score([(truth, score.padded(tracks), int(truth[:, 0].max()))])
        looks = ", ".join(f"{name} {count}" for name, count in counters["regions"].items() if count)
        print(f"{zoom:8} " + " ".join(f"{figure:6.2f}" for figure in figures)
              + f" {len(tracks) / max(1, len(results)):13.1f}  {looks or counters['detections']}", flush=True)


if __name__ == "__main__":
    main()
