"""Small synthetic networks for families without a trained network.

Each network processes the picture with a few convolutions with fixed random weights, so that its outputs depend on every pixel.
The outputs have the family's shape, and values in the range of trained networks. The detections are meaningless, but two programs
must decode the same ones.
"""
import json

import numpy as np
import openvino as ov
from openvino import opset13 as ops

STRIDES = (8, 16, 32)


def constant(values, kind=np.float32):
    return ops.constant(np.asarray(values, kind))


class Maker:
    def __init__(self, seed, width, height=None, shape="NCHW", kind=np.float32):
        """`shape` is the layout of the input: `NCHW`, `NHWC` or `CHW`; `?CHW` has a dynamic batch size."""
        self.random = np.random.default_rng(seed)
        self.width, self.height = width, height or width
        extents = {"N": 1, "?": -1, "C": 3, "H": self.height, "W": self.width}
        self.input = ops.parameter(ov.PartialShape([extents[axis] for axis in shape]), kind, name="images")
        self.inputs = [self.input]
        self.picture = self.input if kind == np.float32 else ops.convert(self.input, "f32")
        if shape == "NHWC":
            self.picture = ops.transpose(self.picture, constant([0, 3, 1, 2], np.int64))
        elif shape == "CHW":
            self.picture = ops.unsqueeze(self.picture, constant([0], np.int64))

    def features(self, stride, channels, channels_in=3):
        """Returns smoothed colour contrasts, with one cell every `stride` pixels, mixed into `channels` channels."""
        x = ops.avg_pool(self.picture, [stride, stride], [0, 0], [0, 0], [stride, stride], False, "floor", "explicit")
        spread = np.ptp([0, 255]) if self.range == "bytes" else 1.0
        x = ops.multiply(x, constant([[[[2.0 / spread]]]]))
        weights = self.random.normal(0, 1, (16, channels_in, 3, 3))
        x = ops.tanh(ops.convolution(x, constant(weights), [1, 1], [1, 1], [1, 1], [1, 1]))
        mix = self.random.normal(0, 1, (channels, 16, 1, 1))
        return ops.convolution(x, constant(mix), [1, 1], [0, 0], [0, 0], [1, 1])

    range = "unit"

    def rows(self, channels, strides):
        """Returns features of all levels as [1, cells, channels]."""
        parts = []
        for stride in strides:
            x = ops.transpose(self.features(stride, channels), constant([0, 2, 3, 1], np.int64))
            parts.append(ops.reshape(x, constant([1, -1, channels], np.int64), False))
        return ops.concat(parts, 1)

    def split(self, x, *widths):
        return ops.variadic_split(x, constant(2, np.int64), constant(widths, np.int64)).outputs()

    def centres(self, strides):
        """Returns the centre and the stride of each cell, as [1, cells, 2] and [1, cells, 1]."""
        middle, sizes = [], []
        for stride in strides:
            y, x = np.mgrid[:self.height // stride, :self.width // stride]
            middle.append(np.stack([(x + 0.5) * stride, (y + 0.5) * stride], -1).reshape(-1, 2))
            sizes.append(np.full((x.size, 1), stride))
        return constant(np.concatenate(middle)[None]), constant(np.concatenate(sizes)[None])

    def save(self, path, outputs, manifest):
        named = outputs if isinstance(outputs, dict) else {f"output{i}": output for i, output in enumerate(outputs)}
        results = []
        for name, output in named.items():
            results.append(ops.result(output))
            results[-1].output(0).set_names({name})
        network = ov.Model(results, self.inputs, "made-up")
        ov.save_model(network, path + ".xml", compress_to_fp16=False)
        with open(path + ".json", "w") as file:
            json.dump({"name": "made-up", **manifest}, file)
        return path + ".xml"


def scores(maker, logits):
    return ops.sigmoid(ops.subtract(ops.multiply(logits, constant([[[1.2]]])), constant([[[11.0]]])))


def boxes(maker, raw, strides):
    """Returns boxes (cx, cy, w, h) in pixels, with centres near their cells and sizes of one to six cells."""
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


def yolov8_wide_half(path):
    """YOLOv8 with 640x384, 16-bit floats and a dynamic batch size, as `export format=onnx half=True dynamic=True imgsz=384,640` writes it."""
    maker = Maker(81, 640, 384, shape="?CHW", kind=np.float16)
    raw, rest = maker.split(maker.rows(84, STRIDES), 4, 80)
    rows = ops.concat([boxes(maker, raw, STRIDES), scores(maker, rest)], 2)
    return maker.save(path, [ops.convert(ops.transpose(rows, constant([0, 2, 1], np.int64)), "f16")], {})


def yolov8_tensorflow(path):
    """YOLOv8 with channels last and boxes as fractions, as in exports for TensorFlow Lite."""
    maker = Maker(82, 320, shape="NHWC")
    raw, rest = maker.split(maker.rows(84, STRIDES), 4, 80)
    placed = ops.multiply(boxes(maker, raw, STRIDES), constant([[[1 / 320] * 4]]))
    return maker.save(path, [ops.transpose(ops.concat([placed, scores(maker, rest)], 2), constant([0, 2, 1], np.int64))], {})


def yolox_decoded(path):
    """YOLOX as exported with `--decode_in_inference`."""
    maker = Maker(83, 320)
    maker.range = "bytes"
    raw, one, rest = maker.split(maker.rows(85, STRIDES), 4, 1, 80)
    return maker.save(path, [ops.concat([boxes(maker, raw, STRIDES), ops.sigmoid(one), scores(maker, rest)], 2)], {})


def strongest(maker, raw, rest, count):
    """Returns boxes as fractions (cx, cy, w, h), scores and classes of the `count` best cells, as DETR's post-processing does."""
    placed = ops.multiply(boxes(maker, raw, (16,)), constant([[[1 / maker.width, 1 / maker.height] * 2]]))
    best = ops.topk(scores(maker, rest), constant(1, np.int64), 2, "max", "none", "i64")
    flat = lambda x: ops.squeeze(x, constant([2], np.int64))
    top = ops.topk(flat(best.output(0)), constant(count, np.int64), 1, "max", "value", "i64")
    chosen = lambda x: ops.gather(x, ops.squeeze(top.output(1), constant([0], np.int64)), constant(1, np.int64))
    return chosen(placed), top.output(0), chosen(flat(best.output(1)))


def corners_of(placed):
    x, y, w, h = ops.split(placed, constant(2, np.int64), 4).outputs()
    half = lambda v: ops.multiply(v, constant([[[0.5]]]))
    return ops.concat([ops.subtract(x, half(w)), ops.subtract(y, half(h)), ops.add(x, half(w)), ops.add(y, half(h))], 2)


def rtdetr_told_the_size(path):
    """RT-DETR's original export: labels, boxes and scores, with a second input for the picture size."""
    maker = Maker(84, 320)
    sizes = ops.parameter(ov.PartialShape([-1, 2]), np.int64, name="orig_target_sizes")
    maker.inputs.append(sizes)
    raw, rest = maker.split(maker.rows(84, (16,)), 4, 80)
    placed, score, index = strongest(maker, raw, rest, 100)
    twice = ops.unsqueeze(ops.tile(ops.convert(sizes, "f32"), constant([1, 2], np.int64)), constant([1], np.int64))
    outputs = {"labels": index, "boxes": ops.multiply(corners_of(placed), twice), "scores": score}
    return maker.save(path, outputs, {"labels": "coco80"})


def torchvision(path):
    """torchvision's detectors: an input without a batch dimension, corners in pixels, classes from 1."""
    maker = Maker(85, 320, 256, shape="CHW")
    raw, rest = maker.split(maker.rows(84, (16,)), 4, 80)
    placed, score, index = strongest(maker, raw, rest, 100)
    flat = lambda x: ops.squeeze(x, constant([0], np.int64))
    pixels = ops.multiply(corners_of(placed), constant([[[320, 256] * 2]]))
    outputs = {"boxes": flat(pixels), "labels": ops.add(flat(index), constant(1, np.int64)), "scores": flat(score)}
    return maker.save(path, outputs, {"labels": "coco80"})


def nanodet(path):
    maker = Maker(13, 320)
    maker.range = "normal"
    raw, rest = maker.split(maker.rows(112, (8, 16, 32, 64)), 80, 32)
    return maker.save(path, [ops.concat([scores(maker, raw), rest], 2)], {})


def detr(path):
    maker = Maker(17, 256)
    raw, rest = maker.split(maker.rows(4 + 92, (16,)), 4, 92)
    placed = ops.multiply(boxes(maker, raw, (16,)), constant([[[1 / 256] * 4]]))
    # Every class has a name. COCO's list has unused numbers, which trained networks never choose, but this one would.
    names = [f"thing {number}" for number in range(1, 91)]
    return maker.save(path, [ops.multiply(rest, constant([[[1.5]]])), placed], {"labels": names, "family": "detr"})


def rfdetr(path):
    """RF-DETR's original export: named outputs for boxes and logits, sigmoid scores, and COCO's class numbers from 1."""
    maker = Maker(18, 256)
    maker.range = "normal"
    raw, rest = maker.split(maker.rows(4 + 91, (16,)), 4, 91)
    placed = ops.multiply(boxes(maker, raw, (16,)), constant([[[1 / 256] * 4]]))
    logits = ops.subtract(ops.multiply(rest, constant([[[1.2]]])), constant([[[11.0]]]))
    return maker.save(path, {"dets": placed, "labels": logits}, {"labels": [f"thing {number}" for number in range(1, 91)]})


def ssd_postprocessed(path):
    """An SSD with a DetectionOutput operation, which contains prior boxes and suppression."""
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
    "made-up yolov8 half": (yolov8_wide_half, "yolov8", {}),
    "made-up yolov8 tf": (yolov8_tensorflow, "yolov8-fractions", {}),
    "made-up yolox": (yolox_decoded, "yolox-decoded", {}),
    "made-up rt-detr": (rtdetr_told_the_size, "three-lists", dict(decode=dict(first=0))),
    "made-up torchvision": (torchvision, "three-lists", dict(decode=dict(first=1))),
    "made-up nanodet": (nanodet, "nanodet", {}),
    "made-up detr": (detr, "detr", dict(decode=dict(activation="softmax", background=1))),
    "made-up rf-detr": (rfdetr, "detr", dict(decode=dict(activation="sigmoid", background=1))),
    "made-up ssd-post": (ssd_postprocessed, "ssd-postprocessed", {}),
}
