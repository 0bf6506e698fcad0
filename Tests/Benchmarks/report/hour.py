#!/usr/bin/python3
"""Measures `odt report` on an hour with 5,000 objects: time, memory, size of the page, and the time to open it.

Usage: hour.py [--tracks N] [--seconds S] [--rate R] [VIDEO]

Generates S seconds (3600) of messages with R results per second (5) and N objects (5000), with a peak in the middle, makes the page (with pictures
if VIDEO is named), and opens it five times in headless Chromium. Prints sizes, time and peak memory of odt, and the median of the milliseconds
from navigation until the page is complete.
"""
import json
import os
import random
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
SECOND = 10**9
LABELS = ["person"] * 10 + ["car"] * 6 + ["bicycle"] * 3 + ["dog", "truck", "bus", "motorcycle", "backpack", "handbag", "cat", "bird"]
PROBE = """<script>addEventListener("load", () => { document.body.offsetHeight; document.body.dataset.opened = performance.now(); });</script>"""


class Passer:
    """An object that moves through the frame."""

    def __init__(self, dice, number, start):
        self.number, self.first = number, start
        self.last = start + 1 + dice.expovariate(1 / 8)
        self.label = dice.choice(LABELS)
        self.x, self.y, self.pace = dice.random() * 0.8, min(max(dice.gauss(0.5, 0.15), 0), 0.75), dice.uniform(-0.02, 0.02)

    def thing(self, now):
        x = min(max(self.x + self.pace * (now - self.first), 0), 0.9)
        return {"tracking-id": self.number, "x": int(x * 640), "y": int(self.y * 272), "width": 60, "height": 60, "x-min": x, "y-min": self.y,
                "x-max": x + 0.09, "y-max": self.y + 0.22, "score": 0.8, "category": "unknown", "category-index": -1, "label": self.label,
                "label-index": 0, "state": "tracked", "first-seen": int(self.first * SECOND), "last-seen": int(now * SECOND),
                "time-since-update": 0, "velocity-x": 1.5, "velocity-y": 0.5, "prominent": False, "rank": 0}

    def crossing(self, now):
        return {"message": "swiftodt-zone", "event": "cross", "zone": "door", "direction": "in" if self.pace > 0 else "out",
                "tracking-id": self.number, "label": self.label, "event-running-time": int(now * SECOND), "running-time": int(now * SECOND)}


def write_messages(path, tracks, seconds, rate):
    dice = random.Random(7)
    starts = sorted(dice.uniform(0, seconds - 2) if number % 3 else min(max(dice.gauss(0.6, 0.08) * seconds, 0), seconds - 2)
                    for number in range(tracks))
    present, number = [], 0
    with open(path, "w", encoding="ascii") as file:
        for frame in range(seconds * rate):
            now = frame / rate
            while number < tracks and starts[number] <= now:
                number += 1
                present.append(Passer(dice, number, now))
            for gone in (one for one in present if one.last < now):
                file.write(json.dumps(gone.crossing(now)) + "\n")
            present = [one for one in present if one.last >= now]
            time_of = int(now * SECOND)
            file.write(json.dumps({
                "message": "swiftodt", "version": 1, "sequence": frame, "epoch": 0, "timestamp": time_of, "stream-time": time_of,
                "running-time": time_of, "utc-time": None, "duration": SECOND // rate, "width": 640, "height": 272, "orientation": "identity",
                "mode": "stream", "object-count": len(present), "objects": [one.thing(now) for one in present]}) + "\n")


def opened(page, folder):
    said = subprocess.run(["chromium", "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder}/profile",
                           "--window-size=1280,900", "--dump-dom", f"file://{page}"], capture_output=True, text=True, timeout=120)
    found = re.search(r'data-opened="([\d.]+)"', said.stdout)
    return float(found[1]) if found else sys.exit(f"hour.py: Chromium prints no time: {said.stderr[-500:]}")


def main(words):
    if "-h" in words or "--help" in words:
        print(__doc__)
        return
    options = {"--tracks": 5000, "--seconds": 3600, "--rate": 5}
    while words and words[0] in options:
        options[words[0]] = int(words[1])
        words = words[2:]
    with tempfile.TemporaryDirectory() as folder:
        messages, page = f"{folder}/messages.jsonl", f"{folder}/page.html"
        write_messages(messages, options["--tracks"], options["--seconds"], options["--rate"])
        started = time.monotonic()
        subprocess.run([f"{ROOT}/.build/tool/odt", "report", "-o", page, messages, *words], check=True, stdout=subprocess.DEVNULL)
        took, memory = time.monotonic() - started, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
        print(f"{os.path.getsize(messages) / 1e6:.0f} MB of messages: made in {took:.1f} s, with {memory:.0f} MB of memory at most")
        size = os.path.getsize(page)
        with open(page, "a", encoding="ascii") as file:
            file.write(PROBE)
        moments = [opened(page, folder) for _ in range(5)]
        print(f"page of {size / 1e6:.1f} MB: opens in {statistics.median(moments):.0f} ms (from {min(moments):.0f} to {max(moments):.0f})")


if __name__ == "__main__":
    main(sys.argv[1:])
