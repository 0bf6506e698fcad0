"""Scores tracks in MOTChallenge's format with trackeval: HOTA, IDF1 and MOTA.

Ground truth: frame,id,x,y,w,h,consider,class,visibility. Objects to be found are of class 1 with consider != 0. As in
MOTChallenge, tracks on objects of other classes (2, 6, 7, 8, 12) are ignored. As in KITTI, tracks that are mostly in an unlabelled
region (class 13) are ignored, and in sequences with such regions those up to 25 pixels high, too.
"""
import numpy as np
from scipy.optimize import linear_sum_assignment
from trackeval import metrics

from element import box

DISTRACTORS = (2, 6, 7, 8, 12)
REGION = 13


def read(path):
    rows = np.atleast_2d(np.loadtxt(path, delimiter=",", ndmin=2))
    if rows.size == 0:
        return np.zeros((0, 9))
    if rows.shape[1] < 9:
        rows = np.hstack([rows, np.ones((len(rows), 9 - rows.shape[1]))])
    return rows


def shown(results):
    """Returns the detected objects as tracks: frame from 1, id, left, top, width, height."""
    return np.array([(number, thing["tracking-id"], *box(thing, result)) for number, result in enumerate(results, 1)
                     for thing in result["objects"] if thing["state"] in ("new", "tracked")], float).reshape(-1, 6)


def padded(rows):
    """Returns tracks in the format of ground truth, with consider, class and visibility 1."""
    return np.hstack([rows[:, :6], np.ones((len(rows), 3))])


def shared_area(a, b):
    across, down = (
        np.minimum((a[:, side] + a[:, side + 2])[:, None], b[:, side] + b[:, side + 2]) - np.maximum(a[:, side, None], b[:, side])
        for side in (0, 1))
    return np.maximum(across, 0) * np.maximum(down, 0)


def overlap(a, b):
    shared = shared_area(a, b)
    whole = np.prod(a[:, 2:], axis=1)[:, None] + np.prod(b[:, 2:], axis=1)[None] - shared
    return shared / np.maximum(whole, 1e-9)


def seen_first(objects, results):
    """Returns the running time in seconds at which a reported box first has an IoU of at least 0.5 with each of the objects."""
    first, tracks = {}, shown(results)
    for number, result in enumerate(results, 1):
        here, there = objects[objects[:, 0] == number], tracks[tracks[:, 0] == number]
        if len(here) and len(there):
            for name in here[overlap(here[:, 2:6], there[:, 2:6]).max(axis=1) >= 0.5][:, 1]:
                first.setdefault(int(name), result["running-time"] / 1e9)
    return first


def counted(truth, tracks, regions):
    """Returns which of a frame's tracks are not ignored."""
    counts = np.ones(len(tracks), bool)
    matched = np.zeros(len(tracks), bool)
    if len(truth) and len(tracks):
        gain = overlap(truth[:, 2:6], tracks[:, 2:6])
        gain[gain < 0.5] = 0
        rows, columns = linear_sum_assignment(-gain)
        real = gain[rows, columns] > 0
        rows, columns = rows[real], columns[real]
        matched[columns] = True
        counts[columns[np.isin(truth[rows, 7], DISTRACTORS)]] = False
    if regions is not None and len(tracks):
        inside = np.zeros(len(tracks), bool)
        if len(regions):
            share = shared_area(tracks[:, 2:6], regions[:, 2:6]) / np.maximum(np.prod(tracks[:, 4:6], axis=1), 1e-9)[:, None]
            inside = share.max(axis=1) > 0.5
        counts[~matched & (inside | (tracks[:, 5] <= 25))] = False
    return counts


def sequence(truth, tracks, length):
    """Returns the data of a sequence for trackeval's metrics."""
    has_regions = bool((truth[:, 7] == REGION).any())
    data = {"gt_ids": [], "tracker_ids": [], "similarity_scores": [], "num_timesteps": length}
    for frame in range(1, length + 1):
        here = truth[truth[:, 0] == frame]
        shown = tracks[tracks[:, 0] == frame]
        regions, here = here[here[:, 7] == REGION], here[here[:, 7] != REGION]
        shown = shown[counted(here, shown, regions if has_regions else None)]
        here = here[(here[:, 6] != 0) & (here[:, 7] == 1)]
        data["gt_ids"].append(here[:, 1].astype(int))
        data["tracker_ids"].append(shown[:, 1].astype(int))
        data["similarity_scores"].append(overlap(here[:, 2:6], shown[:, 2:6]))
    for side in ("gt", "tracker"):
        names = np.unique(np.concatenate(data[f"{side}_ids"]))
        data[f"{side}_ids"] = [np.searchsorted(names, ids) for ids in data[f"{side}_ids"]]
        data[f"num_{side}_ids"] = len(names)
        data[f"num_{side}_dets"] = sum(map(len, data[f"{side}_ids"]))
    return data


def kinds():
    quiet = {"PRINT_CONFIG": False, "THRESHOLD": 0.5}
    return {"HOTA": metrics.HOTA(), "CLEAR": metrics.CLEAR(quiet), "Identity": metrics.Identity(quiet)}


def hota(truth, tracks, length):
    """Returns HOTA, DetA and AssA in percent."""
    figures = metrics.HOTA().eval_sequence(sequence(truth, padded(tracks), length))
    return [100 * float(np.mean(figures[name])) for name in ("HOTA", "DetA", "AssA")]


def evaluated(truth, tracks, length):
    """Returns the metrics of a sequence, for `combined`."""
    data = sequence(truth, tracks, length)
    return {kind: metric.eval_sequence(data) for kind, metric in kinds().items()}


def combined(results):
    """Returns HOTA, IDF1 and MOTA in percent over the results of `evaluated`."""
    whole = {kind: metric.combine_sequences({number: one[kind] for number, one in enumerate(results)})
             for kind, metric in kinds().items()}
    return (
        100 * float(np.mean(whole["HOTA"]["HOTA"])),
        100 * float(whole["Identity"]["IDF1"]),
        100 * float(whole["CLEAR"]["MOTA"]),
    )


def score(sequences):
    """Returns HOTA, IDF1 and MOTA in percent over sequences of (truth, tracks, length)."""
    return combined([evaluated(*one) for one in sequences])
