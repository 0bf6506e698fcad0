#!/usr/bin/env python3
"""Generates scenes with ground truth and the detections of a simulated mediocre detector, in MOTChallenge's layout.

Usage: scenes.py FOLDER [SEED]. Writes FOLDER/synthetic/{crowd,dancers,athletes,panning}/{det/det.txt,gt/gt.txt,seqinfo.ini},
for compare.py: a crowd that crosses, dancers who swing and change sides, athletes who sprint and turn, and walkers before a
panning camera. Nearer people occlude others. Scores vary and decrease with occlusion, boxes jitter and lack their occluded part, and
there are false positives.
"""
import pathlib
import sys

import numpy as np

WIDTH, HEIGHT = 1280, 720


def walk(rng, frames, rate, people, pace, turning, swing, pan):
    """Returns the feet's position and the height of each person in every frame (x, y, height), NaN outside of the scene."""
    places = np.full((frames, people, 3), np.nan)
    for person in range(people):
        x, y = rng.uniform(0, WIDTH), rng.uniform(0.45, 0.95) * HEIGHT
        heading, size = rng.uniform(0, 2 * np.pi), rng.uniform(0.85, 1.15)
        phase, speed = rng.uniform(0, 2 * np.pi), pace * rng.uniform(0.5, 1.5)
        for frame in range(frames):
            height = 0.42 * y * size
            heading += turning * rng.normal() / np.sqrt(rate)
            if rng.random() < 0.3 * turning / rate:
                heading += rng.uniform(-np.pi, np.pi)
            x += speed * height * np.cos(heading) / rate
            y += 0.3 * speed * height * np.sin(heading) / rate
            if not 0.4 * HEIGHT < y < HEIGHT:
                y, heading = np.clip(y, 0.4 * HEIGHT, HEIGHT), -heading
            sway = swing * height * np.sin(phase + 2 * np.pi * frame / rate * (0.6 + 0.1 * person % 0.4))
            seen = (x + sway - pan * frame / rate) % (1.4 * WIDTH) - 0.2 * WIDTH
            crouch = 1 - abs(swing) * 0.5 * (1 + np.sin(2 * phase + frame / rate * 3)) / 2
            places[frame, person] = seen, y, height * crouch
    return places


def boxes_of(places, swing):
    wide = 0.36 + swing * 0.4
    return np.column_stack([places[:, 0] - wide * places[:, 2] / 2, places[:, 1] - places[:, 2], wide * places[:, 2],
                            places[:, 2]])


def hidden_share(boxes, feet):
    """Returns for each box the largest share that one nearer person covers, and the index of that person."""
    share, by = np.zeros(len(boxes)), np.full(len(boxes), -1)
    for one in range(len(boxes)):
        for other in np.flatnonzero(feet > feet[one]):
            shared = np.prod(np.clip(np.minimum(boxes[one, :2] + boxes[one, 2:], boxes[other, :2] + boxes[other, 2:])
                                     - np.maximum(boxes[one, :2], boxes[other, :2]), 0, None))
            if shared / np.prod(boxes[one, 2:]) > share[one]:
                share[one], by[one] = shared / np.prod(boxes[one, 2:]), other
    return share, by


def scene(folder, rng, rate, frames, **motion):
    places = walk(rng, frames, rate, **motion)
    people, flicker = motion["people"], rng.normal(size=motion["people"])
    ghosts = [(rng.uniform(0, WIDTH), rng.uniform(0, 0.6) * HEIGHT, rng.uniform(20, 60)) for _ in range(2)]
    truth, found = [], []
    for frame in range(frames):
        boxes = boxes_of(places[frame], motion["swing"])
        share, by = hidden_share(boxes, places[frame, :, 1])
        flicker = 0.8 * flicker + 0.6 * rng.normal(size=people)
        for person, box in enumerate(boxes):
            if box[0] + box[2] < 8 or box[0] > WIDTH - 8:
                continue
            truth.append((frame + 1, person + 1, *box, 1, 1, 1 - share[person]))
            score = 0.78 + 0.12 * flicker[person] - 0.9 * max(0, share[person] - 0.25)
            if share[person] > 0.85 or score < 0.1:
                continue
            left, top, right, bottom = box[0], box[1], box[0] + box[2], box[1] + box[3]
            if 0.3 < share[person] and rng.random() < 0.6:
                # The visible part of an occluded person: head and shoulders above the nearer one.
                bottom = max(top + 0.35 * box[3], min(bottom, boxes[by[person], 1] + 0.5 * boxes[by[person], 3]))
            error = rng.normal(size=4) * 0.025 * np.array([box[2], box[3], box[2], box[3]]) * (1 + 2 * share[person])
            left, top, right, bottom = np.array([left, top, right, bottom]) + error
            found.append((frame + 1, -1, left, top, right - left, bottom - top, min(score, 0.99)))
            if rng.random() < 0.03:
                # A duplicate detection of the upper body.
                found.append((frame + 1, -1, left, top, right - left, 0.5 * (bottom - top), rng.uniform(0.1, 0.6)))
        for x, y, size in ghosts:
            if rng.random() < 0.3:
                found.append((frame + 1, -1, x, y, size / 2, size, rng.uniform(0.1, 0.55)))
    for name, rows in (("gt/gt.txt", truth), ("det/det.txt", found)):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        np.savetxt(folder / name, rows, fmt="%.3f", delimiter=",")
    (folder / "seqinfo.ini").write_text(
        f"[Sequence]\nseqLength={frames}\nframeRate={rate}\nimWidth={WIDTH}\nimHeight={HEIGHT}\n")


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    folder, seed = pathlib.Path(sys.argv[1]) / "synthetic", int(sys.argv[2]) if len(sys.argv) > 2 else 1
    for number, (name, rate, frames, motion) in enumerate((
            ("crowd", 25, 500, dict(people=30, pace=0.6, turning=0.3, swing=0.0, pan=0)),
            ("dancers", 20, 400, dict(people=9, pace=0.5, turning=1.5, swing=0.3, pan=0)),
            ("athletes", 25, 400, dict(people=14, pace=2.2, turning=1.2, swing=0.1, pan=0)),
            ("panning", 10, 300, dict(people=16, pace=0.6, turning=0.3, swing=0.0, pan=150)))):
        scene(folder / name, np.random.default_rng([seed, number]), rate, frames, **motion)


if __name__ == "__main__":
    if not sys.argv[1:] or sys.argv[1] in ("-h", "--help"):
        sys.exit(__doc__.strip())
    main()
