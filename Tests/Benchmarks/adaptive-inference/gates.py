#!/usr/bin/env python3
"""Compares `zoom=auto` with `zoom=off` by the conditions under which it would become the default for streams.

Usage: gates.py [--model MODEL] [--rounds N] [--frames N] [--quick] [--set PROPERTY=VALUE]... [FOOTAGE ...]

FOOTAGE is as in budget.py, and must have a ground truth. The conditions, on each footage:

HOTA      at least that of `off` minus 0.3, ignoring labels
false     tracks that are on no true object (IoU 0.5) in more than half of their frames: per minute at most 1.1 times those of `off`
jitter    mean movement per frame of a box on an object that moves less than half a pixel: at most 1.1 times that of `off`
newcomers objects of `off` that are reported within 0.2 s of it: at least 95 %
CPU       time per frame without decoding, at most 1.05 times that of `off`
fps       frames per second of a decoded file, at least 0.95 times those of `off`

CPU and fps are medians of rounds in turns. Prints a table, the conditions that fail, and which default follows.
Requires what budget.py requires.
"""
import argparse
import pathlib
import statistics
import tempfile

import numpy as np
from scipy.optimize import linear_sum_assignment

import budget
import score

FOOTAGE = [name for name in budget.FOOTAGE if name != "empty"]
SETTINGS = ("off", "auto")
STILL = 0.5  # pixels per frame
# Measure -> its limit, given the value with `zoom=off`, and whether the limit is a maximum.
GATES = {"HOTA": (lambda off: off - 0.3, False), "false": (lambda off: 1.1 * off, True), "jitter": (lambda off: 1.1 * off, True),
         "newcomers": (lambda off: 95, False), "CPU": (lambda off: 1.05 * off, True), "fps": (lambda off: 0.95 * off, False)}


def matches(truth, tracks, length):
    """Yields for each frame the pairs of rows of true objects and tracks with an IoU of at least 0.5, and all tracks."""
    for frame in range(1, length + 1):
        here, there = truth[truth[:, 0] == frame], tracks[tracks[:, 0] == frame]
        gain = score.overlap(here[:, 2:6], there[:, 2:6]) if len(here) and len(there) else np.zeros((0, 0))
        rows, columns = linear_sum_assignment(-np.where(gain >= 0.5, gain, 0))
        yield [(here[row], there[column]) for row, column in zip(rows, columns) if gain[row, column] >= 0.5], there


def false_and_jitter(truth, tracks, length):
    """Returns the number of false tracks, and the movements of boxes on still objects in pixels."""
    frames, right, movements, before = {}, {}, [], {}
    for pairs, shown in matches(truth, tracks, length):
        for track in shown:
            frames[track[1]] = frames.get(track[1], 0) + 1
        now = {}
        for real, track in pairs:
            right[track[1]] = right.get(track[1], 0) + 1
            now[real[1], track[1]] = [one[2:4] + one[4:6] / 2 for one in (real, track)]
        for key in now.keys() & before.keys():
            real, track = (np.hypot(*(one - other)) for one, other in zip(now[key], before[key]))
            if real < STILL:
                movements.append(track)
        before = now
    return sum(2 * right.get(track, 0) <= count for track, count in frames.items()), movements


def measure(footage, options):
    """Returns the measures of each setting on the clips of a footage."""
    found = {name: {"HOTA": [], "newcomers": [], "CPU": [], "fps": [], "false": 0, "jitter": [], "minutes": 0} for name in SETTINGS}
    properties = [*([f"model-file={options.model}"] if options.model else []), *options.set]
    for clip in footage:
        reported = None
        for number in range(options.rounds):
            for name, one in found.items():
                results, counters = clip.play([*properties, f"zoom={name}"], frames=options.frames)
                one["CPU"].append(counters["cpu-ms"])
                one["fps"].append(counters["fps"])
                if number > 0:
                    continue
                objects, tracks = clip.expected(0, 0, len(results)), score.shown(results)
                if objects is None:
                    raise SystemExit(f"gates.py: {clip.video} has no ground truth")
                first = score.seen_first(objects, results)
                reported = reported or first
                one["HOTA"].append(score.hota(objects, tracks, len(results))[0])
                one["newcomers"] += [first.get(name, float("inf")) - time < 0.21 for name, time in reported.items()]
                wrong, movements = false_and_jitter(objects, tracks, len(results))
                one["false"] += wrong
                one["jitter"] += movements
                one["minutes"] += (results[-1]["running-time"] - results[0]["running-time"]) / 60e9
    return {name: {"HOTA": statistics.mean(one["HOTA"]), "false": one["false"] / max(one["minutes"], 1e-9),
                   "jitter": statistics.mean(one["jitter"]) if one["jitter"] else None,
                   "newcomers": 100 * statistics.mean(one["newcomers"]) if one["newcomers"] else None,
                   "CPU": statistics.median(one["CPU"]), "fps": statistics.median(one["fps"])} for name, one in found.items()}


def failures(measured):
    """Returns the measures of `zoom=auto` that are beyond their limits."""
    failed = []
    for name, (limit, is_maximum) in GATES.items():
        off, auto = measured["off"][name], measured["auto"][name]
        if off is not None and auto is not None and (auto > limit(off) if is_maximum else auto < limit(off)):
            failed.append(name)
    return failed


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("footage", nargs="*", metavar="FOOTAGE")
    parser.add_argument("--model", help="a value of model-file")
    parser.add_argument("--rounds", type=int, default=3, help="rounds of CPU and fps (%(default)s)")
    parser.add_argument("--frames", type=int, help="maximum number of frames of each video (default: 800, quick: 100)")
    parser.add_argument("--quick", action="store_true", help="100 frames of each video")
    parser.add_argument("--set", action="append", default=[], metavar="PROPERTY=VALUE", help="a property of the element in all runs")
    options = parser.parse_intermixed_args()
    options.frames = options.frames or (100 if options.quick else 800)
    return options


def main():
    options, failed = arguments(), {}
    print("| footage | zoom | " + " | ".join(GATES) + " | fails |\n|---|---|" + "---|" * (len(GATES) + 1))
    with tempfile.TemporaryDirectory() as folder:
        for name in options.footage or FOOTAGE:
            measured = measure(budget.clips(name, options, pathlib.Path(folder)), options)
            failed[name] = failures(measured)
            for setting, one in measured.items():
                cells = ["-" if one[gate] is None else f"{one[gate]:.{2 if gate in ('jitter', 'CPU') else 1}f}" for gate in GATES]
                print(f"| {pathlib.Path(name).stem} | {setting} | " + " | ".join(cells) + " | "
                      + (", ".join(failed[name]) if setting == "auto" else "") + " |", flush=True)
    bad = {gate: [name for name, gates in failed.items() if gate in gates] for gate in GATES}
    for gate, names in bad.items():
        print(f"{gate}: " + (f"fails on {', '.join(names)}" if names else "passes"))
    print("default: zoom=" + ("off" if any(bad.values()) else "auto"))


if __name__ == "__main__":
    main()
