#!/usr/bin/env python3
"""Generates clips with ground truth: people and things cut out of labelled photographs move over real backgrounds.

Usage: clips.py FOLDER [--photos FOLDER] [--size WIDTHxHEIGHT] [--clips N] [--frames N] [--seed N] [--things N] [--pace FACTOR]
                [--heights LEAST-MOST] [--camera still|hand-held|pan] [--noise LEVELS] [--kinds NAME,...] [--passing] [--rate N]

Writes for each clip `NAME.mp4` (H.264) and `NAME/gt/gt.txt` (MOTChallenge; the class is COCO's index of 80) into FOLDER. Each object is
cut out of its photograph with a fading border, scaled to a height of 24 to 160 pixels, and moves along a line over another photograph,
with a static, hand-held or panning camera. Objects occlude each other at random. --pace 0 makes them static. With --passing they appear
one after the other and stop for a moment on their way. --noise adds camera noise to each frame. The same options and seed give the same
clips. Requires numpy and pillow, and gst-launch-1.0 with x264enc or openh264enc.
"""
import argparse
import json
import pathlib
import subprocess

import numpy as np
from PIL import Image

SHARED = pathlib.Path(__file__).resolve().parents[4] / "shared"
# Classes of objects in streets and fields, by COCO's names.
KINDS = ["person", "bicycle", "car", "motorcycle", "bus", "truck", "bird", "dog", "horse", "cow", "sheep", "elephant", "zebra", "giraffe"]


def load(photos):
    about = json.loads((photos / "instances.json").read_text())
    return about["categories"], {picture["id"]: picture for picture in about["images"]}, about["annotations"]


def cutouts(photos, wanted):
    """Returns objects with a fading border, as (class index of 80, picture with alpha, box in it)."""
    categories, pictures, annotations = load(photos)
    names = [category["name"] for category in categories]
    ids = [category["id"] for category in categories]
    found = []
    for about in annotations:
        kind = ids.index(about["category_id"])
        left, top, width, height = about["bbox"]
        file = pictures[about["image_id"]]
        rim = 0.12 * max(width, height)
        # Only complete single objects that are large enough.
        if names[kind] not in wanted or about["iscrowd"] or height < 100 or width < 30:
            continue
        if left < rim or top < rim or left + width > file["width"] - rim or top + height > file["height"] - rim:
            continue
        if any(other is not about and other["image_id"] == about["image_id"] and shared(other["bbox"], about["bbox"]) > 0.15
               for other in annotations):
            continue
        crop = [int(v) for v in (left - rim, top - rim, left + width + rim, top + height + rim)]
        picture = Image.open(photos / "images" / file["file_name"]).convert("RGB").crop(crop)
        across = np.minimum(np.arange(picture.width), np.arange(picture.width)[::-1]) / rim
        down = np.minimum(np.arange(picture.height), np.arange(picture.height)[::-1]) / rim
        picture.putalpha(Image.fromarray((255 * np.clip(np.minimum(across, down[:, None]), 0, 1)).astype(np.uint8)))
        found.append((kind, picture, rim / picture.width, rim / picture.height))
    return found


def shared(one, other):
    """Returns the share of the second box that lies in the first."""
    across = min(one[0] + one[2], other[0] + other[2]) - max(one[0], other[0])
    down = min(one[1] + one[3], other[1] + other[3]) - max(one[1], other[1])
    return max(0, across) * max(0, down) / (other[2] * other[3])


def background(photos, size, chance):
    """Returns a photograph without these objects, scaled up to the size of the clip, with added grain."""
    categories, pictures, annotations = load(photos)
    kinds = {category["id"] for category in categories if category["name"] in KINDS}
    taken = {about["image_id"] for about in annotations if about["category_id"] in kinds}
    files = sorted(picture["file_name"] for number, picture in pictures.items() if number not in taken)
    picture = Image.open(photos / "images" / files[chance.integers(len(files))]).convert("RGB")
    scale = max(size[0] / picture.width, size[1] / picture.height)
    picture = picture.resize((int(picture.width * scale) + 1, int(picture.height * scale) + 1), Image.BICUBIC).crop((0, 0, *size))
    grain = chance.normal(0, 4, (size[1], size[0], 1))
    return Image.fromarray(np.clip(np.asarray(picture, float) * 0.8 + 20 + grain, 0, 255).astype(np.uint8))


