#!/usr/bin/env python3
"""Counts how often the objects of a video change their labels, and how many have a wrong one.

Usage: labels.py VIDEO [--expected NAME,NAME...] [PROPERTY=VALUE ...]. The properties are set on the element, such as
model-file=yolox_nano.onnx. Requires Pipelines/setup. A change is from one label to another one. Changes from a label to none, and from
none to one, count as losses. With --expected, all other labels are wrong. For clips of clips.py, with gt/gt.txt in the folder NAME beside
NAME.mp4, the labels of the objects at IoU 0.5 or more are expected instead; boxes on no object do not count.
"""
import json
import os
import pathlib
import sys

from element import box, play
from score import read


def truth_of(video):
    """Returns the expected (label, box) pairs of each frame of a made-up clip; `None` for other videos."""
    file = video.with_suffix("") / "gt" / "gt.txt"
    if not file.exists():
        return None
    import clips
    shared = pathlib.Path(os.environ.get("SWIFTODT_SHARED") or clips.SHARED)
    names = [kind["name"] for kind in json.loads((shared / "data/photos/coco-val-128/instances.json").read_text())["categories"]]
    frames = {}
    for row in read(file):
        frames.setdefault(int(row[0]), []).append((names[int(row[7])], row[2:6]))
    return frames


def overlap(one, other):
    width, height = (min(one[side] + one[2 + side], other[side] + other[2 + side]) - max(one[side], other[side]) for side in (0, 1))
    shared = max(0, width) * max(0, height)
    return shared / (one[2] * one[3] + other[2] * other[3] - shared)


def expected_at(frames, number, thing, result):
    """Returns the labels that are right for an object of a made-up clip; `None` if there is no object at its place."""
    place = box(thing, result)
    return {name for name, where in frames.get(number, []) if overlap(place, where) >= 0.5} or None


def main():
    if len(sys.argv) < 2 or sys.argv[1] in ("-h", "--help"):
        sys.exit(__doc__)
    video, words = pathlib.Path(sys.argv[1]), sys.argv[2:]
    expected = None
    if words[:1] == ["--expected"]:
        expected, words = set(words[1].split(",")), words[2:]
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "adaptive-inference"))
    frames = truth_of(video)
    names, changed, losses, gains, boxes, nameless, wrong, wrong_boxes = {}, {}, 0, 0, 0, 0, {}, 0
    for number, result in enumerate(play(str(video), words)[0], 1):
        for thing in result["objects"]:
            if thing["state"] == "lost":
                continue
            one, name = thing["tracking-id"], thing["label"]
            boxes += 1
            nameless += not name
            right = expected_at(frames, number, thing, result) if frames else expected
            if name and right is not None and name not in right:
                wrong_boxes += 1
                wrong.setdefault(one, {}).setdefault(name, []).append(number)
            before = names.setdefault(one, name)
            if before and name and before != name:
                changed[one] = changed.get(one, 0) + 1
            losses += bool(before and not name)
            gains += bool(name and not before)
            names[one] = name
    print(f"{video.name}: {len(names)} objects, {sum(changed.values())} changes of name in {len(changed)} of them,"
          f" {losses + gains} between a name and none; {nameless} of {boxes} boxes without one")
    if frames or expected:
        print(f"wrong names: {len(wrong)} objects, {100 * len(wrong) / max(1, len(names)):.1f} per 100; {wrong_boxes} boxes, "
              f"{100 * wrong_boxes / max(1, boxes):.2f} per 100")
        for one, labels in sorted(wrong.items()):
            print(f"  {one}: " + ", ".join(f"{name} in {len(at)} frames from {at[0]}" for name, at in labels.items()))


if __name__ == "__main__":
    main()
