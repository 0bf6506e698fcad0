#!/usr/bin/env python3
"""Measures the detection of unclassified moving objects in synthetic scenes with ground truth.

Usage: moving.py [--seed N] [--seconds N] [--save FOLDER] [SCENE ...] [PROPERTY=VALUE ...]. The properties are set on the element, which has
unknown-objects=moving and, to have no labelled detections, detector=upstream. Requires Pipelines/setup and numpy.

Textured objects enter, pass, turn, stop and leave over a textured background with a static camera: without disturbances, and with
shadows, changing light, ripples, swaying leaves, noise, or all of them. A box with an IoU of at least 0.5 has found an object; objects
count while at least half of them is in the frame. For scenes without motion, and for a panning or trembling camera, boxes per frame are
printed, of which there should be none. --save writes the annotated picture of each second as a PNG file.
"""
import argparse
import json
import os
import pathlib
import subprocess
import tempfile

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[3]
WIDTH, HEIGHT, RATE = 640, 360, 15
# The disturbances of each scene.
SCENES = {
    "plain": {}, "shadows": dict(shadow=0.55), "light": dict(light=True), "ripples": dict(ripples=True),
    "leaves": dict(leaves=True), "noise": dict(noise=8.0),
    "all": dict(shadow=0.6, light=True, ripples=True, leaves=True, noise=4.0),
    "empty, all": dict(things=0, light=True, ripples=True, leaves=True, noise=4.0),
    "panning": dict(pan=(40, 0)), "slow pan": dict(pan=(6, 0)), "trembling": dict(tremble=2.5),
}


