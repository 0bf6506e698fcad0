#!/usr/bin/env python3
"""Compares `odt track` with the trackers of the Python package trackers on the same detections.

Usage: compare.py ODT DATA [SET ...] [--rounds N] [--every N ...] [--ours]. DATA holds sets of sequences:
SET/SEQUENCE/{det/det*.txt,gt/gt.txt,seqinfo.ini}. Detections of several detectors make separate sets. All trackers run with their
default settings and the true frame rate, on all frames and on every third and sixth one. Each sequence is run in N rounds (1), in
which the trackers take turns; the time is that of the median frame in the median round. --ours omits the other trackers, except for
the results in this file.
"""
import argparse
import configparser
import pathlib
import statistics
import subprocess
import tempfile
import time
import warnings
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import supervision
from trackers import BoTSORTTracker, ByteTrackTracker, CBIoUTracker, OCSORTTracker, SORTTracker

import score

warnings.filterwarnings("ignore")
REFERENCES = {"SORT": SORTTracker, "ByteTrack": ByteTrackTracker, "OC-SORT": OCSORTTracker, "C-BIoU": CBIoUTracker,
              "BoT-SORT": lambda **settings: BoTSORTTracker(enable_cmc=False, **settings)}
OURS = "odt track"
# A sequence that is much harder than the rest of its set and is listed separately.
APART = ("MOT17-02",)
# Sets whose detections are generated from the ground truth. Their results depend on the generator and are no measure of results on
# these data sets: never print them beside published ones.
MADE_UP = ("DanceTrack", "SportsMOT", "synthetic")
# Results of the trackers' original programs on the same detections, by originals.py: HOTA, IDF1, MOTA over all frames.
ORIGINALS = {
    "MOT17-val-half": {"SORT": (69.01, 78.22, 81.73), "ByteTrack": (73.14, 86.15, 84.28), "OC-SORT": (72.02, 84.28, 81.07),
                       "Hybrid-SORT": (72.52, 85.26, 83.28), "BoostTrack": (72.52, 85.52, 81.8), "BoT-SORT": (73.01, 85.5, 84.13),
                       "BoT-SORT, camera motion": (74.03, 87.75, 85.39), "FastTracker": (72.04, 84.8, 82.53),
                       "TrackTrack": (71.58, 84.2, 83.86), "TrackTrack, camera motion": (72.25, 85.43, 83.84)},
    "MOT17-02": {"SORT": (35.23, 39.32, 51.21), "ByteTrack": (48.16, 59.62, 55.73), "OC-SORT": (43.35, 54.4, 51.97),
                 "Hybrid-SORT": (43.91, 52.91, 49.31), "BoostTrack": (44.7, 55.81, 52.67), "BoT-SORT": (47.11, 56.74, 55.33),
                 "BoT-SORT, camera motion": (47.37, 56.5, 55.19), "FastTracker": (47.2, 57.23, 57.35),
                 "TrackTrack": (40.94, 48.8, 46.03), "TrackTrack, camera motion": (39.18, 48.14, 47.74)},
    "MOT17-weak FRCNN": {"ByteTrack": (49.42, 57.48, 52.31), "OC-SORT": (48.91, 57.03, 50.86), "Hybrid-SORT": (49.38, 57.63, 51.32),
                         "BoT-SORT": (49.84, 57.71, 52.34), "FastTracker": (49.01, 56.74, 51.23),
                         "TrackTrack": (50.04, 58.23, 52.19)},
    "MOT17-weak SDP": {"ByteTrack": (58.13, 69.18, 68.24), "OC-SORT": (54.72, 66.15, 64.42), "Hybrid-SORT": (56.03, 68.28, 65.76),
                       "BoT-SORT": (58.25, 69.68, 68.17), "FastTracker": (58.56, 69.11, 68.48),
                       "TrackTrack": (56.32, 69.27, 67.88)},
    "MOT17-weak yolov10": {"ByteTrack": (34.0, 38.95, 27.04), "OC-SORT": (30.32, 33.97, 22.89), "Hybrid-SORT": (37.7, 45.9, 34.1),
                           "BoT-SORT": (34.49, 39.6, 27.41), "FastTracker": (34.33, 38.78, 25.89),
                           "TrackTrack": (34.87, 38.64, 28.63)},
    "MOT15": {"SORT": (36.25, 43.05, 62.43), "ByteTrack": (41.4, 53.26, 63.45), "OC-SORT": (39.25, 52.31, 58.43),
              "Hybrid-SORT": (37.62, 49.47, 59.64), "BoostTrack": (40.61, 52.51, 61.22), "BoT-SORT": (42.3, 54.75, 63.62),
              "BoT-SORT, camera motion": (42.3, 54.77, 63.55), "FastTracker": (38.88, 46.69, 57.42),
              "TrackTrack": (40.14, 54.64, 60.73)},
    "KITTI-car": {"SORT": (61.07, 74.33, 68.52), "ByteTrack": (67.69, 83.31, 74.03), "OC-SORT": (66.12, 79.36, 68.15),
                  "Hybrid-SORT": (69.17, 82.72, 73.35), "BoostTrack": (65.58, 81.06, 70.45), "BoT-SORT": (70.2, 83.67, 76.49),
                  "FastTracker": (64.31, 78.93, 66.48), "TrackTrack": (70.78, 84.82, 75.54)},
    "DanceTrack": {"ByteTrack": (41.57, 47.41, 82.89), "OC-SORT": (44.77, 47.27, 72.47), "Hybrid-SORT": (54.98, 58.93, 81.97),
                   "BoostTrack": (45.11, 47.38, 75.28), "BoT-SORT": (52.78, 53.73, 86.34),
                   "BoT-SORT, camera motion": (54.33, 56.13, 86.5), "FastTracker": (38.93, 42.23, 83.18),
                   "TrackTrack": (58.23, 61.85, 91.26), "TrackTrack, camera motion": (57.69, 61.57, 91.22)},
    "SportsMOT": {"ByteTrack": (61.34, 69.86, 95.05), "OC-SORT": (63.33, 64.53, 87.76), "Hybrid-SORT": (71.2, 72.59, 92.92),
                  "BoT-SORT": (68.12, 69.19, 95.93), "FastTracker": (56.04, 61.52, 92.82), "TrackTrack": (72.16, 71.99, 96.8)},
}


