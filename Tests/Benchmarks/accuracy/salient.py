#!/usr/bin/env python3
"""Measures salient-object detection on photographs with ground truth.

Usage: salient.py [--shared FOLDER] [--odt FILE] [--half 0|1] [SET ...]. Requires Pipelines/setup, numpy and the
photographs of the test material.

For each set: in how many photographs the first box of `odt detect --salient`, and any of its boxes, overlaps a box of the truth by at
least 0.5 (IoU); in how many the detector finds no object, and in how many of these `--unknown-objects salient` hits. --half uses only
every second photograph.
"""
import argparse
import json
import os
import pathlib
import subprocess

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[3]


def detect(odt, photographs, *options):
    """Returns the boxes (x, y, width, height) of each photograph."""
    said = subprocess.run([odt, "detect", "--json", *options, *photographs], check=True, capture_output=True, text=True)
    return [np.array([[thing[side] for side in ("x", "y", "width", "height")] for thing in json.loads(line)["objects"]]).reshape(-1, 4)
            for line in said.stdout.splitlines()]


def best(boxes, truth):
    """Returns the best IoU of each box with a box of the truth."""
    if not len(truth):
        return np.zeros(len(boxes))
    low = np.maximum(boxes[:, None, :2], truth[None, :, :2])
    high = np.minimum(boxes[:, None, :2] + boxes[:, None, 2:], truth[None, :, :2] + truth[None, :, 2:])
    shared = np.prod(np.clip(high - low, 0, None), axis=2)
    return (shared / (np.prod(boxes[:, 2:], axis=1)[:, None] + np.prod(truth[:, 2:], axis=1)[None] - shared)).max(axis=1)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shared", default=os.environ.get("SWIFTODT_SHARED") or ROOT.parent / "shared", type=pathlib.Path)
    parser.add_argument("--odt", default=ROOT / ".build/tool/odt")
    parser.add_argument("--half", type=int, choices=(0, 1))
    parser.add_argument("sets", nargs="*", metavar="SET", default=["voc2012-50", "pennfudan-85"])
    options = parser.parse_args()
    for name in options.sets:
        folder = options.shared / "data/photos" / name
        told = json.loads((folder / "instances.json").read_text())
        pictures = told["images"] if options.half is None else told["images"][options.half::2]
        truths = [np.array([one["bbox"] for one in told["annotations"] if one["image_id"] == picture["id"]], float).reshape(-1, 4)
                  for picture in pictures]
        photographs = [str(folder / "images" / picture["file_name"]) for picture in pictures]
        overlaps = [best(boxes, truth) for boxes, truth in zip(detect(options.odt, photographs, "--salient", "--score", "0.01"), truths)]
        first = np.mean([len(one) and one[0] >= 0.5 for one in overlaps])
        any_of_them = np.mean([(one >= 0.5).any() for one in overlaps])
        nothing = [number for number, boxes in enumerate(detect(options.odt, photographs)) if not len(boxes)]
        found = detect(options.odt, [photographs[number] for number in nothing], "--unknown-objects", "salient") if nothing else []
        hits = sum((best(boxes, truths[number])[:1] >= 0.5).sum() for number, boxes in zip(nothing, found))
        print(f"{name:14} {len(pictures):4} photographs  first box hits {first:5.2f}  any {any_of_them:5.2f}  "
              f"nothing named in {len(nothing)}, of which salient hits {hits}", flush=True)


if __name__ == "__main__":
    main()
