#!/usr/bin/python3
"""Prints how often a detector gives a labelled object another label, in whole photographs and in crops of the objects.

Usage: names.py [--model NAME|FILE] [--score S] FOLDER ...

A FOLDER has images/ and instances.json (COCO's format). For each object the box with the best IoU counts, if it is at
least 0.5. A crop is the object with a margin of a quarter of its size. Objects narrower or lower than 32 pixels are left out.
Requires Pipelines/setup and the Python package Pillow.
"""
import argparse
import collections
import json
import pathlib
import tempfile

from PIL import Image

from sizes import detected, overlap

SMALLEST = 32


def outcome(label, box, things):
    """Classifies the label of the box that fits an object best."""
    fits = [(overlap(box, [thing[side] for side in ("x", "y", "width", "height")]), thing.get("label")) for thing in things]
    fit, said = max(fits, key=lambda one: one[0], default=(0, None))
    if fit < 0.5:
        return "not found"
    return "right" if said == label else "wrong" if said else "no name"


def crop(picture, box):
    """Returns the picture of an object with a margin of a quarter of its size, and the object's box in it."""
    margin = [box[2] / 4, box[3] / 4]
    left, top = max(0, round(box[0] - margin[0])), max(0, round(box[1] - margin[1]))
    right, bottom = min(picture.width, round(box[0] + box[2] + margin[0])), min(picture.height, round(box[1] + box[3] + margin[1]))
    return picture.crop((left, top, right, bottom)), [box[0] - left, box[1] - top, box[2], box[3]]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", metavar="FOLDER", type=pathlib.Path)
    parser.add_argument("--model")
    parser.add_argument("--score", help="the score threshold (default: that of the model)")
    options = parser.parse_args()
    print(f"{'':<24}{'':<12}  right  wrong  no name  not found")
    for folder in options.folders:
        truth = json.loads((folder / "instances.json").read_text())
        names = {one["id"]: one["name"] for one in truth["categories"]}
        paths = {picture["id"]: folder / "images" / picture["file_name"] for picture in truth["images"]}
        objects = [(paths[one["image_id"]], names[one["category_id"]], one["bbox"]) for one in truth["annotations"]
                   if not one.get("iscrowd") and min(one["bbox"][2:]) >= SMALLEST]
        whole = dict(zip(paths.values(), detected(paths.values(), options)))
        counts = {"photographs": collections.Counter(outcome(label, box, whole[path]) for path, label, box in objects)}
        with tempfile.TemporaryDirectory() as place:
            crops = []
            for number, (path, label, box) in enumerate(objects):
                part, inside = crop(Image.open(path).convert("RGB"), box)
                crops.append((f"{place}/{number:05}.png", label, inside))
                part.save(crops[-1][0])
            found = detected([path for path, _, _ in crops], options)
            counts["crops"] = collections.Counter(outcome(label, box, things) for (_, label, box), things in zip(crops, found))
        for kind, of in counts.items():
            print(f"{folder.name:<24}{kind:<12}{of['right']:7}{of['wrong']:7}{of['no name']:9}{of['not found']:11}")


if __name__ == "__main__":
    main()