def texture(rng, width, height, contrast, coarse):
    """Returns grey noise of several scales with mean 0."""
    picture = np.zeros((height, width))
    for size in (coarse, coarse // 2, coarse // 4, 1):
        if size < 1:
            continue
        cells = rng.normal(size=(height // size + 3, width // size + 3))
        y, x = np.arange(height) / size, np.arange(width) / size
        y0, x0 = y.astype(int), x.astype(int)
        fy, fx = (y - y0)[:, None], (x - x0)[None, :]
        rows = cells[y0] * (1 - fy) + cells[y0 + 1] * fy
        picture += (rows[:, x0] * (1 - fx) + rows[:, x0 + 1] * fx) * size ** 0.5
    return contrast * picture / picture.std()


class Thing:
    """A textured patch that moves over time."""

    def __init__(self, rng, seconds):
        self.size = rng.uniform(24, 90, 2) * rng.choice([1, 1, 1.5])
        self.starts = rng.uniform(1.5, max(2, seconds - 6))
        width, height = np.ceil(self.size).astype(int)
        level = rng.choice([rng.uniform(35, 85), rng.uniform(150, 215)])
        self.patch = np.clip(level + texture(rng, width, height, rng.uniform(12, 30), 16), 5, 250)
        y, x = np.mgrid[0:height, 0:width]
        power = rng.choice([2, 4, 10])
        self.mask = (np.abs((x + 0.5) / width * 2 - 1) ** power + np.abs((y + 0.5) / height * 2 - 1) ** power) <= 1
        self.leftwards = rng.random() < 0.5
        self.speed = rng.uniform(50, 150)
        self.y, self.wave, self.phase = rng.uniform(0.2, 0.85) * HEIGHT, rng.uniform(0, 40), rng.uniform(0, 6)
        # Some objects stop on their way.
        self.stops = rng.uniform(2, 4) if rng.random() < 0.3 else np.inf
        self.rests = rng.uniform(1, 5)

    def place(self, time):
        """Returns its centre, or None before it appears and after it has left."""
        age = time - self.starts
        if age < 0:
            return None
        age = min(age, self.stops) + max(0, age - self.stops - self.rests)
        way = age * self.speed - self.size[0] / 2
        if way > WIDTH + self.size[0]:
            return None
        return (WIDTH - way if self.leftwards else way), self.y + self.wave * np.sin(self.phase + age)

    def box(self, time):
        place = self.place(time)
        if place is None:
            return None
        height, width = self.mask.shape
        left, top = round(place[0] - width / 2), round(place[1] - height / 2)
        return left, top, left + width, top + height


def clip(box):
    return max(0, box[0]), max(0, box[1]), min(WIDTH, box[2]), min(HEIGHT, box[3])


def paste(picture, box, mask, value):
    """Applies `value` to the overlapping parts of the picture and the patch."""
    left, top, right, bottom = clip(box)
    if left >= right or top >= bottom:
        return
    inside = np.s_[top - box[1]:bottom - box[1], left - box[0]:right - box[0]]
    part = picture[top:bottom, left:right]
    part[mask[inside]] = value(part, inside)[mask[inside]]


def film(rng, seconds, things=7, shadow=1.0, light=False, ripples=False, leaves=False, noise=1.5, pan=(0, 0), tremble=0.0):
    """Yields (picture, boxes of objects with at least half of them in the frame) for each frame."""
    still = pan == (0, 0) and not tremble
    things = [Thing(rng, seconds) for _ in range(things if still else 0)]
    margin = 20 + int(max(abs(pan[0]), abs(pan[1])) * seconds)
    ground = 115 + texture(rng, WIDTH + 2 * margin, HEIGHT + 2 * margin, 18, 64)
    for _ in range(int(ground.size / 2500)):
        # Walls, windows, kerbs.
        left, top = rng.integers(0, ground.shape[1]), rng.integers(0, ground.shape[0])
        ground[top:top + rng.integers(4, 60), left:left + rng.integers(4, 90)] += rng.uniform(-35, 35)
    ground = np.clip(ground, 15, 240)
    waves = [(rng.uniform(0.15, 0.7), rng.uniform(-0.5, 0.5), rng.uniform(2, 9) * rng.choice([-1, 1]), rng.uniform(0, 6)) for _ in range(10)]
    bushes = [(rng.uniform(0.02, 0.95) * WIDTH, rng.uniform(0.02, 0.25) * HEIGHT, rng.uniform(8, 22), rng.uniform(0, 6),
               rng.uniform(0.5, 1.6), rng.uniform(40, 90)) for _ in range(40)]
    leaf_shapes = [np.clip(level + texture(rng, int(2 * size), int(size), 15, 4), 5, 250) for _, _, size, _, _, level in bushes]
    y, x = np.mgrid[0:HEIGHT, 0:WIDTH]
    for frame in range(int(seconds * RATE)):
        time = frame / RATE
        dx, dy = margin + round(pan[0] * time + tremble * rng.normal()), margin + round(pan[1] * time + tremble * rng.normal())
        picture = ground[dy:dy + HEIGHT, dx:dx + WIDTH].copy()
        if ripples:
            water = picture[int(0.8 * HEIGHT):]
            slope = sum(np.sin(x[:len(water)] * across + y[:len(water)] * down + time * pace + phase) for across, down, pace, phase in waves)
            water += 5 * slope + 60 * (slope > 5)
        if leaves:
            gust = 0.5 + 0.5 * np.sin(time * 0.7)
            for (left, top, size, phase, pace, _), shape in zip(bushes, leaf_shapes):
                sway = 5 * gust * np.sin(phase + time * 2 * np.pi * pace)
                at = int(left + sway), int(top + 0.3 * sway)
                paste(picture, (*at, at[0] + shape.shape[1], at[1] + shape.shape[0]), np.ones(shape.shape, bool),
                      lambda part, inside, shape=shape: shape[inside])
        boxes = []
        there = [(thing, box) for thing in things if (box := thing.box(time))]
        if shadow < 1:
            dark = np.ones_like(picture)
            for thing, box in there:
                height, width = thing.mask.shape
                paste(dark, (box[0] + int(0.7 * width), box[3] - height // 2, box[2] + int(0.7 * width), box[3] + height // 2),
                      thing.mask, lambda part, _: np.full_like(part, shadow))
            picture *= dark
        for thing, box in there:
            paste(picture, box, thing.mask, lambda part, inside, thing=thing: thing.patch[inside])
            left, top, right, bottom = clip(box)
            if max(0, right - left) * max(0, bottom - top) >= 0.5 * thing.mask.size:
                boxes.append((left, top, right, bottom))
        if light:
            picture *= 1 + 0.15 * np.sin(time * 0.6) + 0.02 * np.sin(time * 37)
            if time % 9 > 6:
                # A lamp that is switched on and off.
                picture += 45 * np.exp(-((x - 0.7 * WIDTH) ** 2 + (y - 0.5 * HEIGHT) ** 2) / 2 / 45 ** 2)
            if 11 < time < 14:
                picture *= 1.2
        picture += noise * rng.standard_normal(picture.shape, np.float32)
        yield np.clip(picture, 0, 255).astype(np.uint8), np.array(boxes, float).reshape(-1, 4)


def play(pictures, properties, save):
    """Returns the result of each frame."""
    with tempfile.NamedTemporaryFile(suffix=".gray") as file:
        for picture in pictures:
            file.write(picture.tobytes())
        file.flush()
        keep = [*"videorate ! video/x-raw,framerate=1/1 ! videoconvert ! pngenc ! multifilesink".split(), f"location={save}"] if save else ["fakesink"]
        said = subprocess.run(
            [ROOT / "Pipelines/with-plugin", ROOT / "Pipelines/bus-to-json",
             "filesrc", f"location={file.name}", *f"! rawvideoparse format=gray8 width={WIDTH} height={HEIGHT} framerate={RATE}/1".split(),
             *"! swiftodt unknown-objects=moving multiple-objects=true max-objects=100 updates=every-frame".split(),
             f"draw={'true' if save else 'false'}", *properties, "!", *keep], check=True, capture_output=True, text=True)
    said = [json.loads(line) for line in said.stdout.splitlines()]
    frames = []
    for result in (one for one in said if one["message"] == "swiftodt"):
        frames.append([((thing["x-min"] * WIDTH, thing["y-min"] * HEIGHT, thing["x-max"] * WIDTH, thing["y-max"] * HEIGHT),
                        thing["tracking-id"]) for thing in result["objects"] if thing["state"] != "lost" and not thing["label"]])
    return frames


def overlap(a, b):
    low, high = np.maximum(a[:, None, :2], b[None, :, :2]), np.minimum(a[:, None, 2:], b[None, :, 2:])
    shared = np.prod(np.clip(high - low, 0, None), axis=2)
    return shared / (np.prod(a[:, 2:] - a[:, :2], axis=1)[:, None] + np.prod(b[:, 2:] - b[:, :2], axis=1)[None] - shared)


def judge(truths, found):
    """Returns the numbers of hits, boxes, objects in all frames, and ids."""
    hits = boxes = things = 0
    for truth, here in zip(truths, found):
        things, boxes = things + len(truth), boxes + len(here)
        if not len(truth) or not here:
            continue
        pairs = overlap(truth, np.array([box for box, _ in here]))
        while pairs.size and pairs.max() >= 0.5:
            row, column = np.unravel_index(pairs.argmax(), pairs.shape)
            pairs[row], pairs[:, column] = 0, 0
            hits += 1
    return hits, boxes, things, len({name for here in found for _, name in here})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--save", metavar="FOLDER", help="write the annotated pictures")
    parser.add_argument("words", nargs="*", metavar="SCENE or PROPERTY=VALUE")
    options = parser.parse_args()
    properties = [word for word in options.words if "=" in word]
    chosen = [word for word in options.words if "=" not in word] or list(SCENES)
    if not any(one.startswith("detector=") for one in properties):
        properties.append("detector=upstream")
    all_of = np.zeros(4, int)
    for name in chosen:
        rng = np.random.default_rng([options.seed, list(SCENES).index(name)])
        pictures, truths = zip(*film(rng, options.seconds, **SCENES[name]))
        save = None
        if options.save:
            os.makedirs(options.save, exist_ok=True)
            save = os.path.join(options.save, name.replace(" ", "-").replace(",", "") + "-%02d.png")
        found = play(pictures, properties, save)
        hits, boxes, things, ids = figures = judge(truths, found)
        if things:
            all_of += figures
            print(f"{name:12} precision {hits / max(1, boxes):5.3f}  recall {hits / things:5.3f}  {things:5} things, {boxes:5} boxes, {ids:3} ids",
                  flush=True)
        else:
            print(f"{name:12} {boxes / len(found):5.3f} boxes a frame", flush=True)
    hits, boxes, things, _ = all_of
    if things:
        print(f"{'together':12} precision {hits / max(1, boxes):5.3f}  recall {hits / things:5.3f}")


if __name__ == "__main__":
    main()
