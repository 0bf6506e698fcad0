#!/usr/bin/env python3
"""Compares the counts at lines in a video with those of its ground truth.

Usage: lines.py VIDEO SEQUENCE [PROPERTY=VALUE ...]. SEQUENCE is a folder with gt/gt.txt (MOTChallenge). There are two vertical
lines, in the middle of the frame and at two thirds of its width. This program counts the crossings of the ground truth with an independent rule:
a person has crossed if the feet are clearly on another side than before. Prints both counts, and the error over all lines and directions.
"""
import collections
import json
import sys

from element import play

LINES = {"middle": [(0.5, 0), (0.5, 1)], "right": [(0.67, 0), (0.67, 1)]}


def truth_of(path):
    """Returns the boxes of each person in the order of time."""
    ways = collections.defaultdict(list)
    with open(path, encoding="ascii") as file:
        for line in file:
            frame, name, left, top, width, height = (float(figure) for figure in line.split(",")[:6])
            ways[int(name)].append((frame, left, top, width, height))
    return [sorted(way) for way in ways.values()]


def crossings(ways, width, height, line):
    """Returns the numbers of crossings in and out, for a line from border to border."""
    (x, y), (to_x, _) = line
    vertical = x == to_x
    count = {"in": 0, "out": 0}
    for way in ways:
        last = None
        for _, left, top, w, h in way:
            foot = (min(max(left + w / 2, 0), width), min(top + h, height))
            # The right side of a line that points down is the left part of the frame, and that of one that points right is the lower part.
            beyond = x * width - foot[0] if vertical else foot[1] - y * height
            if abs(beyond) <= (w + h) / 16:
                continue
            if last is not None and (beyond > 0) != last:
                count["in" if beyond > 0 else "out"] += 1
            last = beyond > 0
    return count


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    video, sequence, properties = sys.argv[1], sys.argv[2], sys.argv[3:]
    zones = json.dumps([{"name": name, "kind": "line", "points": points} for name, points in LINES.items()])
    # One word for the shell and for GStreamer's parser.
    results, _ = play(video, ["label-allowlist=person", *properties, "zones=" + zones.replace(" ", "").replace('"', '\\"').join('""')])
    ours = {zone["name"]: zone for zone in results[-1]["zones"]}
    ways = truth_of(f"{sequence}/gt/gt.txt")
    width, height = results[-1]["width"], results[-1]["height"]
    all_of, wrong = 0, 0
    print(f"{'line':<8} {'':>4} {'truth':>6} {'counted':>8}")
    for name, line in LINES.items():
        true = crossings(ways, width, height, line)
        for way in ("in", "out"):
            print(f"{name:<8} {way:>4} {true[way]:>6} {ours[name][way]:>8}")
            all_of += true[way]
            wrong += abs(true[way] - ours[name][way])
    print(f"error of all {all_of} crossings: {100 * wrong / max(1, all_of):.1f} %")


if __name__ == "__main__":
    main()
