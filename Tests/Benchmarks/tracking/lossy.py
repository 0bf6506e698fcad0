#!/usr/bin/python3
"""Plays a pipeline with randomly lost frames and prints the messages of swiftodt, as Pipelines/bus-to-json does.

Usage: lossy.py LOSS SEED PIPELINE. The pipeline needs an `identity name=loss`, which drops the fraction LOSS of its frames and marks
the next frame as discontinuous. SEED determines the frames. Requires Debian's python3-gi, so not the Python of a virtual environment.
"""
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "Pipelines"))
from running.player import Gst, Player, line, parse, start_gstreamer  # noqa: E402
from running.program import program  # noqa: E402


def main(arguments):
    if len(arguments) < 3:
        sys.exit(__doc__)
    share, choose = float(arguments[0]), random.Random(arguments[1])
    start_gstreamer()
    pipeline = parse(arguments[2:])
    loss = pipeline.get_by_name("loss")

    def decide(pad, info):
        # The random generator of identity cannot be seeded, so the probability is set to 0 or 1 for each frame.
        loss.props.drop_probability = 1 if choose.random() < share else 0
        return Gst.PadProbeReturn.OK

    loss.get_static_pad("sink").add_probe(Gst.PadProbeType.BUFFER, decide)
    player = Player(pipeline)
    for message in player.messages():
        sys.stdout.write(line(message))
    sys.stdout.writelines(player.statistics())
    player.stop()
    return player.code()


if __name__ == "__main__":
    program(main)
