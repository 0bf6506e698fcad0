"""Runs the element on a video and reads its messages."""
import json
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[3]


def play(video, properties, before="", player=("Pipelines/bus-to-json",)):
    """Returns the result of each frame, and the statistics.

    before: the elements before it in the pipeline, with the link. player: the program and its arguments before the pipeline.
    """
    said = subprocess.run(
        [ROOT / "Pipelines/with-plugin", ROOT / player[0], *map(str, player[1:]),
         "filesrc", f"location={video}", *f"! decodebin ! {before} swiftodt draw=false updates=every-frame".split(),
         *"multiple-objects=true max-objects=100".split(), *properties, "!", "fakesink"], check=True, capture_output=True, text=True)
    said = [json.loads(line) for line in said.stdout.splitlines()]
    return [one for one in said if one["message"] == "swiftodt"], said[-1]


def box(thing, result):
    """Returns left, top, width and height in pixels, with fractions."""
    width, height = result["width"], result["height"]
    return (thing["x-min"] * width, thing["y-min"] * height,
            (thing["x-max"] - thing["x-min"]) * width, (thing["y-max"] - thing["y-min"]) * height)
