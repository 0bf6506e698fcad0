#!/usr/bin/env python3
"""Measures the recall of small objects in synthetic clips with `zoom=off` and `zoom=auto`, with one inference per frame.

Usage: recall.py FOLDER [--input PIXELS] [PROPERTY=VALUE ...]

FOLDER has clips made by clips.py. Small objects are less than 32 pixels high when the full frame is scaled to the network's input of
PIXELS (320) a side. An object counts as found in a frame if a reported box has an IoU of at least 0.5 with it, regardless of its label.
Requires numpy and Pipelines/setup.
"""
import argparse
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tracking"))

import numpy as np  # noqa: E402
import score  # noqa: E402
from element import play  # noqa: E402


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--input", type=int, default=320)
    parser.add_argument("properties", nargs="*")
    options = parser.parse_intermixed_args()
    print(f"{'zoom':6} {'small found':>14} {'others found':>14} {'reported, and none':>20}  looks")
    for zoom in ("off", "auto"):
        found, all_, wrong, looks = {True: 0, False: 0}, {True: 0, False: 0}, 0, 0
        for video in sorted(options.folder.glob("*.mp4")):
            truth = np.loadtxt(video.with_suffix("") / "gt" / "gt.txt", delimiter=",")
            results, counters = play(video, [*options.properties, f"zoom={zoom}"])
            looks += counters["detections"]
            told = score.shown(results)
            for number, result in enumerate(results, 1):
                here = truth[truth[:, 0] == number][:, 2:6]
                shares = score.overlap(here, told[told[:, 0] == number][:, 2:6])
                for box, share in zip(here, shares):
                    small = bool(box[3] * options.input / max(result["width"], result["height"]) < 32)
                    all_[small] += 1
                    found[small] += bool((share >= 0.5).any())
                wrong += int((shares < 0.3).all(axis=0).sum())
        print(f"{zoom:6} " + " ".join(f"{found[small]:6}/{all_[small]:<6}{found[small] / max(1, all_[small]):4.0%}".rjust(14) for small in (True, False))
              + f" {wrong:14}  {looks}", flush=True)


if __name__ == "__main__":
    main()
