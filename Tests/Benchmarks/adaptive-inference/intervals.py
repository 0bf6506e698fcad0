#!/usr/bin/env python3
"""Measures the accuracy with fewer inferences: on every frame, every 2nd, 3rd and 5th frame, and with inference-interval=0.

Usage: intervals.py [--trials N] [--truth SEQUENCE | --before ELEMENTS] [--mirrored] [--recorded FILE] VIDEO [PROPERTY=VALUE ...]. SEQUENCE is a
folder with gt/gt.txt (MOTChallenge); without it the result with inference on every frame is the ground truth. ELEMENTS change the picture before
the element, such as "videoflip video-direction=horiz" or "videocrop bottom=130", for more variation than trials give. --mirrored mirrors the
picture and the ground truth. The properties are set in all runs, such as model-file=yolox_nano.onnx label-allowlist=person. Requires numpy,
scipy and trackeval, and Pipelines/setup.

The network runs once on every frame, and all runs play these detections back. FILE holds detections of another machine, written by
`odt detect VIDEO --detections FILE`. Costs and zoom=auto are measured by budget.py. Each trial begins three frames later than the previous one,
with boxes moved by a percent of their size, because one sequence alone is not representative. Prints means over the trials: frames with
inference, in all and by reason; HOTA, DetA and AssA; and the share of the objects of inference on every frame that are reported within 0.2 s of it.
"""
import argparse
import json
import pathlib
import random
import sys
import tempfile

import numpy as np

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "tracking"))
import score  # noqa: E402
from element import play  # noqa: E402


def trial(lines, number, path):
    """Writes a recording that begins later and has slightly moved boxes."""
    dice, frames = random.Random(number), 0
    with open(path, "w", encoding="utf-8") as file:
        for line in lines:
            entry = json.loads(line)
            if "detections" in entry:
                frames += 1
                if frames <= 3 * number:
                    continue
                if number:
                    for found in entry["detections"]:
                        width, height = found[2:4]
                        found[:4] = [value + size * dice.gauss(0, 0.01)
                                     for value, size in zip(found[:4], (width, height, width, height))]
            file.write(json.dumps(entry, separators=(",", ":")) + "\n")


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1].removeprefix("Usage: "), description=__doc__.split("\n\n")[0])
    parser.add_argument("--trials", type=int, default=5)
    changes = parser.add_mutually_exclusive_group()
    changes.add_argument("--truth", type=pathlib.Path)
    changes.add_argument("--before", default="")
    parser.add_argument("--mirrored", action="store_true")
    parser.add_argument("--recorded", type=pathlib.Path)
    parser.add_argument("video")
    parser.add_argument("properties", nargs="*")
    options = parser.parse_args()
    changed = " ! ".join(filter(None, (options.before, "videoflip video-direction=horiz" if options.mirrored else "")))
    before = f"videoconvert ! {changed} !" if changed else ""
    truth = score.read(options.truth / "gt/gt.txt") if options.truth else None
    with tempfile.TemporaryDirectory() as folder:
        whole = options.recorded or pathlib.Path(folder, "whole.jsonl")
        if options.recorded is None:
            play(options.video, [*options.properties, f"record-detections={whole}"], before)
        lines = whole.read_text(encoding="utf-8").splitlines()
        if truth is not None and options.mirrored:
            truth[:, 2] = json.loads(lines[0])["width"] - truth[:, 2] - truth[:, 4]
        kept = [word for word in options.properties if word.split("=")[0] not in ("model-file", "detector", "device")]
        figures = {}
        for number in range(options.trials):
            recording = f"{folder}/{number}.jsonl"
            trial(lines, number, recording)
            every = None
            for interval in (1, 2, 3, 5, 0):
                results, counters = play(options.video, [*kept, "detector=recorded", f"detections-file={recording}",
                                                         f"inference-interval={interval}"], before)
                if every is None:
                    objects = truth if truth is not None else score.padded(score.shown(results))
                    every, frames = score.seen_first(objects, results), counters["detections"]
                first = score.seen_first(objects, results)
                late = [first.get(name, float("inf")) - time < 0.21 for name, time in every.items()]
                figures.setdefault(interval, []).append((
                    counters["detections"] / frames, *score.hota(objects, score.shown(results), len(results)), np.mean(late) if late else 1,
                    {name: count for name, count in counters["inferences"].items() if count}))
    print(f"{'inference-interval':<20} {'inferred':>9} {'HOTA':>6} {'DetA':>6} {'AssA':>6} {'in 0.2 s':>8}")
    for interval, runs in figures.items():
        looks, *scores, soon = np.mean([run[:5] for run in runs], axis=0)
        why = {} if interval else runs[0][5]
        print(f"{interval or 'auto':<20} {looks:9.1%} " + " ".join(f"{figure:6.2f}" for figure in scores) + f" {soon:8.1%}  "
              + ", ".join(f"{name} {count}" for name, count in why.items()))


if __name__ == "__main__":
    main()
