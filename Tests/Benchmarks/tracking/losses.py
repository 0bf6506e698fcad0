#!/usr/bin/env python3
"""Measures the effect of randomly lost frames on tracking, compared with the complete video on the remaining frames.

Usage: losses.py VIDEO [--truth GT.TXT] [--loss 0.01,0.03,0.1] [--seeds 1,2,3] [--live [--at-once N]] [PROPERTY=VALUE ...]

With ground truth in MOTChallenge's format: HOTA, IDF1 and MOTA of both on the remaining frames, and the number of ids; without it
only the ids. The complete video is scored on the same frames, so that the difference is the effect of the loss on tracking. The frames
are lost before the element; the seed determines which ones. --live plays in real time through a leaky queue with
strategy=keep-only-latest. As no two live runs are equal, every seed then has its own complete run, and N runs are concurrent (1).
Requires trackeval for the scores, and Pipelines/setup.
"""
import argparse
import collections
import concurrent.futures
import json
import statistics
import subprocess
import sys

import numpy as np

from element import ROOT, box

HERE = ROOT / "Tests/Benchmarks/tracking"


def play(video, loss, seed, is_live, properties):
    """Returns rows of time, id, left, top, width, height of the detected objects, and the times of the frames that arrived."""
    way = "identity sync=true ! identity name=loss ! queue leaky=downstream" if is_live else "identity name=loss"
    strategy = "strategy=keep-only-latest" if is_live else ""
    said = subprocess.run(
        [HERE / "lossy.py", str(loss), str(seed),
         "filesrc", f"location={video}", *f"! decodebin ! {way} ! swiftodt draw=false updates=every-frame".split(),
         *f"multiple-objects=true max-objects=100 {strategy}".split(), *properties, "!", "fakesink"],
        check=True, stdout=subprocess.PIPE, text=True).stdout
    results = [one for one in map(json.loads, said.splitlines()) if one["message"] == "swiftodt"]
    rows = [(one["timestamp"], thing["tracking-id"], *box(thing, one)) for one in results for thing in one["objects"]
            if thing["state"] in ("new", "tracked")]
    return rows, [one["timestamp"] for one in results]


class Truth:
    """The ground truth of a video, with the times of its frames."""

    def __init__(self, path, times):
        import score
        self.score = score
        self.rows = score.read(path)
        self.frames = {time: number for number, time in enumerate(times, 1)}

    def figures(self, rows, times):
        """Returns HOTA, IDF1 and MOTA over the frames with these times."""
        places = {time: place for place, time in enumerate(sorted(times), 1)}
        numbers = {self.frames[time]: place for time, place in places.items()}
        truth = self.rows[np.isin(self.rows[:, 0], list(numbers))].copy()
        truth[:, 0] = [numbers[number] for number in truth[:, 0]]
        kept = np.array([(places[row[0]], *row[1:], 1, 1, 1) for row in rows if row[0] in places], float).reshape(-1, 9)
        return self.score.score([(truth, kept, len(places))])


def shown(figures):
    return " ".join(f"{figure:6.2f}" for figure in figures)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("video")
    parser.add_argument("--truth", metavar="GT.TXT")
    parser.add_argument("--loss", default="0.01,0.03,0.1", type=lambda text: [float(one) for one in text.split(",")])
    parser.add_argument("--seeds", default="1,2,3", type=lambda text: text.split(","))
    parser.add_argument("--live", action="store_true")
    parser.add_argument("--at-once", type=int, default=1, metavar="N")
    parser.add_argument("properties", nargs="*", metavar="PROPERTY=VALUE")
    asked = parser.parse_intermixed_args()

    def run(loss, seed):
        return play(asked.video, loss, seed, asked.live, asked.properties)

    with concurrent.futures.ThreadPoolExecutor(asked.at_once if asked.live else 1) as pool:
        # For a file one complete run is enough, because it is deterministic.
        whole = {seed: pool.submit(run, 0, seed) for seed in (asked.seeds if asked.live else asked.seeds[:1])}
        lossy = {(loss, seed): pool.submit(run, loss, seed) for loss in asked.loss for seed in asked.seeds}
        whole = {seed: whole[seed if asked.live else asked.seeds[0]].result() for seed in asked.seeds}
        # The longest run defines the frame numbers. If the queue dropped frames even there, the numbers would be wrong.
        longest = max((times for _, times in whole.values()), key=len)
        truth = Truth(asked.truth, longest) if asked.truth else None
        if truth and len(longest) != int(truth.rows[:, 0].max()):
            print(f"{len(longest)} frames arrived, and the truth ends at {int(truth.rows[:, 0].max())}", file=sys.stderr)
        print("loss  seed  frames ids: whole  with loss" + ("   whole on them: HOTA   IDF1   MOTA   with loss: HOTA   IDF1   MOTA"
                                                            if truth else ""))
        differences = collections.defaultdict(list)
        for (loss, seed), one in lossy.items():
            (whole_rows, whole_times), (rows, times) = whole[seed], one.result()
            both = set(times) & set(whole_times)
            text = (f"{loss:4}  {seed:>4}  {len(both):6} {len({row[1] for row in whole_rows if row[0] in both}):10}"
                    f" {len({row[1] for row in rows}):10}")
            if truth:
                before, after = truth.figures(whole_rows, both), truth.figures(rows, both)
                differences[loss].append(np.subtract(after, before))
                text += f" {'':16}{shown(before)} {'':11}{shown(after)}"
            print(text, flush=True)
    for loss, found in differences.items():
        hotas = [one[0] for one in found]
        print(f"{loss:4}: with loss minus whole, mean over {len(found)} seeds: {shown(np.mean(found, axis=0))};"
              f" HOTA from {min(hotas):.2f} to {max(hotas):.2f}, median {statistics.median(hotas):.2f}")


if __name__ == "__main__":
    main()
