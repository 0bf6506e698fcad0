#!/usr/bin/env python3
"""Measures unknown-objects=moving on a video of people with ground truth: the number of unlabelled boxes on people whom the detector
misses, of duplicates, and of false positives.

Usage: people.py VIDEO SEQUENCE [PROPERTY=VALUE ...]. SEQUENCE is a folder with gt/gt.txt (MOTChallenge); the properties are set on the
element. Requires Pipelines/setup, numpy, scipy and trackeval.

An unlabelled box is a duplicate if half of it lies in a labelled box that overlaps a person (IoU 0.5). It is a false positive if no
person overlaps it with an IoU of 0.3 and none lies in it by half. People count as found if any box overlaps them with an IoU of 0.5.
HOTA, IDF1 and MOTA are computed as in ../tracking/video.py over all detected boxes, also without the property for comparison.
"""
import collections
import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tracking"))
import score  # noqa: E402
from element import box, play  # noqa: E402


def judge(video, truth, properties):
    results = play(video, properties)[0]
    real, kinds, rows = truth[truth[:, 6] != 0], collections.Counter(), []
    people = found = named_found = 0
    for number, result in enumerate(results, 1):
        things = [thing for thing in result["objects"] if thing["state"] in ("new", "tracked")]
        boxes = np.array([box(thing, result) for thing in things]).reshape(-1, 4)
        has_name = np.array([bool(thing["label"]) for thing in things], bool)
        here = real[real[:, 0] == number][:, 2:6]
        rows += [(number, thing["tracking-id"], *place) for thing, place in zip(things, boxes)]
        people += len(here)
        if not len(boxes):
            continue
        near, shared = score.overlap(here, boxes), score.shared_area(here, boxes)
        if len(here):
            found += (near.max(axis=1) >= 0.5).sum()
            if has_name.any():
                named_found += (near[:, has_name].max(axis=1) >= 0.5).sum()
        within = score.shared_area(boxes[has_name], boxes) / np.prod(boxes[:, 2:], axis=1)[None]
        names_person = (near[:, has_name].max(axis=0, initial=0) >= 0.5) if len(here) else np.zeros(has_name.sum(), bool)
        for place in np.flatnonzero(~has_name):
            if (within[:, place][names_person] >= 0.5).any():
                kinds["doubles"] += 1
            elif not len(here) or (near[:, place].max() < 0.3 and (shared[:, place] / np.prod(here[:, 2:], axis=1)).max() < 0.5):
                kinds["nothing"] += 1
            elif near[:, place].max() >= 0.5:
                kinds["people"] += 1
            else:
                kinds["groups and parts"] += 1
    figures = score.score([(truth, np.hstack([np.array(rows, float).reshape(-1, 6), np.ones((len(rows), 3))]), len(results))])
    return kinds, people, named_found, found, figures


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    video, folder, properties = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3:]
    truth = score.read(folder / "gt/gt.txt")
    for unknown in ("none", "moving"):
        kinds, people, named, found, figures = judge(video, truth, [*properties, f"unknown-objects={unknown}"])
        print(f"{unknown:8} found {found / people:.3f} (with a name {named / people:.3f}); HOTA, IDF1, MOTA "
              + " ".join(f"{figure:.1f}" for figure in figures))
        if kinds:
            print(f"{'':8} {sum(kinds.values())} boxes without a name: " + ", ".join(f"{n} {kind}" for kind, n in kinds.most_common()))


if __name__ == "__main__":
    main()
