#!/usr/bin/env python3
"""Measures HOTA against CPU time for inference on every frame, on every 2nd, 3rd and 5th frame, for `inference-interval=0`, for
`zoom=auto`, and for both.

Usage: budget.py [--quick] [--model MODEL]... [--trials N] [--frames N] [--set PROPERTY=VALUE]... [FOOTAGE ...]

FOOTAGE is a video, or one of these (default: all of them):
  pets        PETS09-S2L1: eight people who cross, 10 frames per second, static camera
  one-by-one  people who pass one after the other; the ground truth is the result of YOLOX-nano with zoom=grid on every frame
passing     synthetic (clips.py), 720p: people 250 to 600 pixels high who appear one by one
small       synthetic, 1080p: objects 24 to 160 pixels high
large       synthetic, 1080p: objects 120 to 480 pixels high
hand-held   the same with a hand-held camera
pan         the same with a panning camera
standing    720p: static objects with camera noise
empty       the same without objects, for the cost alone
The ground truth of a video is gt/gt.txt (MOTChallenge) beside it or in the folder of its name; without one it is the result of inference
on every frame. MODEL is a value of model-file, or `default`. Without MODEL the default network and YOLOX-nano run.

Each trial begins three frames later than the previous one and crops two more pixels at each edge, which varies the detections. All
settings run in turns on the same trials. Recorded detections cannot be used, because the regions depend on earlier detections. Prints means
over clips and trials: frames with inference, by reason; the element's CPU time per frame without decoding (metered.py), also relative to
every-frame; HOTA, DetA and AssA, ignoring labels; and the share of the objects of every-frame that are reported within 0.2 s of it.
`beaten by` lists the settings with at least the same HOTA for at most the same CPU time; it is empty on the upper left envelope. The last
table shows HOTA and the share of the CPU time of all settings, with those on the envelope in bold.

A full run takes about 15 minutes on two cores. Requires 3 GB of memory, numpy, scipy, trackeval and pillow, and Pipelines/setup.
"""
import argparse
import collections
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "tracking"))
import score  # noqa: E402
from clips import KINDS  # noqa: E402
from element import ROOT, play  # noqa: E402

SHARED = pathlib.Path(os.environ.get("SWIFTODT_SHARED") or ROOT.parent / "shared")
NANO = SHARED / "models/yolox_nano.onnx"
DEFAULT = "default"
SETTINGS = {
    "every frame": [], "every 2nd": ["inference-interval=2"], "every 3rd": ["inference-interval=3"],
    "every 5th": ["inference-interval=5"], "auto": ["inference-interval=0"], "zoom": ["zoom=auto"],
    "auto, zoom": ["inference-interval=0", "zoom=auto"]}
PERSON = ["label-allowlist=person"]
# Options of clips.py.
MADE = {
    "passing": "--clips 1 --frames 400 --seed 7 --heights 250-600 --size 1280x720 --noise 2 --kinds person --passing --things 30",
    "small": "--clips 2 --frames 100", "large": "--clips 2 --frames 100 --seed 2 --heights 120-480",
    "hand-held": "--clips 1 --frames 150 --seed 3 --heights 120-480 --camera hand-held --noise 2",
    "pan": "--clips 1 --frames 150 --seed 4 --heights 120-480 --camera pan --noise 2",
    "standing": "--clips 1 --frames 500 --seed 5 --heights 80-320 --size 1280x720 --pace 0 --noise 3",
    "empty": "--clips 1 --frames 500 --seed 6 --things 0 --size 1280x720 --noise 3"}
FOOTAGE = ("pets", "one-by-one", *MADE)


class Clip:
    """A video and its ground truth."""

    def __init__(self, video, properties, truth=None):
        self.video, self.properties, self.truth = video, properties, truth

    def play(self, properties, first=0, margin=0, frames=1_000_000):
        crop = f"videocrop left={margin} right={margin} top={margin} bottom={margin} !" if margin else ""
        held = "queue name=decoded max-size-buffers=0 max-size-bytes=0 max-size-time=0 !"
        results, counters = play(self.video, [*self.properties, *properties], f"{crop} {held}",
                                 ("Tests/Benchmarks/adaptive-inference/metered.py", first, frames))
        if len(results) != counters["frames"]:
            sys.exit(f"budget.py: {len(results)} results of {counters['frames']} frames")
        return results, counters

    def expected(self, first, margin, length):
        """Returns the ground truth in the frames and the crop of a trial, or None."""
        if self.truth is None:
            return None
        rows = self.truth[(self.truth[:, 0] > first) & (self.truth[:, 0] <= first + length)].copy()
        rows[:, 0] -= first
        rows[:, 2:4] -= margin
        return rows


def clips(name, options, folder):
    """Returns the clips of a footage, and generates synthetic ones."""
    if name == "pets":
        sequence = SHARED / "data/tracking/MOT15/PETS09-S2L1"
        return [Clip(sequence / "vtest.avi", PERSON, score.read(sequence / "gt/gt.txt"))]
    if name == "one-by-one":
        clip = Clip(SHARED / "videos/one-by-one-person-detection.mp4", PERSON)
        results, _ = clip.play([f"model-file={NANO}", "zoom=grid"], frames=options.frames)
        clip.truth = score.padded(score.shown(results))
        return [clip]
    if name in MADE:
        subprocess.run([sys.executable, HERE / "clips.py", folder / name, *MADE[name].split(),
                        *(["--frames", str(options.frames)] if options.quick else [])], check=True)
        # Objects in the background photographs have no ground truth, so other labels are excluded.
        return [read(video, [f"label-allowlist={','.join(KINDS)}"]) for video in sorted((folder / name).glob("*.mp4"))]
    return [read(pathlib.Path(name))]


