#!/usr/bin/env python3
"""Counts the element's false positive boxes in a video with ground truth.

Usage: nothing.py VIDEO SEQUENCE [PROPERTY=VALUE ...]. SEQUENCE is a folder with gt/gt.txt (MOTChallenge); the properties are
set on the element, such as model-file=yolox_nano.onnx label-allowlist=person. Requires Pipelines/setup, numpy, scipy and trackeval.

A box is a false positive if no object of the ground truth has an IoU of at least 0.3 with it. Detected and coasting boxes are
counted separately. An object is recalled if a box of either kind has an IoU of at least 0.5 with it. An object counts as occluded if
a nearer one covers 40 % of it.
HOTA, IDF1 and MOTA are computed as in video.py.
"""
import collections
import pathlib
import sys

import numpy as np

import score
from element import box, play

KINDS = ("detected", "coasting")


def kinds(results):
    """Returns for each frame a list of (kind, id, box)."""
    return [[(int(thing["state"] == "coasting"), thing["tracking-id"], box(thing, result))
             for thing in result["objects"] if thing["state"] != "lost"] for result in results]


def behind(truth):
    """Returns which objects of a frame are covered by one whose lower edge is lower, and which is therefore nearer."""
    covered = score.shared_area(truth, truth) / np.prod(truth[:, 2:], axis=1)[:, None]
    feet = truth[:, 1] + truth[:, 3]
    covered[feet[None, :] <= feet[:, None]] = 0
    return covered.max(axis=1) > 0.4


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    video, folder, properties = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3:]
    truth = score.read(folder / "gt/gt.txt")
    real = truth[truth[:, 6] != 0]
    frames = kinds(play(video, properties)[0])
    every, vain = collections.Counter(), collections.Counter()
    hidden = recalled = seen = 0
    for number, here in enumerate(frames, 1):
        objects = real[real[:, 0] == number][:, 2:6]
        boxes = np.array([one[2] for one in here]).reshape(-1, 4)
        overlap = score.overlap(objects, boxes)
        for place, (kind, _, _) in enumerate(here):
            every[kind] += 1
            vain[kind] += not len(objects) or overlap[:, place].max() < 0.3
        if len(objects):
            is_behind = behind(objects)
            hidden += is_behind.sum()
            if len(boxes):
                found = overlap.max(axis=1) >= 0.5
                seen += found.sum()
                recalled += found[is_behind].sum()
    for kind, name in enumerate(KINDS):
        print(f"{name:<22} {vain[kind]:5} of {every[kind]:5} false positives")
    print(f"{'all':<22} {seen:5} of {len(real):5} recalled")
    print(f"{'occluded':<22} {recalled:5} of {hidden:5} recalled")
    rows = np.array([(number, name, *place) for number, here in enumerate(frames, 1) for kind, name, place in here
                     if kind == 0], float).reshape(-1, 6)
    figures = score.score([(truth, np.hstack([rows, np.ones((len(rows), 3))]), len(frames))])
    print(f"{'HOTA, IDF1, MOTA':<22} " + " ".join(f"{figure:.2f}" for figure in figures))


if __name__ == "__main__":
    main()
