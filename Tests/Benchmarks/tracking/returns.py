#!/usr/bin/env python3
"""Counts how often reidentify=true recognises people who return in PETS09-S2L1, and how often it confuses them.

Usage: returns.py SEQUENCE [PROPERTY=VALUE ...]

SEQUENCE is the folder of MOT15/PETS09-S2L1 with vtest.avi. Its ground truth gives a person a new id after each return; PEOPLE joins
those ids, by eye. A recognition is right if the most frequent person in the last 5 s of the earlier track is that of the next 3 s.
"""
import collections
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
PEOPLE = {14: 3, 10: 6, 20: 2, 12: 4, 11: 7, 15: 9, 16: 9, 19: 9}
RATE = 10


def overlap(box, other):
    width = min(box[0] + box[2], other[0] + other[2]) - max(box[0], other[0])
    height = min(box[1] + box[3], other[1] + other[3]) - max(box[1], other[1])
    common = max(0, width) * max(0, height)
    return common / (box[2] * box[3] + other[2] * other[3] - common)


def main(sequence, properties):
    truth = collections.defaultdict(list)
    for line in (sequence / "gt/gt.txt").read_text().splitlines():
        frame, number, *box = [float(value) for value in line.split(",")[:6]]
        truth[int(frame)].append((PEOPLE.get(int(number), int(number)), box))
    pipeline = [ROOT / "Pipelines/bus-to-json", "filesrc", f"location={sequence}/vtest.avi", "!", "decodebin", "!", "videoconvert", "!",
                "swiftodt", "draw=false", "multiple-objects=true", "max-objects=100", "label-allowlist=person", "reidentify=true",
                *properties, "!", "fakesink"]
    seen, returns, tracks = collections.defaultdict(list), [], 0
    for line in subprocess.run(pipeline, stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines():
        message = json.loads(line)
        frame = round(message.get("running-time", 0) / 1e9 * RATE) + 1
        if message.get("event") == "re-entered":
            returns.append((frame, message["tracking-id"]))
        tracks += message.get("message") == "swiftodt-track" and message["event"] in ("begin", "re-entered")
        for found in message.get("objects", []):
            box = [found[key] for key in ("x", "y", "width", "height")]
            part, person = max(((overlap(box, true), person) for person, true in truth[frame]), default=(0, 0))
            if part > 0.4:
                seen[found["tracking-id"]].append((frame, person))
    right = wrong = 0
    for frame, number in returns:
        before = [person for at, person in seen[number] if at < frame - 1][-50:]
        after = [person for at, person in seen[number] if frame <= at < frame + 3 * RATE]
        if before and after:
            same = collections.Counter(before).most_common(1)[0][0] == collections.Counter(after).most_common(1)[0][0]
            right, wrong = right + same, wrong + (not same)
    print(f"{tracks} tracks, {len(returns)} re-entered: {right} right, {wrong} wrong")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(pathlib.Path(sys.argv[1]), sys.argv[2:])
