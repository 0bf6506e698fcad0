#!/usr/bin/env python3
"""Counts labels in a video that jump, are detached from their box, overlap, or hide other objects.

Usage: motion.py VIDEO [PROPERTY=VALUE ...], or motion.py --log FILE for a log that was written before, by
GST_DEBUG=swiftodt:7 GST_DEBUG_NO_COLOR=1. Draws up to 100 objects with the given properties and reads the
positions of their labels from the debug log. Requires Pipelines/setup.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
from collections import namedtuple

ROOT = pathlib.Path(__file__).resolve().parents[3]
# A larger distance in pixels between a label and its box is a visible gap. Lines and labels are aligned to even pixels.
GAP = 2
THRESHOLD = 0.4

Rect = namedtuple("Rect", "left top right bottom")
Label = namedtuple("Label", "text place box")
RECT = r"(\d+)x(\d+) at (-?\d+), (-?\d+)"
FRAME = re.compile(r"the frame at .* has \d+ objects")
OBJECT = re.compile(rf"track (\d+): .* (new|tracked|coasting|lost), score [^,]+, {RECT}(, the most prominent)?$")
LABEL = re.compile(rf"label of track (\d+): (.*), {RECT}, its box {RECT}$")
PERCENTAGE = re.compile(r"(\d+)%")


class Frame:
    """The objects of one frame and the labels that are drawn for them, by tracking id."""

    def __init__(self):
        self.states, self.labels, self.prominent = {}, {}, None


def rect(width, height, left, top):
    return Rect(left, top, left + width, top + height)


def overlap(one, other):
    return (max(0, min(one.right, other.right) - max(one.left, other.left))
            * max(0, min(one.bottom, other.bottom) - max(one.top, other.top)))


def area(one):
    return (one.right - one.left) * (one.bottom - one.top)


def gap(one, other):
    return max(one.left - other.right, other.left - one.right, one.top - other.bottom, other.top - one.bottom, 0)


def side(label):
    """Returns the side of the box on which a label is. A label across an edge belongs to that side."""
    place, box = label.place, label.box
    if place.left >= box.right - GAP:
        return "right"
    if place.right <= box.left + GAP:
        return "left"
    return "top" if place.top + place.bottom < box.top + box.bottom else "bottom"


def step(before, now):
    """Returns the movement of a label relative to its box, which may have moved and grown, in heights of the label."""
    across = min(abs((now.place[a] - now.box[b]) - (before.place[a] - before.box[b])) for a in (0, 2) for b in (0, 2))
    down = min(abs((now.place[a] - now.box[b]) - (before.place[a] - before.box[b])) for a in (1, 3) for b in (1, 3))
    return (across ** 2 + down ** 2) ** 0.5 / (now.place.bottom - now.place.top)


def returns(frames):
    """Returns the number of frames in which a label reappears at another side than before."""
    sides, away, count = {}, set(), 0
    for frame in frames:
        back = [name for name in frame.labels if name in away and sides[name] != side(frame.labels[name])]
        count += bool(back)
        sides.update((name, side(label)) for name, label in frame.labels.items())
        away = {name for name in sides if name not in frame.labels}
    return count


def read(lines):
    frames = []
    for line in lines:
        line = line.rstrip()
        if FRAME.search(line):
            frames.append(Frame())
        elif frames and (found := LABEL.search(line)):
            numbers = [int(one) for one in found.groups()[2:]]
            frames[-1].labels[found[1]] = Label(found[2], rect(*numbers[:4]), rect(*numbers[4:]))
        elif frames and (found := OBJECT.search(line)):
            if found[2] != "lost":
                frames[-1].states[found[1]] = found[2]
            if found[7]:
                frames[-1].prominent = found[1]
    return frames


def play(video, properties):
    with tempfile.TemporaryDirectory() as folder:
        log = pathlib.Path(folder, "log")
        environment = {**os.environ, "GST_DEBUG": "swiftodt:7", "GST_DEBUG_NO_COLOR": "1", "GST_DEBUG_FILE": str(log)}
        subprocess.run(
            [ROOT / "Pipelines/with-plugin", "gst-launch-1.0", "-q",
             "filesrc", f"location={video}", *"! decodebin ! videoconvert ! swiftodt multiple-objects=true max-objects=100".split(),
             *properties, "!", "fakesink"], check=True, env=environment)
        with log.open() as lines:
            return read(lines)


def percent(part, whole):
    return f"{part} of {whole}, {100 * part / max(1, whole):.1f} %"


def count(frames):
    pairs = list(zip(frames, frames[1:]))
    both = [[(before.labels[name], now.labels[name]) for name in now.labels if name in before.labels]
            for before, now in pairs]
    labels = [label for frame in frames for label in frame.labels.values()]
    seen = [(frame, name) for frame in frames for name, state in frame.states.items() if state != "coasting"]

    def others(frame, name):
        return [other for number, other in frame.labels.items() if number != name]

    every = [(frame, name, label) for frame in frames for name, label in frame.labels.items()]
    figures = [int(found[1]) for label in labels if (found := PERCENTAGE.search(label.text))]
    print("frames with a label that")
    print("  changes its side    ", percent(sum(any(side(a) != side(b) for a, b in one) for one in both), len(frames)))
    print("  comes back elsewhere", percent(returns(frames), len(frames)))
    print("  jumps by its height ", percent(sum(any(step(a, b) > 1 for a, b in one) for one in both), len(frames)))
    print("labels that")
    print("  stand off their box ", percent(sum(gap(one.place, one.box) > GAP for one in labels), len(labels)))
    print("  overlap another     ", percent(
        sum(any(overlap(label.place, other.place) for other in others(frame, name)) for frame, name, label in every),
        len(labels)))
    print("  hide half an object ", percent(
        sum(any(overlap(label.place, other.box) * 2 > area(other.box) for other in others(frame, name))
            for frame, name, label in every), len(labels)))
    print("  show less than", THRESHOLD, percent(sum(figure < 100 * THRESHOLD for figure in figures), len(figures)))
    print("objects seen, not carried on, that")
    print("  have no label       ", percent(sum(name not in frame.labels for frame, name in seen), len(seen)))
    print("  lose or get it      ", sum(
        (name in before.labels) != (name in now.labels) for before, now in pairs
        for name in before.states.keys() & now.states.keys()
        if "coasting" not in (before.states[name], now.states[name])))
    print("coasting objects      ", percent(
        sum(len(frame.states) for frame in frames) - len(seen), sum(len(frame.states) for frame in frames)))
    print("changes of the most prominent", sum(
        before.prominent != now.prominent and before.prominent in now.states for before, now in pairs))


def main():
    if len(sys.argv) < 2 or sys.argv[1] == "--help":
        sys.exit(__doc__)
    if sys.argv[1] == "--log":
        with open(sys.argv[2]) as lines:
            return count(read(lines))
    return count(play(sys.argv[1], sys.argv[2:]))


if __name__ == "__main__":
    main()
