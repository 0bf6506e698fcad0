"""detector=tensors decodes the outputs of a network that an inference element upstream attached."""
import struct
import unittest

import gi

from streams import Gst, InFolder, run
from test_analytics import MISSING
from test_upstream_metadata import frame, objects, play

HAS_TENSORS = not MISSING and Gst.version() >= (1, 26)
if HAS_TENSORS:
    gi.require_version("GstAnalytics", "1.0")
    from gi.repository import GLib, GstAnalytics

NO_TENSORS = MISSING or (None if HAS_TENSORS else "needs GStreamer 1.26: Tests/testing-root runs it")
# The frames have 320x240 pixels, the cells of YOLOX 8, 16 and 32.
CELLS = 40 * 30 + 20 * 15 + 10 * 8


def yolox(*found):
    """Returns the output of a YOLOX with 80 classes: found are (cell, class, score, width and height in cells)."""
    rows = [[0.0] * 85 for _ in range(CELLS)]
    for cell, label, score, width, height in found:
        rows[cell][:5] = [0.5, 0.5, width, height, 1.0]
        rows[cell][5 + label] = score
    return struct.pack(f"{CELLS * 85}f", *(value for row in rows for value in row))


class Without(unittest.TestCase):
    def test_stream_without_tensors_warns(self):
        said = run("videotestsrc num-buffers=3 ! swiftodt detector=tensors ! fakesink")
        self.assertEqual(said.errors, [])
        self.assertEqual([("no frame has tensors" in warning.message, "onnxinference" in warning.message) for warning, _ in said.warnings],
                         [(True, True)])


@unittest.skipIf(NO_TENSORS, NO_TENSORS)
class Tensors(InFolder):
    def tensor(self, data, shape, name="yolox-out"):
        return GstAnalytics.Tensor.new_simple(
            GLib.quark_from_string(name), GstAnalytics.TensorDataType.FLOAT32, Gst.Buffer.new_wrapped(data),
            GstAnalytics.TensorDimOrder.ROW_MAJOR, shape)

    def buffer(self, number, *tensors):
        buffer = frame(number)
        GstAnalytics.buffer_add_tensor_meta(buffer).set(list(tensors))
        return buffer

    def play(self, *tensors, count=1, properties=""):
        """Passes a frame without tensors and frames with these. Returns the latter and the messages. appsrc copies the first buffer,
        and GStreamer 1.26 does not copy tensors."""
        buffers = (frame(number) if number == 0 else self.buffer(number, *tensors) for number in range(count + 1))
        outputs, said = play(buffers, f"detector=tensors {properties}")
        return outputs[1:], objects(said)[1:]

    def test_yolox_output_is_decoded(self):
        """A person of 32x64 pixels around the cell in column 10 and row 12, and tensors stay on the buffer."""
        output = yolox((12 * 40 + 10, 0, 0.8, 1.3862944, 2.0794415))
        outputs, results = self.play(self.tensor(output, [1, CELLS, 85]), count=3)
        self.assertEqual([[(label, round(score, 3), x, width) for label, score, x, width in found] for found in results],
                         [[("person", 0.8, 68, 32)]] * 3)
        meta = GstAnalytics.buffer_get_tensor_meta(outputs[0])
        self.assertEqual(meta.get(0).data.get_size(), len(output))

    def test_frames_without_tensors_do_not_count_as_missed(self):
        """An inference element may leave out frames."""
        output = yolox((12 * 40 + 10, 0, 0.8, 1.3862944, 2.0794415))
        buffers = (self.buffer(number, self.tensor(output, [1, CELLS, 85])) if number % 5 == 0 else frame(number) for number in range(11))
        _, said = play(buffers, "detector=tensors")
        self.assertEqual([[thing.get_value("state") for thing in result.get_value("objects")] for result in said.results],
                         [["new"]] * 5 + [["tracked"]] * 6)

    def test_tensor_entries_are_decoded(self):
        if Gst.version() < (1, 28):
            self.skipTest("needs GStreamer 1.28")
        buffer = frame(0)
        data = Gst.Buffer.new_wrapped(yolox((12 * 40 + 10, 2, 0.8, 1.3862944, 2.0794415)))
        meta = GstAnalytics.buffer_add_analytics_relation_meta(buffer)
        meta.add_tensor_mtd_simple(GLib.quark_from_string("yolox-out"), GstAnalytics.TensorDataType.FLOAT32, data,
                                   GstAnalytics.TensorDimOrder.ROW_MAJOR, [1, CELLS, 85])
        _, said = play([buffer], "detector=tensors")
        self.assertEqual([label for label, *_ in objects(said)[0]], ["car"])

    def test_registered_names_of_ssd_are_known(self):
        pack = struct.pack
        tensors = [self.tensor(pack("4f", 0.25, 0.5, 0.75, 0.75), [1, 1, 4], "ssd-mobilenet-v1-variant-1-out-boxes"),
                   self.tensor(pack("f", 1), [1, 1], "ssd-mobilenet-v1-variant-1-out-classes"),
                   self.tensor(pack("f", 0.9), [1, 1], "ssd-mobilenet-v1-variant-1-out-scores"),
                   self.tensor(pack("f", 1), [1], "generic-variant-1-out-count")]
        with open(self.path("labels.txt"), "w") as file:
            file.write("background\nperson\nbicycle\n")
        _, results = self.play(*tensors, properties=f"label-file={self.path('labels.txt')}")
        self.assertEqual([(label, x, width) for label, _, x, width in results[0]], [("person", 160, 80)])

    def test_unusable_tensors_are_errors(self):
        with self.assertRaisesRegex(AssertionError, "probably a classifier"):
            self.play(self.tensor(bytes(40), [1, 10]))
