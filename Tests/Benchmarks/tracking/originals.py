#!/usr/bin/env python3
"""Runs the original program of a tracker on the detections that compare.py uses, and scores its tracks.

Usage: originals.py TRACKER CHECKOUT DATA [SET ...] [--camera-motion FOLDER] [--output FOLDER]. CHECKOUT is a clone of the tracker's
repository, DATA as for compare.py. Prints HOTA, IDF1 and MOTA of each set. --output keeps the tracks: FOLDER/TRACKER/SET/SEQUENCE.txt.

Each tracker has the settings of its authors for MOT17 (DanceTrack and SportsMOT: those for DanceTrack, if they differ), and the true
frame rate if the program accepts one. Appearance, and interpolation after the run, are off. --camera-motion applies to BoT-SORT and
TrackTrack. FOLDER has their files GMC-SEQUENCE.txt with the motion between pictures; BoT-SORT measures it in sequences with a video;
other sequences have none. Requires lap, cython_bbox and filterpy besides the packages of compare.py, but not PyTorch.
"""
import argparse
import contextlib
import json
import pathlib
import sys
from types import ModuleType, SimpleNamespace
from unittest.mock import MagicMock

import cv2
import numpy as np

import score
from compare import Sequence, find_sets, marked

DANCE = ("DanceTrack", "SportsMOT")
# Boxes are not scaled: picture and network input have the same size.
SIZES = (1, 1), (1, 1)


def from_corners(rows):
    """Returns id, left, top, width and height for rows of left, top, right, bottom and id."""
    rows = np.asarray(rows, float)
    return np.column_stack([rows[:, 4], rows[:, :2], rows[:, 2:4] - rows[:, :2]])


def from_tracks(tracks):
    return [(track.track_id, *track.tlwh) for track in tracks]


# Each of these returns a function of a frame's detections (left, top, right, bottom, score) and picture, and the area in pixels up to
# which tracks are left out.
def sort(sequence, **_):
    from sort import Sort
    tracker = Sort()
    return lambda found, _: from_corners(tracker.update(found[found[:, 4] > 0.5])), 0  # 0.5: from the paper


def bytetrack(sequence, **_):
    from yolox.tracker.byte_tracker import BYTETracker
    tracker = BYTETracker(SimpleNamespace(track_thresh=0.6, track_buffer=30, match_thresh=0.9, mot20=False), sequence.rate)
    return lambda found, _: from_tracks(tracker.update(found, *SIZES)), 100


def fasttracker(sequence, checkout, **_):
    from yolox.tracker.fasttracker import Fasttracker
    settings = json.loads((checkout / "configs/004_default.json").read_text())
    tracker = Fasttracker(SimpleNamespace(mot20=False), settings, sequence.rate)
    return lambda found, _: from_tracks(tracker.update(found, *SIZES)), settings["min_box_area"]


def ocsort(sequence, **_):
    from trackers.ocsort_tracker.ocsort import OCSort
    tracker = OCSort(det_thresh=0.6, iou_threshold=0.3, asso_func="iou", delta_t=3, inertia=0.2, use_byte=False)
    return lambda found, _: from_corners(tracker.update(found, *SIZES)), 100


def hybridsort(sequence, dance, **_):
    from trackers.hybrid_sort_tracker.hybrid_sort import Hybrid_Sort, KalmanBoxTracker
    predict = KalmanBoxTracker.predict
    if predict.__name__ == "predict":  # NumPy from 1.24 on rejects the scores, which are arrays of one value, among scalars.
        KalmanBoxTracker.predict = lambda box: [value if np.size(value) > 1 else np.ravel(value)[0] for value in predict(box)]
    settings = SimpleNamespace(track_thresh=0.6, TCM_first_step=True, TCM_byte_step=True, TCM_first_step_weight=1.0,
                               TCM_byte_step_weight=1.0)
    tracker = Hybrid_Sort(settings, det_thresh=0.6, iou_threshold=0.15 if dance else 0.25, delta_t=3,
                          asso_func="Height_Modulated_IoU", inertia=0.05, use_byte=True)
    return lambda found, _: from_corners(tracker.update(found, *SIZES)), 100


def boosttrack(sequence, **_):
    from default_settings import GeneralSettings
    from tracker.boost_track import BoostTrack
    GeneralSettings.values.update(use_ecc=False, use_embedding=False)
    tracker = BoostTrack()
    tracker.max_age = max(int(2 * sequence.rate), 30)
    picture = np.zeros((1, 1, 1, 1))
    return lambda found, _: from_corners(tracker.update(found, picture, picture[0], "")), 10


def botsort(sequence, motion, video, **_):
    from tracker.bot_sort import BoTSORT
    tracker = BoTSORT(SimpleNamespace(
        track_high_thresh=0.6, track_low_thresh=0.1, new_track_thresh=0.7, track_buffer=30, match_thresh=0.8, proximity_thresh=0.5,
        appearance_thresh=0.25, with_reid=False, mot20=False, name="", ablation=False,
        cmc_method="sparseOptFlow" if video else "none"), sequence.rate)
    if motion:
        tracker.gmc.apply = lambda *_: next(motion)
    return lambda found, picture: from_tracks(tracker.update(found, picture)), 10