class Walker:
    """An object that moves along a line."""

    def __init__(self, kind, picture, across, down, size, options, chance):
        self.kind = kind
        height = int(np.exp(chance.uniform(*np.log(options.heights))) / (1 - 2 * down))
        self.picture = picture.resize((max(8, picture.width * height // picture.height), height), Image.LANCZOS)
        self.rim = np.array([across * self.picture.width, down * height])
        self.at = np.array([chance.uniform(0, max(1, size[0] - self.picture.width)), chance.uniform(0, max(1, size[1] - height))])
        angle = chance.uniform(0, 2 * np.pi)
        # 0.25 to 1.5 times its height per second.
        self.step = np.array([np.cos(angle), 0.4 * np.sin(angle)]) * height * options.pace * chance.uniform(0.25, 1.5) / options.rate
        self.size = size

    def move(self):
        self.at += self.step
        for axis in (0, 1):
            if not 0 <= self.at[axis] <= self.size[axis] - self.picture.size[axis]:
                self.step[axis] *= -1
                self.at[axis] = np.clip(self.at[axis], 0, self.size[axis] - self.picture.size[axis])


class Passer(Walker):
    """An object that enters at one side, stops for a moment, and leaves at the other."""

    def __init__(self, *about, begins):
        super().__init__(*about)
        size, options, chance = about[4:]
        speed = self.picture.height * options.pace * chance.uniform(0.3, 1.0) / options.rate
        first, last = -self.picture.width, size[0]
        if chance.random() < 0.5:
            first, last = last, first
        frames = max(2, int(abs(last - first) / speed))
        way = np.linspace(first, last, frames)
        stands = [way[int(frames * chance.uniform(0.2, 0.8))]] * int(chance.uniform(0, 4) * options.rate)
        self.way = np.sort(np.concatenate([way, stands]))[::-1 if last < first else 1]
        self.at = np.array([first, chance.uniform(0, max(1, size[1] - self.picture.height))], float)
        self.begins, self.frame = int(begins), 0
        self.ends = self.begins + len(self.way)

    def move(self):
        self.frame += 1
        self.at[0] = self.way[min(max(0, self.frame - self.begins), len(self.way) - 1)]


def passers(things, count, size, options, chance):
    """Returns objects that each enter when the previous one leaves, or shortly before."""
    found, begins = [], 0.5 * options.rate
    for _ in range(count):
        found.append(Passer(*things[chance.integers(len(things))], size, options, chance, begins=begins))
        begins = found[-1].ends + chance.uniform(-1, 3) * options.rate
    return found


class Camera:
    """The position of the frame's upper left corner in the scene, with subpixel precision."""

    # The largest distance from the middle, as a fraction of the frame's width and height.
    REACH = {"still": (0, 0), "hand-held": (0.06, 0.06), "pan": (0.4, 0.02)}

    def __init__(self, kind, size, rate, chance):
        self.kind, self.rate = kind, rate
        self.reach = np.array(self.REACH[kind]) * size
        self.scene = tuple(int(v) for v in np.ceil(np.array(size) + 2 * self.reach))
        # Slow swaying and faster, weaker trembling, at frequencies without a common period.
        self.waves = [(share, hertz * chance.uniform(0.8, 1.25), chance.uniform(0, 2 * np.pi, 2))
                      for share, hertz in ((0.7, 0.23), (0.2, 0.9), (0.07, 2.3), (0.03, 5.1)) if kind == "hand-held"]

    def at(self, frame):
        seconds = frame / self.rate
        if self.kind == "pan":
            # To and fro in eight seconds at a constant speed of a fifth of the frame's width per second.
            there = np.array([2 * abs((seconds / 8 + 0.25) % 1 * 2 - 1) - 1, np.sin(seconds)])
        else:
            there = sum((share * np.sin(2 * np.pi * hertz * seconds + phase) for share, hertz, phase in self.waves), np.zeros(2))
        return self.reach * (1 + there)


def cut(corner, size, box):
    """Returns the visible part of a box in the scene, or None if little of it is visible."""
    left, top = np.maximum(box[:2] - corner, 0)
    right, bottom = np.minimum(box[:2] + box[2:] - corner, size)
    seen = max(0, right - left) * max(0, bottom - top)
    return (left, top, right - left, bottom - top) if seen > 0.25 * box[2] * box[3] else None


def make(path, things, chance, options):
    camera = Camera(options.camera, options.size, options.rate, chance)
    scene = background(options.photos, camera.scene, chance)
    count = chance.integers(8, 14) if options.things is None else options.things
    if options.passing:
        walkers = passers(things, count, camera.scene, options, chance)
    else:
        walkers = [Walker(*things[chance.integers(len(things))], camera.scene, options, chance) for _ in range(count)]
    grain = chance.normal(0, options.noise, (options.size[1], options.size[0], 1)) if options.noise else None
    rows = []
    encoder = "x264enc speed-preset=veryfast quantizer=20 pass=quant"
    if subprocess.run(["gst-inspect-1.0", "x264enc"], capture_output=True).returncode != 0:
        encoder = "openh264enc bitrate=12000000"
    size = options.size
    player = subprocess.Popen(
        ["gst-launch-1.0", "-q", *(f"fdsrc fd=0 ! rawvideoparse format=rgb width={size[0]} height={size[1]} framerate={options.rate}/1 ! videoconvert"
                                   f" ! {encoder} ! h264parse ! mp4mux ! filesink").split(), f"location={path}.mp4"], stdin=subprocess.PIPE)
    for frame in range(1, options.frames + 1):
        picture, corner = scene.copy(), camera.at(frame)
        for number, walker in enumerate(walkers, 1):
            place = np.round(walker.at)
            picture.paste(walker.picture, tuple(place.astype(int)), walker.picture)
            box = cut(corner, size, np.concatenate([walker.rim + place, walker.picture.size - 2 * walker.rim]))
            if box:
                rows.append((frame, number, *box, 1, walker.kind, 1))
            walker.move()
        if camera.reach.any():
            picture = picture.transform(size, Image.AFFINE, (1, 0, corner[0], 0, 1, corner[1]), Image.BILINEAR)
        if grain is not None:
            # Rolling one noise picture is much faster than generating new noise for every frame.
            shown = np.asarray(picture, np.float32) + np.roll(grain, chance.integers(size[0] * size[1]))
            picture = Image.fromarray(np.clip(shown, 0, 255).astype(np.uint8))
        player.stdin.write(picture.tobytes())
    player.stdin.close()
    if player.wait() != 0:
        raise SystemExit("clips.py: cannot encode the clip")
    (path / "gt").mkdir(parents=True, exist_ok=True)
    np.savetxt(path / "gt" / "gt.txt", np.array(rows).reshape(-1, 9), fmt="%g", delimiter=",")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--photos", type=pathlib.Path, default=SHARED / "data/photos/coco-val-128", help="a folder with images/ and instances.json")
    parser.add_argument("--size", type=lambda text: tuple(map(int, text.split("x"))), default=(1920, 1080))
    parser.add_argument("--clips", type=int, default=3)
    parser.add_argument("--frames", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--things", type=int, help="objects in each clip (default: 8 to 13)")
    parser.add_argument("--heights", type=lambda text: tuple(map(float, text.split("-"))), default=(24, 160), help="in pixels")
    parser.add_argument("--pace", type=float, default=1, help="factor of the speed; 0: static objects")
    parser.add_argument("--camera", choices=Camera.REACH, default="still")
    parser.add_argument("--noise", type=float, default=0, metavar="LEVELS", help="standard deviation of the noise, in levels of 256")
    parser.add_argument("--kinds", type=lambda text: text.split(","), default=KINDS, help="by COCO's names")
    parser.add_argument("--passing", action="store_true", help="objects appear one after the other")
    parser.add_argument("--rate", type=int, default=25, help="frames per second")
    options = parser.parse_args()
    chance = np.random.default_rng(options.seed)
    things = cutouts(options.photos, options.kinds)
    options.folder.mkdir(parents=True, exist_ok=True)
    for number in range(options.clips):
        make(options.folder / f"{options.size[1]}p-{number}", things, chance, options)


if __name__ == "__main__":
    main()