class Sequence:
    """A sequence with the detections of one detector, or every N-th of its frames."""

    def __init__(self, folder, detections="det.txt", every=1):
        about = configparser.ConfigParser(inline_comment_prefixes=(";", "#"))
        about.read(folder / "seqinfo.ini")
        about = about["Sequence"]
        self.length = (int(about["seqLength"]) - 1) // every + 1
        self.rate = float(about["frameRate"]) / every
        self.size = f"{about['imWidth']}x{about['imHeight']}"
        self.detections = thinned(score.read(folder / "det" / detections), every)
        self.truth = thinned(score.read(folder / "gt" / "gt.txt"), every)


def thinned(rows, every):
    """Returns the rows of every N-th frame, with frames renumbered from 1."""
    kept = rows[(rows[:, 0] - 1) % every == 0].copy()
    kept[:, 0] = (kept[:, 0] - 1) // every + 1
    return kept


def run_reference(kind, sequence):
    """Returns rows of frame, id, x, y, w, h, and the tracker's microseconds for the median frame."""
    tracker = kind(frame_rate=sequence.rate)
    rows, microseconds = [], []
    for frame in range(1, sequence.length + 1):
        here = sequence.detections[sequence.detections[:, 0] == frame]
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
    """Does the same with odt track, which prints the tracker's time. It runs five times, because one run takes only milliseconds."""
    with tempfile.TemporaryDirectory() as folder:
        found, tracks = pathlib.Path(folder, "det.txt"), pathlib.Path(folder, "tracks.txt")
        np.savetxt(found, sequence.detections[:, :7], fmt="%.10g", delimiter=",")
        command = [odt, "track", "--detections", found, "-o", tracks, "--frame-rate", str(sequence.rate),
                   "--image-size", sequence.size, "--timing", "--force"]
        said = [subprocess.run(command, check=True, stderr=subprocess.PIPE, text=True).stderr for _ in range(5)]
        spent = [float(line.split()[0]) for run in said for line in run.splitlines() if "microseconds per frame" in line]
        return score.read(tracks), statistics.median(spent)


