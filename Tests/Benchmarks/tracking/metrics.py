"""HOTA, AssA, IDF1 and MOTA in percent, computed faster than by trackeval and with equal results. `python metrics.py` compares both."""
import numpy as np
from scipy.optimize import linear_sum_assignment

import score

LIMITS = np.arange(0.05, 0.99, 0.05)
EPSILON = np.finfo(float).eps


class Truth:
    """The ground truth of a sequence, by frame."""

    def __init__(self, rows, length):
        self.regions = by_frame(rows[rows[:, 7] == score.REGION], length)
        self.rows = by_frame(rows[rows[:, 7] != score.REGION], length)
        self.has_regions = bool((rows[:, 7] == score.REGION).any())
        self.length = length


def by_frame(rows, length):
    rows = rows[np.argsort(rows[:, 0], kind="stable")]
    return np.split(rows, np.searchsorted(rows[:, 0], np.arange(2, length + 1)))


def counts(truth, tracks, only_hota=False):
    """Returns what `figures` needs, as sums that can be added over sequences. With `only_hota`, IDF1 and MOTA lack theirs."""
    pairs, frames = [], []
    tracks = by_frame(score.padded(tracks), truth.length)
    names = {}, {}
    for here, regions, shown in zip(truth.rows, truth.regions, tracks):
        if truth.has_regions or (here[:, 7] != 1).any():
            shown = shown[score.counted(here, shown, regions if truth.has_regions else None)]
        here = here[(here[:, 6] != 0) & (here[:, 7] == 1)]
        ids = [np.array([known.setdefault(name, len(known)) for name in rows[:, 1]], int)
               for known, rows in zip(names, (here, shown))]
        frames.append((*ids, score.overlap(here[:, 2:6], shown[:, 2:6])))
    total = [np.zeros(len(known)) for known in names]
    shared, close = np.zeros((len(names[0]), len(names[1]))), np.zeros((len(names[0]), len(names[1])))
    for mine, theirs, overlap in frames:
        total[0][mine] += 1
        total[1][theirs] += 1
        if overlap.size:
            sums = overlap.sum(0)[None] + overlap.sum(1)[:, None] - overlap
            shared[np.ix_(mine, theirs)] += np.where(sums > EPSILON, overlap / np.maximum(sums, EPSILON), 0)
            close[np.ix_(mine, theirs)] += overlap >= 0.5
    aligned = shared / np.maximum(total[0][:, None] + total[1][None] - shared, EPSILON)
    for mine, theirs, overlap in frames:
        if overlap.size:
            rows, columns = linear_sum_assignment(-aligned[np.ix_(mine, theirs)] * overlap)
            pairs.append(np.stack([mine[rows], theirs[columns], overlap[rows, columns]], 1))
    pairs = np.concatenate(pairs) if pairs else np.zeros((0, 3))
    hits, association = np.zeros(len(LIMITS)), np.zeros(len(LIMITS))
    code = (pairs[:, 0] * len(names[1]) + pairs[:, 1]).astype(int)
    union = (total[0][:, None] + total[1][None]).ravel()
    for number, limit in enumerate(LIMITS):
        matched = np.bincount(code[pairs[:, 2] >= limit - EPSILON], minlength=len(union))
        hits[number] = matched.sum()
        association[number] = (matched * (matched / np.maximum(1, union - matched))).sum()
    return {"objects": total[0].sum(), "shown": total[1].sum(), "hits": hits, "association": association,
            "identity": 0 if only_hota else identity_hits(total, close), "errors": 0 if only_hota else sum(mota_errors(frames))}


def identity_hits(total, close):
    """Returns the true positives of the best assignment of tracks to objects."""
    if not close.size:
        return 0
    rows, columns = linear_sum_assignment(-close)
    return close[rows, columns].sum()


def mota_errors(frames):
    """Returns misses, false positives and identity switches, as CLEAR MOT counts them."""
    misses = extra = switches = 0
    last, latest = {}, {}
    for mine, theirs, overlap in frames:
        if not overlap.size:
            misses, extra, latest = misses + len(mine), extra + len(theirs), latest if not len(mine) else {}
            continue
        before = np.array([latest.get(name, -1) for name in mine])
        gain = 1000 * (before[:, None] == theirs[None]) + overlap
        gain[overlap < 0.5 - EPSILON] = 0
        rows, columns = linear_sum_assignment(-gain)
        real = gain[rows, columns] > EPSILON
        rows, columns = mine[rows[real]], theirs[columns[real]]
        switches += sum(last.get(row, column) != column for row, column in zip(rows, columns))
        last.update(zip(rows, columns))
        latest = dict(zip(rows, columns))
        misses, extra = misses + len(mine) - len(rows), extra + len(theirs) - len(rows)
    return misses, extra, switches


def figures(all_counts):
    """Returns HOTA, AssA, IDF1 and MOTA over the `counts` of sequences."""
    objects, shown, hits, association, identity, errors = (
        sum(one[name] for one in all_counts)
        for name in ("objects", "shown", "hits", "association", "identity", "errors"))
    assa = association / np.maximum(hits, 1)
    deta = hits / np.maximum(objects + shown - hits, 1)
    return 100 * np.array([np.sqrt(deta * assa).mean(), assa.mean(), 2 * identity / max(objects + shown, 1),
                           1 - errors / max(objects, 1)])
