#!/usr/bin/python3
"""Prints how many labelled objects a detector finds, by their width relative to the picture.

Usage: sizes.py [--model NAME|FILE] [--score S] FOLDER ...

A FOLDER has images/ and instances.json (COCO's format). An object counts as found if `odt detect` returns a box with its label
and an IoU of at least 0.5. Each box counts for one object, in the order of scores. Requires Pipelines/setup.
"""
import argparse
import json
import pathlib
import subprocess

ODT = pathlib.Path(__file__).resolve().parents[3] / ".build/tool/odt"
# Limits of the classes of width, as fractions of the picture's width.
EDGES = (0, 0.03, 0.05, 0.08, 0.12, 0.2, 1)


def overlap(one, other):
    """Returns the IoU of two boxes (left, top, width, height)."""
    width = min(one[0] + one[2], other[0] + other[2]) - max(one[0], other[0])
    height = min(one[1] + one[3], other[1] + other[3]) - max(one[1], other[1])
    shared = max(0, width) * max(0, height)
    return shared / (one[2] * one[3] + other[2] * other[3] - shared)


def found_in(boxes, objects):
    """Returns the indices of the labelled boxes that were found."""
    found = set()
    for thing in sorted(objects, key=lambda thing: -thing["score"]):
        box = [thing[name] for name in ("x", "y", "width", "height")]
        left = [(overlap(box, true), place) for place, (label, true) in enumerate(boxes)
                if place not in found and label == thing.get("label")]
        best = max(left, default=(0, None))
        if best[0] >= 0.5:
            found.add(best[1])
    return found


def detected(paths, options):
    """Returns the detections in each picture."""
    model = ["--model", options.model] if options.model else []
    score = ["--score", options.score] if options.score else []
    said = subprocess.run([ODT, "detect", "--json", *score, *model, *paths], check=True, capture_output=True, text=True)
    return [json.loads(line)["objects"] for line in said.stdout.splitlines()]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", metavar="FOLDER", type=pathlib.Path)
    parser.add_argument("--model")
    parser.add_argument("--score", help="the score threshold (default: that of the model)")
    options = parser.parse_args()
    count, hits = [0] * (len(EDGES) - 1), [0] * (len(EDGES) - 1)
    for folder in options.folders:
        truth = json.loads((folder / "instances.json").read_text())
        names = {one["id"]: one["name"] for one in truth["categories"]}
        paths = [folder / "images" / picture["file_name"] for picture in truth["images"]]
        for picture, things in zip(truth["images"], detected(paths, options)):
            boxes = [(names[one["category_id"]], one["bbox"]) for one in truth["annotations"]
                     if one["image_id"] == picture["id"] and not one.get("iscrowd")]
            found = found_in(boxes, things)
            for place, (_, box) in enumerate(boxes):
                kind = max(number for number, edge in enumerate(EDGES[:-1]) if box[2] / picture["width"] >= edge)
                count[kind] += 1
                hits[kind] += place in found
    print("part of the picture's width   objects   found")
    for low, high, all_of, here in zip(EDGES, EDGES[1:], count, hits):
        print(f"{low:>13.2f} to {high:<13.2f} {all_of:7} {100 * here / max(1, all_of):6.0f} %")


if __name__ == "__main__":
    main()
