#!/usr/bin/env python3
"""Counts how often reidentify=true recognises people who return, and how often it confuses them.

Usage: returns.py SEQUENCE|VIDEO [PROPERTY=VALUE ...]

SEQUENCE is the folder of MOT15/PETS09-S2L1 with vtest.avi. Its ground truth gives a person a new id after each return; PEOPLE joins
those ids, by eye. A recognition is right if the last 5 s of the earlier track and the next 3 s have the same most frequent person.
The processor time is measured in pairs, with and without reidentify=true. It excludes the loading of the network, which is measured in
pairs that end after the first frame.

VIDEO is one-by-one-person-detection.mp4, in which six people pass one after the other before a static camera. It is cut into CLIPS in
which everybody comes twice, in random order and different light, with others in between. The first visit consists of the first half of
a person's pictures, forwards and backwards, the second one of the other half, so that no picture is used twice. A person is recognised
if an id of the first visit is reported in the second one, and confused if an id of another person is. Requires numpy.
"""
import collections
import json
import pathlib
import random
import resource
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
PEOPLE = {14: 3, 13: 5, 10: 6, 20: 2, 12: 4, 11: 7, 15: 9, 16: 9, 19: 9}
RATE = 10
PAIRS = 3

# The pictures of each person in VIDEO, and those in which nobody is visible.
VISITS = [(58, 200), (225, 450), (500, 699), (743, 870), (919, 1199), (1233, 1363)]
EMPTY = (5, 45)
WIDTH, HEIGHT = 512, 288
CLIPS = 8
# The maximum number of pictures of half a visit.
HALF = 45


def overlap(box, other):
    width = min(box[0] + box[2], other[0] + other[2]) - max(box[0], other[0])
    height = min(box[1] + box[3], other[1] + other[3]) - max(box[1], other[1])
    common = max(0, width) * max(0, height)
    return common / (box[2] * box[3] + other[2] * other[3] - common)


def used():
    """Returns the user and system time of the ended child processes in seconds."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def play(source, properties, pictures=None):
    """Returns the messages of a pipeline, as (frame, message), and its processor time in seconds."""
    pipeline = [ROOT / "Pipelines/bus-to-json", *source, "!", "swiftodt", "draw=false", "multiple-objects=true", "max-objects=100",
                "label-allowlist=person", *properties, "!", "fakesink"]
    before = used()
    output = subprocess.run(pipeline, input=pictures, stdout=subprocess.PIPE, check=True).stdout
    cost = used() - before
    messages = [json.loads(line) for line in output.splitlines()]
    return [(round(message.get("running-time", 0) / 1e9 * RATE) + 1, message) for message in messages], cost


def measure_sequence(sequence, properties):
    truth = collections.defaultdict(list)
    for line in (sequence / "gt/gt.txt").read_text().splitlines():
        frame, number, *box = [float(value) for value in line.split(",")[:6]]
        truth[int(frame)].append((PEOPLE.get(int(number), int(number)), box))
    source = ["filesrc", f"location={sequence}/vtest.avi", "!", "decodebin", "!", "videoconvert"]

    def pair(*source):
        """Returns the messages with reidentify=true, and the additional processor time in milliseconds."""
        messages, cost = play(source, ["reidentify=true", *properties])
        return messages, 1000 * (cost - play(source, ["reidentify=false", *properties])[1])

    costs, loading = [], []
    for _ in range(PAIRS):
        loading.append(pair(*source, "!", "identity", "eos-after=2")[1])
        messages, cost = pair(*source)
        costs.append((cost - loading[-1]) / max(truth))
    seen, returns, tracks = collections.defaultdict(list), [], 0
    for frame, message in messages:
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
    print(f"{tracks} tracks, {len(returns)} re-entered: {right} right, {wrong} wrong; processor time per frame: "
          + ", ".join(f"{cost:.2f}" for cost in sorted(costs)) + " ms; of the loading: "
          + ", ".join(f"{cost:.0f}" for cost in sorted(loading)) + " ms")


def make_clip(footage, seed):
    """Returns the pictures of a clip in I420, and the visitor (person, 0 or 1) in each picture; None if there is none."""
    import numpy as np
    rng = random.Random(seed)
    order = []
    for visit in range(2):
        people = rng.sample(range(len(VISITS)), len(VISITS))
        order += [(person, visit) for person in people]
    # Another person comes before the same person returns.
    if order[5][0] == order[6][0]:
        order[6], order[7] = order[7], order[6]
    pictures, visitors = [], []
    for person, visit in order:
        begin, end = VISITS[person]
        length = min(HALF, (end - begin) // 2)
        half = list(range(begin, begin + length)) if visit == 0 else list(range(end - 1, end - 1 - length, -1))
        absent = [rng.randrange(*EMPTY) for _ in range(rng.randrange(2 * RATE, 5 * RATE))]
        numbers = absent + half + half[::-1]
        part = footage[numbers].astype(np.float32)
        part[:, : WIDTH * HEIGHT] *= rng.uniform(0.75, 1.1)
        for colour in range(2):
            part[:, WIDTH * HEIGHT * (4 + colour) // 4 :][:, : WIDTH * HEIGHT // 4] += rng.uniform(-4, 4)
        pictures.append(np.clip(part, 0, 255).astype(np.uint8))
        visitors += [None] * len(absent) + [(person, visit)] * (2 * len(half))
    return np.concatenate(pictures), visitors


def measure_clips(video, properties):
    import numpy as np
    decoded = subprocess.run(
        ["gst-launch-1.0", "-q", "filesrc", f"location={video}", "!", "decodebin", "!", "videoscale", "!", "videoconvert", "!",
         f"video/x-raw,format=I420,width={WIDTH},height={HEIGHT},pixel-aspect-ratio=1/1", "!", "fdsink", "fd=1"],
        stdout=subprocess.PIPE, check=True).stdout
    footage = np.frombuffer(decoded, np.uint8).reshape(-1, WIDTH * HEIGHT * 3 // 2)
    recognised = confused = 0
    for seed in range(CLIPS):
        pictures, visitors = make_clip(footage, seed)
        source = ["fdsrc", "fd=0", "!", "rawvideoparse", "format=i420", f"width={WIDTH}", f"height={HEIGHT}", f"framerate={RATE}/1"]
        messages, _ = play(source, ["reidentify=true", *properties], pictures.tobytes())
        # An id belongs to the first person with that id.
        owner, ids = {}, collections.defaultdict(set)
        for frame, message in messages:
            visitor = visitors[min(frame, len(visitors)) - 1]
            for found in message.get("objects", []) if visitor else []:
                ids[visitor].add(owner.setdefault(found["tracking-id"], visitor))
        for (person, visit), owners in ids.items():
            recognised += visit == 1 and (person, 0) in owners
            confused += any(other != person for other, _ in owners)
    returns = CLIPS * len(VISITS)
    print(f"{returns} returns: {recognised} recognised, {returns - recognised} missed; {confused} of {2 * returns} visits confused")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    path = pathlib.Path(sys.argv[1])
    (measure_sequence if path.is_dir() else measure_clips)(path, sys.argv[2:])
