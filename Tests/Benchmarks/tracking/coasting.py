#!/usr/bin/env python3
"""Lists the coasting boxes in some frames of a video, and writes these frames with all boxes drawn for visual inspection.

Usage: coasting.py VIDEO FIRST LAST FOLDER [PROPERTY=VALUE ...]. Frames are counted from 0; the properties are set on the element.
FOLDER gets NUMBER.png for each frame from FIRST to LAST. Needs what Pipelines/setup builds.

Each line holds frame, tracking id, label, left, top, width and height in pixels, and the milliseconds since the latest detection.
nothing.py judges the boxes of videos that have ground truth.
"""
import json
import pathlib
import subprocess
import sys

from element import ROOT, box


def play(video, folder, properties):
    """Returns one result for each frame, and writes every frame as a picture."""
    pipeline = ["filesrc", f"location={video}", *"! decodebin ! videoconvert ! swiftodt draw-coasting=true updates=every-frame".split(),
                *"multiple-objects=true max-objects=100".split(), *properties, *"! videoconvert ! pngenc ! multifilesink".split(),
                f"location={folder}/%d.png"]
    said = subprocess.run([ROOT / "Pipelines/with-plugin", ROOT / "Pipelines/bus-to-json", *pipeline],
                          check=True, capture_output=True, text=True).stdout
    return [one for one in map(json.loads, said.splitlines()) if one["message"] == "swiftodt"]


def main():
    if len(sys.argv) < 5:
        sys.exit(__doc__)
    video, first, last, folder = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), pathlib.Path(sys.argv[4])
    folder.mkdir(parents=True, exist_ok=True)
    count = 0
    for number, result in enumerate(play(video, folder, sys.argv[5:])):
        if not first <= number <= last:
            (folder / f"{number}.png").unlink()
            continue
        for thing in result["objects"]:
            if thing["state"] == "coasting":
                count += 1
                place = " ".join(f"{side:.0f}" for side in box(thing, result))
                print(f"{number} #{thing['tracking-id']} {thing['label'] or '?'} {place} "
                      f"{thing['time-since-update'] / 1e6:.0f} ms")
    print(f"{count} coasting boxes in frames {first} to {last}")


if __name__ == "__main__":
    main()
