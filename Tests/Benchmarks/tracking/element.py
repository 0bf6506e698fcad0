"""Runs the element over a video and reads what it says."""
import json
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[3]


def play(video, properties, before="", player=("Pipelines/bus-to-json",)):
    """What the element says of each frame, and its counters.

    before: what stands before it in the pipeline, with the link to it. player: the program, and what comes before the pipeline there.
    """
    said = subprocess.run(
        [ROOT / "Pipelines/with-plugin", ROOT / player[0], *map(str, player[1:]),
         *(f"filesrc location={video} ! decodebin ! {before} swiftodt draw=false updates=every-frame multiple-objects=true"
           f" max-objects=100 {' '.join(properties)} ! fakesink").split()], check=True, capture_output=True, text=True)
    said = [json.loads(line) for line in said.stdout.splitlines()]
    return [one for one in said if one["message"] == "swiftodt"], said[-1]


def box(thing, result):
    """Left, top, width, height in pixels, with fractions."""
    width, height = result["width"], result["height"]
    return (thing["x-min"] * width, thing["y-min"] * height,
            (thing["x-max"] - thing["x-min"]) * width, (thing["y-max"] - thing["y-min"]) * height)
