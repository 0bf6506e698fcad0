#!/usr/bin/env python3
"""Scores the whole pipeline on a video with ground truth, and the same detector with ByteTrack in Python.

Usage: video.py VIDEO SEQUENCE [PROPERTY=VALUE ...]. SEQUENCE is a folder with gt/gt.txt and seqinfo.ini (MOTChallenge);
the properties are set in both runs, such as model-file=yolox_nano.onnx label-allowlist=person. A given score-threshold is also
ByteTrack's threshold for new tracks, in place of its default. Requires trackers and trackeval, as compare.py does, and
Pipelines/setup.
"""
import pathlib
import sys

import numpy as np
import supervision
from trackers import ByteTrackTracker

import score
from compare import Sequence
from element import box, play


def byte_track(video, properties, rate):
    threshold = dict(one.split("=", 1) for one in properties).get("score-threshold")
    begun = {"track_activation_threshold": float(threshold)} if threshold else {}
    tracks, tracker = [], ByteTrackTracker(frame_rate=rate, **begun)
    for number, result in enumerate(play(video, [*properties, "tracking=false", "score-threshold=0.1"])[0], 1):
        # Without tracking objects are repeated until the next result; only those of its own frame are new.
        here = [thing for thing in result["objects"] if thing["state"] == "new"]
        boxes = np.array([box(thing, result) for thing in here], np.float32).reshape(-1, 4)
        tracked = tracker.update(supervision.Detections(
            xyxy=np.hstack([boxes[:, :2], boxes[:, :2] + boxes[:, 2:]]),
            confidence=np.array([thing["score"] for thing in here], np.float32), class_id=np.zeros(len(here), int)))
        if tracked.tracker_id is None:
            continue
        for (left, top, right, bottom), name in zip(tracked.xyxy, tracked.tracker_id):
            if name >= 0:
                tracks.append((number, name, left, top, right - left, bottom - top))
    return np.array(tracks, float).reshape(-1, 6)


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    video, sequence, properties = sys.argv[1], Sequence(pathlib.Path(sys.argv[2])), sys.argv[3:]
    print(f"{'whole pipeline':<22} {'HOTA':>6} {'IDF1':>6} {'MOTA':>6}")
    for name, tracks in (("swiftodt", score.shown(play(video, properties)[0])),
                       ("detector + ByteTrack", byte_track(video, properties, sequence.rate))):
        figures = score.score([(sequence.truth, score.padded(tracks), sequence.length)])
        print(f"{name:<22} " + " ".join(f"{figure:6.2f}" for figure in figures), flush=True)


if __name__ == "__main__":
    main()
