#!/usr/bin/env python3
"""Generates large pictures with ground truth: small people and things cut out of labelled photographs, on backgrounds from other ones.

Usage: stills.py FOLDER [--photos FOLDER]... [--backgrounds FOLDER] [--size WIDTHxHEIGHT] [--pictures N] [--things N] [--heights LEAST-MOST] [--seed N]

Writes `images/` and COCO's `instances.json` into FOLDER, for `grid --photos FOLDER`. Objects are cut out and scaled as in `clips.py`,
and overlap little; backgrounds are photographs without such objects. The same seed gives the same pictures. Requires numpy and pillow.
"""
import argparse
import json
import pathlib

import numpy as np

import clips


def place(scene, things, options, chance):
    """Pastes objects into a scene and returns (class index of 80, box) of each."""
    rows = []
    for _ in range(options.things):
        kind, picture, across, down = things[chance.integers(len(things))]
        height = int(np.exp(chance.uniform(*np.log(options.heights))) / (1 - 2 * down))
        picture = picture.resize((max(8, picture.width * height // picture.height), height), clips.Image.LANCZOS)
        corner = [int(chance.integers(max(1, room - side))) for room, side in zip(scene.size, picture.size)]
        rim = (across * picture.width, down * height)
        box = [corner[0] + rim[0], corner[1] + rim[1], picture.width - 2 * rim[0], height - 2 * rim[1]]
        if any(clips.shared(box, other) > 0.1 or clips.shared(other, box) > 0.1 for _, other in rows):
            continue
        scene.paste(picture, tuple(corner), picture)
        rows.append((kind, box))
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--photos", type=pathlib.Path, action="append", help="folders with images/ and instances.json for the objects")
    parser.add_argument("--backgrounds", type=pathlib.Path, default=clips.SHARED / "data/photos/coco-val-128", help="a folder with images/ and instances.json")
    parser.add_argument("--size", type=lambda text: tuple(map(int, text.split("x"))), default=(3840, 2160))
    parser.add_argument("--pictures", type=int, default=10)
    parser.add_argument("--things", type=int, default=18, help="objects in each picture")
    parser.add_argument("--heights", type=lambda text: tuple(map(float, text.split("-"))), default=(16, 160), help="in pixels")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    chance = np.random.default_rng(options.seed)
    photos = options.photos or [clips.SHARED / "data/photos" / name for name in ("voc2012-50", "pennfudan-85")]
    things = [thing for folder in photos for thing in clips.cutouts(folder, clips.KINDS)]
    categories, _, _ = clips.load(options.backgrounds)
    (options.folder / "images").mkdir(parents=True, exist_ok=True)
    images, annotations = [], []
    for number in range(1, options.pictures + 1):
        scene = clips.background(options.backgrounds, options.size, chance)
        for kind, box in place(scene, things, options, chance):
            annotations.append({"id": len(annotations) + 1, "image_id": number, "category_id": categories[kind]["id"],
                                "bbox": box, "area": box[2] * box[3], "iscrowd": 0})
        images.append({"id": number, "file_name": f"{number:04}.png", "width": scene.width, "height": scene.height})
        scene.save(options.folder / "images" / images[-1]["file_name"], compress_level=1)
    (options.folder / "instances.json").write_text(
        json.dumps({"images": images, "annotations": annotations, "categories": categories}))


if __name__ == "__main__":
    main()
