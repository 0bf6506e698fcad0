"""Blurred and pixelated boxes: who is to be hidden cannot be recognised, and nothing else changes."""
import os
import unittest

from streams import BIKES, ball, frames, run

import gi

gi.require_version("GstVideo", "1.0")
from gi.repository import GstVideo


def picture(sample):
    """The grey levels of a sample in GRAY8, row by row."""
    shape = GstVideo.VideoInfo.new_from_caps(sample.get_caps())
    data = sample.get_buffer().extract_dup(0, sample.get_buffer().get_size())
    width, height = shape.width, shape.height
    stride = len(data) // height
    return [data[row * stride:row * stride + width] for row in range(height)]


def detail(rows, box):
    """How much neighbours differ within a box."""
    left, top, width, height = box
    inside = [row[left:left + width] for row in rows[top:top + height]]
    return sum(abs(a - b) for row in inside for a, b in zip(row, row[1:])) / max(1, width * height)


class Privacy(unittest.TestCase):
    def test_the_ball_becomes_blocks(self):
        """Without privacy-labels everything is hidden, nameless things too."""
        source = f"{ball(30)} ! videoconvert ! video/x-raw,format=GRAY8"
        plain = [picture(sample) for sample in frames(f"{source} ! appsink name=frames sync=false")]
        hidden = [picture(sample) for sample in frames(
            f"{source} ! swiftodt detector=motion box-style=pixelate draw-labels=false ! appsink name=frames sync=false")]
        self.assertEqual(len(plain), len(hidden))
        changed = [max(sum(a != b for a, b in zip(one, other)) for one, other in zip(*pair)) for pair in zip(plain, hidden)]
        self.assertGreater(sum(count > 10 for count in changed), 15, changed)

    @unittest.skipUnless(os.path.exists(BIKES), "the demo's video is not installed")
    def test_people_are_hidden_on_a_street(self):
        source = f"filesrc location={BIKES} ! decodebin ! videoconvert ! video/x-raw,format=GRAY8 ! identity eos-after=40"
        end = "appsink name=frames sync=false"
        plain = [picture(sample) for sample in frames(f"{source} ! {end}")]
        boxes = {}
        hidden = []
        for sample in frames(f"{source} ! swiftodt detector=neural multiple-objects=true max-objects=100 updates=every-frame "
                             f"box-style=pixelate privacy-labels=person draw-labels=false draw-boxes=false ! {end}"):
            hidden.append(picture(sample))
        for number, result in enumerate(frames.said.results):
            boxes[number] = [tuple(thing.get_value(side) for side in ("x", "y", "width", "height"))
                             for thing in result.get_value("objects")
                             if thing.get_value("label") == "person" and thing.get_value("state") == "tracked"]
        looked = [(plain[number], hidden[number], box) for number, found in boxes.items() for box in found
                  if min(box[2:]) >= 24 and number < len(hidden)]
        self.assertGreater(len(looked), 5)
        for before, after, box in looked:
            self.assertLess(detail(after, box), 0.35 * detail(before, box) + 0.5, box)

    def test_what_hides_nobody_is_a_warning(self):
        for properties in ("privacy-labels=person", "box-style=blur draw=false"):
            said = run(f"{ball(5)} ! swiftodt detector=motion {properties} ! fakesink")
            self.assertEqual(said.errors, [])
            self.assertTrue(any("hide" in warning.gerror.message for warning in said.warnings), (properties, said.warnings))
