#!/usr/bin/env python3
"""How many of the boxes that the element shows stand where nothing is: a video with ground truth, end to end.

Usage: nothing.py VIDEO SEQUENCE [PROPERTY=VALUE ...]. SEQUENCE is a folder with gt/gt.txt (MOTChallenge); the properties are
given to the element, such as model-file=yolox_nano.onnx label-allowlist=person. Needs what Pipelines/setup builds, and the
packages numpy, scipy and trackeval.

A box stands on nothing where no object of the truth overlaps it by 0.3 (IoU). Boxes of detected and of coasting objects are
counted apart. Objects are recalled where a box of either kind overlaps them by 0.5; objects behind others are those of
which a nearer one covers 0.4.
HOTA, IDF1 and MOTA are those of video.py.
"""
import collections
import pathlib
import sys

import numpy as np

import score
from element import box, play

KINDS = ("detected", "coasting")


def kinds(results):
    """Of each frame, a list of (kind, id, box)."""
    return [[(int(thing["state"] == "coasting"), thing["tracking-id"], box(thing, result))
             for thing in result["objects"] if thing["state"] != "lost"] for result in results]


def behind(truth):
    """Which of a frame's objects are covered by one whose feet are nearer."""
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
        print(f"{name:<22} {vain[kind]:5} of {every[kind]:5} on nothing")
    print(f"{'all':<22} {seen:5} of {len(real):5} recalled")
    print(f"{'behind others':<22} {recalled:5} of {hidden:5} recalled")
    rows = np.array([(number, name, *place) for number, here in enumerate(frames, 1) for kind, name, place in here
                     if kind == 0], float).reshape(-1, 6)
    figures = score.score([(truth, np.hstack([rows, np.ones((len(rows), 3))]), len(frames))])
    print(f"{'HOTA, IDF1, MOTA':<22} " + " ".join(f"{figure:.2f}" for figure in figures))


if __name__ == "__main__":
    main()
