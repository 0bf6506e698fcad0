#!/usr/bin/env python3
"""Measures the extrapolation of boxes between inferences: a video with inference on every fifth frame compared with inference on
every frame.

Usage: interval.py [VIDEO [PROPERTY=VALUE ...]]. VIDEO is the demo's street scene by default; the properties are set in
both runs, such as model-file=yolox_nano.onnx. inference-interval=N compares with every N-th frame instead. Requires Pipelines/setup.

Only objects that are tracked in the run with inference on every frame count. In frames without inference they are paired with the
extrapolated boxes by IoU, the highest first. From one inference to the next each object's partner should keep its id.
"""
import os
import pathlib
import sys

from element import box, play

DEMO = pathlib.Path(os.environ.get("XDG_DATA_HOME") or pathlib.Path.home() / ".local/share") / "swiftodt/videos/bikes.mp4"


def overlap(one, other):
    width = min(one[0] + one[2], other[0] + other[2]) - max(one[0], other[0])
    height = min(one[1] + one[3], other[1] + other[3]) - max(one[1], other[1])
    shared = max(0, width) * max(0, height)
    return shared / max(one[2] * one[3] + other[2] * other[3] - shared, 1e-9)


def partners(reference, other, least):
    """Returns pairs of objects with an IoU of at least `least`, each object in at most one pair."""
    things = [thing for thing in reference["objects"] if thing["state"] == "tracked"]
    carried = [thing for thing in other["objects"] if thing["state"] != "lost"]
    offers = sorted(
        ((overlap(box(one, reference), box(two, other)), number, place)
         for number, one in enumerate(things) for place, two in enumerate(carried)), reverse=True)
    pairs, taken = {}, set()
    for share, number, place in offers:
        if share >= least and number not in pairs and place not in taken:
            pairs[number] = (share, carried[place])
            taken.add(place)
    return [(thing, *pairs.get(number, (0, None))) for number, thing in enumerate(things)]


def compare(every, nth):
    overlaps, alone, kept, changed, partner, renamed = [], 0, 0, 0, {}, set()
    for reference, other in zip(every, nth):
        is_answer = other["detection-timestamp"] == other["timestamp"]
        for thing, share, carried in partners(reference, other, 0.5 if is_answer else 0.3):
            if carried is None:
                alone += not is_answer
                continue
            if not is_answer:
                overlaps.append(share)
                continue
            name, before = carried["tracking-id"], partner.get(thing["tracking-id"])
            if before is not None:
                kept, changed = kept + (name == before), changed + (name != before)
                if name != before:
                    renamed.add(thing["tracking-id"])
            partner[thing["tracking-id"]] = name
    return overlaps, alone, kept, changed, partner, renamed


def main():
    words = sys.argv[1:]
    if words and words[0] in ("-h", "--help"):
        sys.exit(__doc__)
    video, properties = (words[0], words[1:]) if words else (DEMO, [])
    interval = next((word.split("=")[1] for word in properties if word.startswith("inference-interval=")), "5")
    properties = [word for word in properties if not word.startswith("inference-interval=")]
    every, _ = play(video, properties)
    nth, counters = play(video, [*properties, f"inference-interval={interval}"])
    overlaps, alone, kept, changed, partner, renamed = compare(every, nth)
    overlaps.sort()
    size = f"{every[0]['width']}x{every[0]['height']}" if every else "nothing"
    print(f"{pathlib.Path(video).name}: {len(every)} frames of {size}, inference on every frame and on every {interval}th")
    if not overlaps:
        sys.exit("interval.py: no object was tracked")
    print(f"extrapolation:  mean overlap {sum(overlaps) / len(overlaps):.3f}, a tenth below"
          f" {overlaps[len(overlaps) // 10]:.3f}; {len(overlaps)} boxes, {alone / (alone + len(overlaps)):.1%} without partner")
    print(f"ids kept:       {kept / max(1, kept + changed):.1%} of {kept + changed} answers,"
          f" {1 - len(renamed) / max(1, len(partner)):.1%} of {len(partner)} objects")
    print(f"time per frame: {counters['times']['track']['p50'] / 1e6:.3f} ms (median), {counters['times']['track']['p95'] / 1e6:.3f} ms (95 %)")


if __name__ == "__main__":
    main()
