"""Runs `odt track` and the reference trackers of the package trackers on the same detections and prints how they score.

Usage: compare.py ODT DATA [ROUNDS]. DATA holds sets of sequences: SET/SEQUENCE/{det/det.txt,gt/gt.txt,seqinfo.ini}.
All trackers run with their default settings, the same on all sets. Each sequence is run in ROUNDS (3), in which the trackers
take turns; the time is the median frame's of the median round.
"""
import configparser
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time
import warnings

import numpy as np
import supervision
from trackers import ByteTrackTracker, OCSORTTracker, SORTTracker

import score

warnings.filterwarnings("ignore")
REFERENCES = {"SORT": SORTTracker, "ByteTrack": ByteTrackTracker, "OC-SORT": OCSORTTracker}
OURS = "odt track"


class Sequence:
    def __init__(self, folder):
        about = configparser.ConfigParser(inline_comment_prefixes=(";", "#"))
        about.read(folder / "seqinfo.ini")
        about = about["Sequence"]
        self.length, self.rate = int(about["seqLength"]), float(about["frameRate"])
        self.size = f"{about['imWidth']}x{about['imHeight']}"
        self.detections = folder / "det" / "det.txt"
        self.truth = score.read(folder / "gt" / "gt.txt")


def run_reference(kind, sequence):
    """Rows of frame, id, x, y, w, h, and the microseconds that the median frame was in the tracker."""
    tracker = kind(frame_rate=sequence.rate)
    found = score.read(sequence.detections)
    rows, microseconds = [], []
    for frame in range(1, sequence.length + 1):
        here = found[found[:, 0] == frame]
        corners = np.hstack([here[:, 2:4], here[:, 2:4] + here[:, 4:6]]).astype(np.float32)
        detections = supervision.Detections(
            xyxy=corners, confidence=here[:, 6].astype(np.float32), class_id=np.zeros(len(here), int))
        begun = time.perf_counter()
        tracked = tracker.update(detections)
        microseconds.append(1e6 * (time.perf_counter() - begun))
        if tracked.tracker_id is None:
            continue
        for (left, top, right, bottom), name in zip(tracked.xyxy, tracked.tracker_id):
            if name >= 0:
                rows.append((frame, name, left, top, right - left, bottom - top))
    return np.array(rows, float).reshape(-1, 6), statistics.median(microseconds)


def run_ours(odt, sequence):
    """The same of the tool, which says itself how long it was in the tracker. It is over in milliseconds, and so run five times."""
    with tempfile.NamedTemporaryFile(suffix=".txt") as output:
        command = [odt, "track", "--detections", sequence.detections, "--output", output.name, "--frame-rate",
                   str(sequence.rate), "--image-size", sequence.size, "--timing"]
        said = [subprocess.run(command, check=True, stderr=subprocess.PIPE, text=True).stderr for _ in range(5)]
        return score.read(output.name), statistics.median(float(line.split()[0]) for line in said)


def padded(rows):
    return np.hstack([rows[:, :6], np.ones((len(rows), 3))])


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    odt, data = sys.argv[1], pathlib.Path(sys.argv[2])
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 3
    sets = {}
    for folder in sorted(data.glob("*/*/det/det.txt")):
        sets.setdefault(folder.parents[2].name, []).append(Sequence(folder.parents[1]))
    if not sets:
        sys.exit(f"compare.py: no SET/SEQUENCE/det/det.txt under {data}")
    print(f"{'set':<16} {'tracker':<10} {'HOTA':>6} {'IDF1':>6} {'MOTA':>6} {'us/frame':>9} {'times us':>8}")
    overall = {}
    for name, sequences in sets.items():
        frames = sum(sequence.length for sequence in sequences)
        scored = {tracker: [] for tracker in [OURS, *REFERENCES]}
        spent = dict.fromkeys(scored, 0.0)
        for sequence in sequences:
            found, microseconds = {}, {tracker: [] for tracker in scored}
            for _ in range(rounds):
                for tracker in scored:
                    found[tracker], took = (
                        run_ours(odt, sequence) if tracker == OURS else run_reference(REFERENCES[tracker], sequence))
                    microseconds[tracker].append(took)
            for tracker in scored:
                scored[tracker].append((sequence.truth, padded(found[tracker]), sequence.length))
                spent[tracker] += statistics.median(microseconds[tracker]) * sequence.length / frames
        for tracker in scored:
            figures = score.score(scored[tracker])
            overall.setdefault(tracker, []).append(figures)
            print(f"{name:<16} {tracker:<10} " + " ".join(f"{figure:6.2f}" for figure in figures)
                  + f" {spent[tracker]:9.1f} {spent[tracker] / spent[OURS]:8.0f}", flush=True)
    for tracker, figures in overall.items():
        means = np.mean(figures, axis=0)
        print(f"{'mean of sets':<16} {tracker:<10} " + " ".join(f"{mean:6.2f}" for mean in means))


if __name__ == "__main__":
    main()