def read(video, properties=()):
    places = [place / "gt/gt.txt" for place in (video.with_suffix(""), video.parent)]
    truth = next((score.read(place) for place in places if place.exists() and place.stat().st_size), None)
    if truth is not None:
        # All objects get the same class, so that labels are ignored.
        truth[:, 7] = 1
    return Clip(video, properties, truth)


class Figures:
    """The measurements of one setting on one footage: a row for each clip and trial."""

    def __init__(self):
        self.rows, self.why = [], collections.Counter()

    def add(self, results, counters, objects, reported):
        """reported: the frame in which every-frame, which runs first, reports each object."""
        scores, soon = [np.nan] * 3, np.nan
        if len(objects):
            scores = score.hota(objects, score.shown(results), len(results))
        if reported:
            first = score.seen_first(objects, results)
            soon = np.mean([first.get(name, float("inf")) - time < 0.21 for name, time in reported.items()])
        self.rows.append((counters["detections"] / len(results), counters["cpu-ms"], *scores, soon))
        self.why.update({name: count for name, count in counters["inferences"].items() if name != "interval"})
        self.why.update(counters["regions"])

    def means(self):
        return np.mean(self.rows, axis=0)


def measure(footage, model, options):
    """Measures each setting on the clips of a footage."""
    figures = {name: Figures() for name in SETTINGS}
    network = [] if model == DEFAULT else [f"model-file={model}"]
    for number in range(options.trials):
        for clip in footage:
            first, margin, reported, objects = 3 * number, 2 * number, None, None
            for name, properties in SETTINGS.items():
                results, counters = clip.play([*network, *options.set, *properties], first, margin, options.frames)
                if objects is None:
                    objects = clip.expected(first, margin, len(results))
                    if objects is None:
                        objects = score.padded(score.shown(results))
                    reported = score.seen_first(objects, results)
                figures[name].add(results, counters, objects, reported)
    return figures


def beaten(figures):
    """Returns for each setting those that cost no more and have no lower HOTA, with a difference in one of them. Without objects only the cost counts."""
    means = {name: np.nan_to_num(one.means()) for name, one in figures.items()}

    def beats(one, other):
        return one[1] <= other[1] and one[2] >= other[2] and (one[1], one[2]) != (other[1], other[2])
    return {name: [rival for rival in means if beats(means[rival], means[name])] for name in means}


def detail(title, figures):
    print(f"\n{title}\n\n| | inferences | CPU ms per frame | relative to every frame | HOTA | DetA | AssA | in 0.2 s | beaten by | reasons |\n"
          "|---|---|---|---|---|---|---|---|---|---|")
    rivals, whole = beaten(figures), figures["every frame"].means()[1]
    for name, one in figures.items():
        looks, cost, *scores, soon = one.means()
        why = ", ".join(f"{reason} {count}" for reason, count in one.why.most_common() if count)
        told = [f"{looks:.1%}", f"{cost:.2f}", f"{cost / whole:.1%}", *("" if np.isnan(one) else f"{one:.1f}" for one in scores),
                "" if np.isnan(soon) else f"{soon:.0%}", ", ".join(rivals[name]), why]
        print(f"| {name} | " + " | ".join(told) + " |", flush=True)


def overview(measured):
    print("\n| footage | network | " + " | ".join(SETTINGS) + " |\n" + "|---" * (2 + len(SETTINGS)) + "|")
    for (name, model), figures in measured.items():
        rivals, whole, cells = beaten(figures), figures["every frame"].means()[1], []
        for setting, one in figures.items():
            means = one.means()
            cost = f"{means[1] / whole:.0%}"
            text = cost if np.isnan(means[2]) else f"{means[2]:.1f} at {cost}"
            cells.append(text if rivals[setting] else f"**{text}**")
        print(f"| {name} | {pathlib.Path(model).stem} | " + " | ".join(cells) + " |")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("footage", nargs="*", metavar="FOOTAGE")
    parser.add_argument("--quick", action="store_true", help="one trial with 100 frames: less than three minutes, but imprecise")
    parser.add_argument("--model", action="append")
    parser.add_argument("--trials", type=int, help="default: 3, quick: 1")
    parser.add_argument("--frames", type=int, help="maximum number of frames of each video (default: 800, quick: 100)")
    parser.add_argument("--set", action="append", default=[], metavar="PROPERTY=VALUE", help="a property of the element in all runs")
    options = parser.parse_intermixed_args()
    options.trials = options.trials or (1 if options.quick else 3)
    options.frames = options.frames or (100 if options.quick else 800)
    for name in options.footage:
        if name not in FOOTAGE and not pathlib.Path(name).is_file():
            parser.error(f"{name} is neither a video nor one of {', '.join(FOOTAGE)}")
    return options


def main():
    options = arguments()
    measured = {}
    with tempfile.TemporaryDirectory() as folder:
        for name in options.footage or FOOTAGE:
            footage = clips(name, options, pathlib.Path(folder))
            for model in options.model or [DEFAULT, NANO]:
                measured[name, model] = measure(footage, model, options)
                detail(f"{name}, {pathlib.Path(model).stem}", measured[name, model])
    overview(measured)


if __name__ == "__main__":
    main()
