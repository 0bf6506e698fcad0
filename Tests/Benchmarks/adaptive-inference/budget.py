#!/usr/bin/env python3
"""What each way to spend a detector's budget gets for it: HOTA against CPU time, for every frame looked at, every 2nd, 3rd, 5th,
`inference-interval=0`, `zoom=auto`, and both.

Usage: budget.py [--quick] [--model MODEL]... [--trials N] [--frames N] [--set PROPERTY=VALUE]... [FOOTAGE ...]

FOOTAGE is a video, or one of these, which all are played where none is named:
  pets        PETS09-S2L1: eight people who cross, 10 frames a second, a camera that stands still
  one-by-one  people who walk through one after the other; the result of every frame with zoom=grid and YOLOX-nano stands for the truth
  passing     made up (clips.py), 720p: people 250 to 600 pixels high who come and go one by one
  small       the same, 1080p: things 24 to 160 pixels high
  large       the same, 120 to 480 pixels high
  hand-held   the same before a camera in a hand
  pan         the same before a camera that turns
  standing    720p: things that stand, with the camera's noise: nothing goes on
  empty       the same with nothing there: cost alone
A video's truth is gt/gt.txt (MOTChallenge) beside it or in the folder of its name; without one the result of every frame stands for it. MODEL
is what model-file takes, or `default`; without any, the default network and YOLOX-nano.

Each trial begins three frames later than the one before and leaves two more pixels away at each edge, so that what the network
answers trembles; all settings run in turns on the same trials. Nothing is played back: parts are chosen by what has been seen. Printed are means over
clips and trials: frames looked at, and why; the element's CPU time a frame, decoding left out (metered.py), and as a share of every-frame's;
HOTA, and the DetA and AssA that it is made of, whatever things are called; of the objects that every-frame reports, those reported within 0.2 s
of then. `beaten by` names the settings that get no less HOTA for no more CPU: none for those on the upper left envelope. Last comes a table of
all: HOTA at a share of the CPU, those on the envelope in bold.

A whole run takes some 15 minutes on two cores. Needs 3 GB of memory, the packages numpy, scipy, trackeval and pillow, and what Pipelines/setup builds.
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
# What clips.py is asked for.
MADE = {
    "passing": "--clips 1 --frames 400 --seed 7 --heights 250-600 --size 1280x720 --noise 2 --kinds person --passing --things 30",
    "small": "--clips 2 --frames 100", "large": "--clips 2 --frames 100 --seed 2 --heights 120-480",
    "hand-held": "--clips 1 --frames 150 --seed 3 --heights 120-480 --camera hand-held --noise 2",
    "pan": "--clips 1 --frames 150 --seed 4 --heights 120-480 --camera pan --noise 2",
    "standing": "--clips 1 --frames 500 --seed 5 --heights 80-320 --size 1280x720 --pace 0 --noise 3",
    "empty": "--clips 1 --frames 500 --seed 6 --things 0 --size 1280x720 --noise 3"}
FOOTAGE = ("pets", "one-by-one", *MADE)


class Clip:
    """A video, and what is to be seen in it."""

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
        """The truth as such a trial shows it; none where there is none."""
        if self.truth is None:
            return None
        rows = self.truth[(self.truth[:, 0] > first) & (self.truth[:, 0] <= first + length)].copy()
        rows[:, 0] -= first
        rows[:, 2:4] -= margin
        return rows


def clips(name, options, folder):
    """The clips of a footage, made where they are made up."""
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
        # What lies about in the background's photograph has a name, too, and no truth.
        return [read(video, [f"label-allowlist={','.join(KINDS)}"]) for video in sorted((folder / name).glob("*.mp4"))]
    return [read(pathlib.Path(name))]


def read(video, properties=()):
    places = [place / "gt/gt.txt" for place in (video.with_suffix(""), video.parent)]
    truth = next((score.read(place) for place in places if place.exists() and place.stat().st_size), None)
    if truth is not None:
        # Whatever it is called.
        truth[:, 7] = 1
    return Clip(video, properties, truth)


class Figures:
    """Of one setting on one footage: a row for each clip and trial."""

    def __init__(self):
        self.rows, self.why = [], collections.Counter()

    def add(self, results, counters, objects, reported):
        """reported: when every-frame, whose turn comes first, reports each of the objects."""
        scores, soon = [np.nan] * 3, np.nan
        if len(objects):
            scores = score.hota(objects, score.shown(results), len(results))
        if reported:
            first = score.seen_first(objects, results)
            soon = np.mean([first.get(name, float("inf")) - time < 0.21 for name, time in reported.items()])
        self.rows.append((counters["detections"] / len(results), counters["cpu-ms"], *scores, soon))
        for name, count in counters.items():
            if name.startswith(("inferences-", "regions-")) and name != "inferences-interval":
                self.why[name[6:]] += count

    def means(self):
        return np.mean(self.rows, axis=0)


def measure(footage, model, options):
    """The figures of each setting on a footage's clips."""
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
    """For each setting those that cost no more and get no less HOTA, one of the two really. Where nothing is to be seen the cost alone tells."""
    means = {name: np.nan_to_num(one.means()) for name, one in figures.items()}

    def beats(one, other):
        return one[1] <= other[1] and one[2] >= other[2] and (one[1], one[2]) != (other[1], other[2])
    return {name: [rival for rival in means if beats(means[rival], means[name])] for name in means}


def detail(title, figures):
    print(f"\n{title}\n\n| | looks | CPU ms a frame | of every frame | HOTA | DetA | AssA | in 0.2 s | beaten by | looked at because |\n"
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
    parser.add_argument("--quick", action="store_true", help="one trial, 100 frames: within three minutes, and worth as much")
    parser.add_argument("--model", action="append")
    parser.add_argument("--trials", type=int, help="default: 3, quick: 1")
    parser.add_argument("--frames", type=int, help="of each video at most (default: 800, quick: 100)")
    parser.add_argument("--set", action="append", default=[], metavar="PROPERTY=VALUE", help="of the element, in all runs")
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
