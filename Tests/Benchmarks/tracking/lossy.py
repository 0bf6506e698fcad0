#!/usr/bin/python3
"""Plays a pipeline and prints what swiftodt says, as Pipelines/bus-to-json does, while frames are lost: the same ones for the same seed.

Usage: lossy.py LOSS SEED PIPELINE. In the pipeline is an `identity name=loss`, which loses that share of its frames and marks
the next one of each as discontinuous, as whatever drops frames does. Needs Debian's python3-gi, so no environment's Python.
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
        # Its own dice cannot be seeded: each frame is told its fate.
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
