"""Small made-up networks for families of which no trained one is at hand.

Each looks at the picture through a few convolutions with fixed random weights, so that what comes out depends on every
pixel, and ends in outputs of the family's shape whose figures lie where trained ones do. What they find means nothing;
that two programs find the same does.
"""
import json

import numpy as np
import openvino as ov
from openvino import opset13 as ops

STRIDES = (8, 16, 32)


def constant(values, kind=np.float32):
    return ops.constant(np.asarray(values, kind))


class Maker:
    def __init__(self, seed, size):
        self.random = np.random.default_rng(seed)
        self.size = size
        self.picture = ops.parameter([1, 3, size, size], np.float32, name="images")

    def features(self, stride, channels, channels_in=3):
        """Smoothed colour contrasts, reduced to a cell every `stride` pixels, mixed into so many channels."""
        x = ops.avg_pool(self.picture, [stride, stride], [0, 0], [0, 0], [stride, stride], False, "floor", "explicit")
        spread = np.ptp([0, 255]) if self.range == "bytes" else 1.0
        x = ops.multiply(x, constant([[[[2.0 / spread]]]]))
        weights = self.random.normal(0, 1, (16, channels_in, 3, 3))
        x = ops.tanh(ops.convolution(x, constant(weights), [1, 1], [1, 1], [1, 1], [1, 1]))
        mix = self.random.normal(0, 1, (channels, 16, 1, 1))
        return ops.convolution(x, constant(mix), [1, 1], [0, 0], [0, 0], [1, 1])

    range = "unit"

    def rows(self, channels, strides):
        """[1, cells, channels] over all levels."""
        parts = []
        for stride in strides:
            x = ops.transpose(self.features(stride, channels), constant([0, 2, 3, 1], np.int64))
            parts.append(ops.reshape(x, constant([1, -1, channels], np.int64), False))
        return ops.concat(parts, 1)

    def split(self, x, *widths):
        return ops.variadic_split(x, constant(2, np.int64), constant(widths, np.int64)).outputs()

    def centres(self, strides):
        """[1, cells, 2] and [1, cells, 1]: middle of each cell and its stride."""
        middle, sizes = [], []
        for stride in strides:
            cells = self.size // stride
            y, x = np.mgrid[:cells, :cells]
            middle.append(np.stack([(x + 0.5) * stride, (y + 0.5) * stride], -1).reshape(-1, 2))
            sizes.append(np.full((cells * cells, 1), stride))
        return constant(np.concatenate(middle)[None]), constant(np.concatenate(sizes)[None])

    def save(self, path, outputs, manifest):
        network = ov.Model([ops.result(output) for output in outputs], [self.picture], "made-up")
        ov.save_model(network, path + ".xml", compress_to_fp16=False)
        with open(path + ".json", "w") as file:
            json.dump({"name": "made-up", **manifest}, file)
        return path + ".xml"


def scores(maker, logits):
    return ops.sigmoid(ops.subtract(ops.multiply(logits, constant([[[1.2]]])), constant([[[11.0]]])))


def boxes(maker, raw, strides):
    """Box centres near their cells, sizes of one to six cells, in pixels: cx, cy, w, h."""
    centre, stride = maker.centres(strides)
    shift, size = maker.split(ops.tanh(raw), 2, 2)
    return ops.concat([ops.add(centre, ops.multiply(shift, stride)),
                       ops.multiply(ops.add(ops.multiply(size, constant([[[2.5]]])), constant([[[3.5]]])), stride)], 2)


def yolov5(path):
    maker = Maker(5, 320)
    parts = []
    for _ in range(3):
        raw, rest = maker.split(maker.rows(4 + 81, STRIDES), 4, 81)
        objectness = ops.sigmoid(maker.split(rest, 1, 80)[0])
        parts.append(ops.concat([boxes(maker, raw, STRIDES), objectness, scores(maker, maker.split(rest, 1, 80)[1])], 2))
    return maker.save(path, [ops.concat(parts, 1)], {})


def yolov8(path):
    maker = Maker(8, 320)
    raw, rest = maker.split(maker.rows(84, STRIDES), 4, 80)
    rows = ops.concat([boxes(maker, raw, STRIDES), scores(maker, rest)], 2)
    return maker.save(path, [ops.transpose(rows, constant([0, 2, 1], np.int64))], {})


def nanodet(path):
    maker = Maker(13, 320)
    maker.range = "normal"
    raw, rest = maker.split(maker.rows(112, (8, 16, 32, 64)), 80, 32)
    return maker.save(path, [ops.concat([scores(maker, raw), rest], 2)], {})


def detr(path):
    maker = Maker(17, 256)
    raw, rest = maker.split(maker.rows(4 + 92, (16,)), 4, 92)
    placed = ops.multiply(boxes(maker, raw, (16,)), constant([[[1 / 256] * 4]]))
    # Every class has a name: COCO's own list has gaps, which trained networks never choose and this one would.
    names = [f"thing {number}" for number in range(1, 91)]
    return maker.save(path, [ops.multiply(rest, constant([[[1.5]]])), placed], {"labels": names, "family": "detr"})


def ssd_postprocessed(path):
    """A real DetectionOutput at the end, with prior boxes and suppression inside."""
    maker = Maker(19, 256)
    maker.range = "bytes"
    raw, rest = maker.split(maker.rows(4 + 81, (16, 32)), 4, 81)
    flat = lambda x: ops.reshape(x, constant([1, -1], np.int64), False)
    centre, stride = maker.centres((16, 32))
    centre, side = centre.get_data()[0] / 256, stride.get_data()[0] * 3 / 256
    priors = np.concatenate([centre - side / 2, centre + side / 2], 1).reshape(1, 1, -1)
    variances = np.tile([0.1, 0.1, 0.2, 0.2], len(centre)).reshape(1, 1, -1)
    confidence = ops.softmax(ops.multiply(rest, constant([[[1.5]]])), 2)
    output = ops.detection_output(
        flat(raw), flat(confidence), constant(np.concatenate([priors, variances], 1)),
        dict(background_label_id=0, top_k=400, keep_top_k=[200], code_type="caffe.PriorBoxParameter.CENTER_SIZE",
             nms_threshold=0.5, confidence_threshold=0.01, share_location=True, variance_encoded_in_target=False,
             normalized=True, clip_before_nms=False, clip_after_nms=False, decrease_label_id=False,
             objectness_score=0.0, input_height=1, input_width=1))
    return maker.save(path, [output], {"labels": "coco80"})


NETWORKS = {
    "made-up yolov5": (yolov5, "yolov5", {}),
    "made-up yolov8": (yolov8, "yolov8", {}),
    "made-up nanodet": (nanodet, "nanodet", {}),
    "made-up detr": (detr, "detr", dict(decode=dict(activation="softmax", background=1))),
    "made-up ssd-post": (ssd_postprocessed, "ssd-postprocessed", {}),
}