def measured(odt, folder, detections, every, rounds, trackers):
    """Returns for each tracker the metrics and microseconds times frames on a sequence, and the number of frames."""
    sequence = Sequence(folder, detections, every)
    found, microseconds = {}, {tracker: [] for tracker in trackers}
    for _ in range(rounds):
        for tracker in trackers:
            found[tracker], took = (
                run_ours(odt, sequence) if tracker == OURS else run_reference(REFERENCES[tracker], sequence))
            microseconds[tracker].append(took)
    return {tracker: (score.evaluated(sequence.truth, score.padded(found[tracker]), sequence.length),
                      statistics.median(microseconds[tracker]) * sequence.length)
            for tracker in trackers}, sequence.length


def find_sets(data, wanted):
    """Returns the sequences by set, as (folder, file of detections)."""
    sets = {}
    for file in sorted(data.glob("*/*/det/det*.txt")):
        folder = file.parents[1]
        name = folder.name if folder.name in APART else " ".join([folder.parent.name, *file.stem.split("_")[1:]])
        if not wanted or name in wanted or folder.parent.name in wanted:
            sets.setdefault(name, []).append((folder, file.name))
    return sets


def marked(name):
    return f"{name} (made up)" if name in MADE_UP else name


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("odt")
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("sets", nargs="*", metavar="SET")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--every", type=int, nargs="+", default=[1, 3, 6])
    parser.add_argument("--ours", action="store_true")
    request = parser.parse_args()
    sets = find_sets(request.data, request.sets)
    if not sets:
        parser.error(f"no such SET/SEQUENCE/det/det*.txt under {request.data}")
    trackers = [OURS] if request.ours else [OURS, *REFERENCES]
    ours, overall = {}, {}
    print(f"{'set':<20} {'every':>5} {'tracker':<26} {'HOTA':>6} {'IDF1':>6} {'MOTA':>6} {'us/frame':>9} {'times us':>8}")
    with ProcessPoolExecutor(2) as pool:
        for every in request.every:
            for name, sequences in sets.items():
                results = list(pool.map(measured, *zip(*[
                    (request.odt, folder, file, every, request.rounds, trackers) for folder, file in sequences])))
                frames = sum(length for _, length in results)
                spent = {tracker: sum(result[tracker][1] for result, _ in results) / frames for tracker in trackers}
                for tracker in trackers:
                    figures = score.combined([result[tracker][0] for result, _ in results])
                    overall.setdefault((every, tracker, name in MADE_UP), []).append(figures)
                    if tracker == OURS:
                        ours.setdefault(name, []).append(figures[0])
                    print(f"{marked(name):<20} {every:>5} {tracker:<26} " + " ".join(f"{figure:6.2f}" for figure in figures)
                          + f" {spent[tracker]:9.1f} {spent[tracker] / spent[OURS]:8.0f}", flush=True)
                for tracker, figures in ORIGINALS.get(name, {}).items() if every == 1 else ():
                    print(f"{marked(name):<20} {every:>5} {tracker + ' (original)':<26} "
                          + " ".join(f"{figure:6.2f}" for figure in figures))
    for (every, tracker, made_up), figures in overall.items():
        kind = "mean of made-up sets" if made_up else "mean of other sets"
        print(f"{kind:<20} {every:>5} {tracker:<26} " + " ".join(f"{mean:6.2f}" for mean in np.mean(figures, axis=0)))
    print(f"\nHOTA of {OURS} by frame rate\n{'set':<20} " + " ".join(f"{'every ' + str(every):>8}" for every in request.every))
    for name, figures in ours.items():
        print(f"{marked(name):<20} " + " ".join(f"{figure:8.2f}" for figure in figures)
              + ("  fewer frames do better" if max(figures[1:], default=0) > figures[0] else ""))
    if any(name in MADE_UP for name in sets):
        print("\n(made up): detections generated from the ground truth; not comparable with published results")


if __name__ == "__main__":
    main()