def tracktrack(sequence, dance, motion, **_):
    from trackers import tracker as module
    module.CMC = lambda _: SimpleNamespace(get_warp_matrix=lambda: next(motion) if motion else np.eye(2, 3))
    tracker = module.Tracker(SimpleNamespace(
        min_len=3, max_time_lost=2 * sequence.rate, penalty_p=0.2, penalty_q=0.4, reduce_step=0.05, tai_thr=0.55, det_thr=0.6,
        init_thr=0.6 if dance else 0.7, match_thr=0.8 if dance else 0.7, data_path="DanceTrack" if dance else "MOT17"), "")

    def update(found, _):
        found = found[found[:, 4] > 0.1]
        # One column is the class, one the embedding, which is the same for all. There are no detections from a laxer suppression.
        found = np.hstack([found, np.ones((len(found), 2))])
        tracked = tracker.update(found, found) if len(found) else tracker.update_without_detections()
        return [(track.track_id, *track.x1y1wh) for track in tracked]
    return update, 100


TRACKERS = {"SORT": sort, "ByteTrack": bytetrack, "FastTracker": fasttracker, "OC-SORT": ocsort, "Hybrid-SORT": hybridsort,
            "BoostTrack": boosttrack, "BoT-SORT": botsort, "TrackTrack": tracktrack}


def prepare_imports(folder):
    """Lets the tracker's modules be imported without those that only its detector, appearance or drawing needs."""
    for name in ("torch", "torch.nn", "torch.nn.functional", "matplotlib", "matplotlib.pyplot", "matplotlib.patches", "skimage",
                 "fast_reid", "fast_reid.fast_reid_interfece", "tracker.embedding"):
        sys.modules[name] = MagicMock()
    sys.modules["torch"].Tensor = type("Tensor", (), {})  # SciPy compares arrays with it.
    for name in [name for name in sys.modules if name.startswith("trackers.")]:
        del sys.modules[name]  # the package of compare.py
    for name in ("yolox", "yolox.tracker", "trackers"):
        sys.modules[name] = ModuleType(name)
        sys.modules[name].__path__ = [str(folder / name.replace(".", "/"))]
    sys.path.insert(0, str(folder))
    np.float, np.float_, np.int = float, float, int  # removed from NumPy


def read_motion(folder, sequence, length):
    """Returns an iterator over the motion before each of the last frames of a file, or None if there is no file."""
    file = folder and folder / f"GMC-{sequence.replace('dancetrack', 'dancetrack-')}.txt"
    if not file or not file.exists():
        return None
    rows = np.loadtxt(file)[-length:, 1:7].reshape(-1, 2, 3)
    assert len(rows) == length, f"{file} is shorter than the sequence"
    return iter([np.eye(2, 3), *rows[1:]])


def run(tracker, checkout, set_name, folder, detections, camera_motion):
    """Returns the sequence and the rows of the tracks: frame, id, left, top, width, height."""
    sequence = Sequence(folder, detections)
    video = next(folder.glob("*.avi"), None) if camera_motion else None
    update, smallest = TRACKERS[tracker](sequence, checkout=checkout, dance=set_name in DANCE, video=video,
                                         motion=read_motion(camera_motion, folder.name, sequence.length))
    pictures = cv2.VideoCapture(str(video)) if video else None
    rows = []
    for frame in range(1, sequence.length + 1):
        here = sequence.detections[sequence.detections[:, 0] == frame]
        found = np.column_stack([here[:, 2:4], here[:, 2:4] + here[:, 4:6], here[:, 6]])
        for name, left, top, width, height in update(found, pictures and pictures.read()[1]):
            # All programs except SORT's leave out tracks of pedestrians that are too wide.
            if width * height > smallest and not (smallest and set_name.startswith("MOT") and width > 1.6 * height):
                rows.append((frame, name, left, top, width, height))
    return sequence, np.array(rows, float).reshape(-1, 6)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tracker", choices=TRACKERS)
    parser.add_argument("checkout", type=pathlib.Path)
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("sets", nargs="*", metavar="SET")
    parser.add_argument("--camera-motion", type=pathlib.Path)
    parser.add_argument("--output", type=pathlib.Path)
    request = parser.parse_intermixed_args()
    name = request.tracker + (", camera motion" if request.camera_motion else "")
    prepare_imports((request.checkout / ("3. Tracker" if request.tracker == "TrackTrack" else ".")).resolve())
    for set_name, sequences in find_sets(request.data, request.sets).items():
        results = []
        for folder, detections in sequences:
            with contextlib.redirect_stdout(None):  # FastTracker prints its settings.
                sequence, rows = run(request.tracker, request.checkout, set_name, folder, detections, request.camera_motion)
            results.append(score.evaluated(sequence.truth, score.padded(rows), sequence.length))
            if request.output:
                file = request.output / name / set_name / f"{folder.name}.txt"
                file.parent.mkdir(parents=True, exist_ok=True)
                np.savetxt(file, rows, fmt="%d,%d,%.2f,%.2f,%.2f,%.2f")
        print(f"{marked(set_name):<20} {name:<26} " + " ".join(f"{figure:6.2f}" for figure in score.combined(results)), flush=True)


if __name__ == "__main__":
    main()
