"""Scores tracks in MOTChallenge format with the metrics of the package trackeval: HOTA, IDF1, MOTA.

Ground truth: frame,id,x,y,w,h,consider,class,visibility. Objects to be found are of class 1 with consider != 0. As on
MOTChallenge, tracks that lie on an object of another kind than the one looked for (classes 2, 6, 7, 8, 12) count neither
for nor against; as in KITTI, neither do those that lie mostly in a region left unlabelled (class 13) or are no taller
than 25 pixels where such regions are used.
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
    """What the element shows of objects that it sees, as tracks: frame from 1, id, left, top, width, height."""
    return np.array([(number, thing["tracking-id"], *box(thing, result)) for number, result in enumerate(results, 1)
                     for thing in result["objects"] if thing["state"] in ("new", "tracked")], float).reshape(-1, 6)


def padded(rows):
    """Tracks as truth is written: with consider, class and visibility, all 1."""
    return np.hstack([rows[:, :6], np.ones((len(rows), 3))])


def shared_area(a, b):
    left_top = np.maximum(a[:, None, :2], b[None, :, :2])
    right_bottom = np.minimum((a[:, :2] + a[:, 2:])[:, None], (b[:, :2] + b[:, 2:])[None])
    return np.prod(np.clip(right_bottom - left_top, 0, None), axis=2)


def overlap(a, b):
    shared = shared_area(a, b)
    whole = np.prod(a[:, 2:], axis=1)[:, None] + np.prod(b[:, 2:], axis=1)[None] - shared
    return shared / np.maximum(whole, 1e-9)


def seen_first(objects, results):
    """When each of the objects, given as tracks, is first overlapped by a half of what the element shows."""
    first, tracks = {}, shown(results)
    for number, result in enumerate(results, 1):
        here, there = objects[objects[:, 0] == number], tracks[tracks[:, 0] == number]
        if len(here) and len(there):
            for name in here[overlap(here[:, 2:6], there[:, 2:6]).max(axis=1) >= 0.5][:, 1]:
                first.setdefault(int(name), result["running-time"] / 1e9)
    return first


def counted(truth, tracks, regions):
    """Which of a frame's tracks count."""
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
    """What trackeval's metrics want to know of a sequence."""
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
    """HOTA, and the DetA and AssA that it is made of, in percent."""
    figures = metrics.HOTA().eval_sequence(sequence(truth, padded(tracks), length))
    return [100 * float(np.mean(figures[name])) for name in ("HOTA", "DetA", "AssA")]


def evaluated(truth, tracks, length):
    """What the metrics say of a sequence, to be combined with that of others."""
    data = sequence(truth, tracks, length)
    return {kind: metric.eval_sequence(data) for kind, metric in kinds().items()}


def combined(results):
    """HOTA, IDF1 and MOTA in percent over all sequences, given as evaluated."""
    whole = {kind: metric.combine_sequences({number: one[kind] for number, one in enumerate(results)})
             for kind, metric in kinds().items()}
    return (
        100 * float(np.mean(whole["HOTA"]["HOTA"])),
        100 * float(whole["Identity"]["IDF1"]),
        100 * float(whole["CLEAR"]["MOTA"]),
    )


def score(sequences):
    """The same of sequences given as (truth, tracks, length)."""
    return combined([evaluated(*one) for one in sequences])
