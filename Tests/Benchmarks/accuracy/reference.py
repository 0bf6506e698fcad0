#!/usr/bin/env python3
"""A reference implementation of object detection in plain numpy, for comparison with the Swift decoders.

    reference.py --model yolox_nano.onnx --family yolox --out detections.json picture...

Written for clarity, after the publications and the exporters' documentation, without code from the Swift implementation. It
preprocesses the picture, runs the network with OpenVINO's Python package, decodes every box, and suppresses with a
quadratic loop. Needs numpy, pillow, openvino.
"""
import argparse
import json
import os

import numpy as np
import openvino as ov
import openvino.preprocess  # noqa: F401
from PIL import Image

IMAGENET_MEAN = np.array([0.485, 0.456, 0.406]) * 255
IMAGENET_STD = np.array([0.229, 0.224, 0.225]) * 255


# ---------------------------------------------------------------- pictures

def resize(picture, width, height):
    """Resizes bilinearly between pixel centres, with repeated edges, in floating point and without antialiasing."""
    def axis(size, new):
        position = (np.arange(new) + 0.5) * size / new - 0.5
        position = np.clip(position, 0, size - 1)
        low = np.floor(position).astype(int)
        return low, np.minimum(low + 1, size - 1), position - low
    y0, y1, fy = axis(picture.shape[0], height)
    x0, x1, fx = axis(picture.shape[1], width)
    fx, fy = fx[None, :, None], fy[:, None, None]
    rows = picture.astype(np.float64)
    top = rows[y0][:, x0] * (1 - fx) + rows[y0][:, x1] * fx
    bottom = rows[y1][:, x0] * (1 - fx) + rows[y1][:, x1] * fx
    return top * (1 - fy) + bottom * fy


class Prepared:
    """A picture in a network's input, and the mapping of boxes back to the picture."""

    def __init__(self, path, width, height, fit, fill, order):
        picture = np.asarray(Image.open(path).convert("RGB"))
        if order == "bgr":
            picture = picture[:, :, ::-1]
        self.size = picture.shape[1], picture.shape[0]
        self.input_size = width, height
        self.offset = 0.0, 0.0
        if fit == "stretch":
            self.scale = width / self.size[0], height / self.size[1]
            self.pixels = resize(picture, width, height)
            return
        scale = min(width / self.size[0], height / self.size[1])
        whole = round if fit == "centred" else lambda v: int(v + 5e-7)  # as the families' original programs do
        new = max(1, whole(self.size[0] * scale)), max(1, whole(self.size[1] * scale))
        self.scale = new[0] / self.size[0], new[1] / self.size[1]
        left, top = ((width - new[0]) // 2, (height - new[1]) // 2) if fit == "centred" else (0, 0)
        self.offset = float(left), float(top)
        self.pixels = np.full((height, width, 3), float(fill))
        self.pixels[top:top + new[1], left:left + new[0]] = resize(picture, *new)

    def back(self, boxes):
        """Maps boxes (x0, y0, x1, y1) from input pixels to the picture, clipped to it."""
        boxes = np.asarray(boxes, np.float64).reshape(-1, 4)
        boxes = (boxes - np.tile(self.offset, 2)) / np.tile(self.scale, 2)
        return np.clip(boxes, 0, np.tile(self.size, 2))


# ---------------------------------------------------------------- parts of decoding

def sigmoid(x):
    return 1 / (1 + np.exp(-np.clip(x.astype(np.float64), -60, 60)))


def softmax(x, axis=-1):
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


def corners(cx, cy, w, h):
    return np.stack([cx - w / 2, cy - h / 2, cx + w / 2, cy + h / 2], axis=-1)


def grid(width, height, stride):
    rows, columns = -(-height // stride), -(-width // stride)
    y, x = np.mgrid[:rows, :columns]
    return x.reshape(-1), y.reshape(-1)


def iou(box, boxes):
    low = np.maximum(box[:2], boxes[:, :2])
    high = np.minimum(box[2:], boxes[:, 2:])
    shared = np.prod(np.clip(high - low, 0, None), axis=1)
    area = lambda b: np.prod(b[..., 2:] - b[..., :2], axis=-1)
    return shared / np.maximum(area(box) + area(boxes) - shared, 1e-12)


def suppress(boxes, scores, classes, floor, same, across, limit=300):
    """Non-maximum suppression with the IoU thresholds `same` within a class and `across` between classes."""
    good = (scores >= floor) & np.isfinite(boxes).all(axis=1) & (boxes[:, 2:] > boxes[:, :2]).all(axis=1)
    boxes, scores, classes = boxes[good], scores[good], classes[good]
    order = np.argsort(-scores, kind="stable")
    kept = []
    for index in order:
        if len(kept) == limit:
            break
        if kept:
            overlap = iou(boxes[index], boxes[kept])
            allowed = np.where(classes[kept] == classes[index], same, across)
            if (overlap > allowed).any():
                continue
        kept.append(index)
    return boxes[kept], scores[kept], classes[kept]


# ---------------------------------------------------------------- families
# Each family has its default preprocessing and a function from the outputs to (boxes in input pixels, scores, classes).

def best(scores):
    return scores.max(axis=1), scores.argmax(axis=1)


def decode_yolox(outputs, width, height, strides=(8, 16, 32), **_):
    out = outputs[0][0].astype(np.float64)
    boxes, start = [], 0
    for stride in strides:
        x, y = grid(width, height, stride)
        part = out[start:start + len(x)]
        boxes.append(corners((part[:, 0] + x) * stride, (part[:, 1] + y) * stride,
                             np.exp(part[:, 2]) * stride, np.exp(part[:, 3]) * stride))
        start += len(x)
    score, index = best(out[:, 4:5] * out[:, 5:])
    return np.concatenate(boxes), score, index


def decode_yolov5(outputs, **_):
    out = outputs[0][0].astype(np.float64)
    score, index = best(out[:, 4:5] * out[:, 5:])
    return corners(*out[:, :4].T), score, index


def decode_yolov8(outputs, **_):
    out = outputs[0][0].astype(np.float64).T
    score, index = best(out[:, 4:])
    return corners(*out[:, :4].T), score, index


def decode_end_to_end(outputs, **_):
    out = outputs[0][0].astype(np.float64)
    return out[:, :4], out[:, 4], out[:, 5].astype(int)


def decode_fastestdet(outputs, width, height, **_):
    out = outputs[0][0].astype(np.float64)
    _, rows, columns = out.shape
    y, x = np.mgrid[:rows, :columns]
    w, h = sigmoid(out[3]), sigmoid(out[4])
    boxes = corners((x + np.tanh(out[1])) / columns, (y + np.tanh(out[2])) / rows, w, h).reshape(-1, 4)
    classes = out[5:].reshape(out.shape[0] - 5, -1).T
    score, index = best(out[0].reshape(-1, 1) ** 0.6 * classes ** 0.4)
    return boxes * [width, height, width, height], score, index


def ssd_anchors(grids, low=0.2, high=0.95):
    """Returns anchors (centre y, centre x, height, width) of TensorFlow's SSD, which has fewer boxes on the lowest layer."""
    scales = [low + (high - low) * i / (len(grids) - 1) for i in range(len(grids))] + [1.0]
    anchors = []
    for layer, cells in enumerate(grids):
        if layer == 0:
            kinds = [(0.1, 1.0), (scales[0], 2.0), (scales[0], 0.5)]
        else:
            kinds = [(scales[layer], ratio) for ratio in (1.0, 2.0, 0.5, 3.0, 1 / 3)]
            kinds.append((np.sqrt(scales[layer] * scales[layer + 1]), 1.0))
        for y in range(cells):
            for x in range(cells):
                for scale, ratio in kinds:
                    anchors.append(((y + 0.5) / cells, (x + 0.5) / cells, scale / np.sqrt(ratio), scale * np.sqrt(ratio)))
    return np.array(anchors)


def decode_anchors(encoded, anchors, scales):
    encoded = encoded.astype(np.float64) / np.array(scales)
    cy, cx = encoded[:, 0] * anchors[:, 2] + anchors[:, 0], encoded[:, 1] * anchors[:, 3] + anchors[:, 1]
    h, w = np.exp(encoded[:, 2]) * anchors[:, 2], np.exp(encoded[:, 3]) * anchors[:, 3]
    return corners(cx, cy, w, h)


def by_last_axis(outputs, size):
    return next(o for o in outputs if o.shape[-1] == size), next(o for o in outputs if o.shape[-1] != size)


def decode_ssd(outputs, width, height, grids=(19, 10, 5, 3, 2, 1), **_):
    encoded, logits = by_last_axis(outputs, 4)
    boxes = decode_anchors(encoded.reshape(-1, 4), ssd_anchors(grids), (10, 10, 5, 5))
    score, index = best(sigmoid(logits[0])[:, 1:])
    return boxes * [width, height, width, height], score, index


def efficientdet_anchors(width, height, scale=3.0, levels=range(3, 8)):
    anchors = []
    for level in levels:
        x, y = grid(width, height, 2 ** level)
        cells = []
        for octave in range(3):
            for aspect in (1.0, 2.0, 0.5):
                side = scale * 2 ** level * 2 ** (octave / 3)
                cells.append(np.stack([(y + 0.5) * 2 ** level, (x + 0.5) * 2 ** level,
                                       np.full(len(x), side / np.sqrt(aspect)), np.full(len(x), side * np.sqrt(aspect))], -1))
        anchors.append(np.stack(cells, axis=1).reshape(-1, 4))
    return np.concatenate(anchors)


def decode_efficientdet(outputs, width, height, **_):
    outputs = list(outputs)
    if len(outputs) > 2:
        outputs.sort(key=lambda o: -o.shape[1])
        joined = lambda last: np.concatenate([o.reshape(1, -1, o.shape[-1] // 9) for o in outputs if o.shape[-1] == last], 1)
        outputs = [joined(36), joined(next(o.shape[-1] for o in outputs if o.shape[-1] != 36))]
    encoded, scores = by_last_axis(outputs, 4)
    if scores.min() < 0 or scores.max() > 1:
        scores = sigmoid(scores)
    score, index = best(scores[0].astype(np.float64))
    return decode_anchors(encoded[0], efficientdet_anchors(width, height), (1, 1, 1, 1)), score, index


def decode_nanodet(outputs, width, height, strides=(8, 16, 32, 64), centre=0.0, classes=80, **_):
    out = outputs[0][0].astype(np.float64)
    bins = (out.shape[1] - classes) // 4
    centres = np.concatenate([np.stack([(x + centre) * s, (y + centre) * s, np.full(len(x), s)], -1)
                              for s in strides for x, y in [grid(width, height, s)]])
    sides = softmax(out[:, classes:].reshape(-1, 4, bins)) @ np.arange(bins) * centres[:, 2:]
    boxes = np.stack([centres[:, 0] - sides[:, 0], centres[:, 1] - sides[:, 1],
                      centres[:, 0] + sides[:, 2], centres[:, 1] + sides[:, 3]], -1)
    score, index = best(out[:, :classes])
    return boxes, score, index


def decode_detr(outputs, width, height, activation="softmax", background=0, **_):
    boxes, logits = by_last_axis(outputs, 4)
    scores = softmax(logits[0])[:, :-1] if activation == "softmax" else sigmoid(logits[0])
    score, index = best(scores[:, background:])
    return corners(*boxes[0].T) * [width, height, width, height], score, index


def decode_fractions(outputs, width, height, **_):
    boxes, score, index = decode_yolov8(outputs)
    return boxes * [width, height, width, height], score, index


def decode_three_lists(outputs, first=0, **_):
    """Decodes three outputs: corners in pixels, classes and scores. The classes are the output with integral values."""
    flat = [o[0] if o.ndim > 1 and o.shape[0] == 1 else o for o in outputs]
    boxes = next(o for o in flat if o.ndim == 2)
    index = next(o for o in flat if o.ndim == 1 and o.dtype.kind == "i")
    return boxes, next(o for o in flat if o.ndim == 1 and o.dtype.kind == "f"), index - first


def decode_ssd_postprocessed(outputs, width, height, **_):
    """Decodes rows of DetectionOutput: picture, class, score, x0, y0, x1, y1. A negative picture number ends the list."""
    rows = outputs[0].reshape(-1, 7)
    ends = np.flatnonzero(rows[:, 0] < 0)
    rows = rows[:ends[0]] if len(ends) else rows
    return rows[:, 3:] * [width, height, width, height], rows[:, 2], rows[:, 1].astype(int) - 1


FAMILIES = {
    "yolox": (decode_yolox, dict(fit="top-left", fill=114, order="bgr")),
    "yolov5": (decode_yolov5, dict(fit="centred", fill=114, order="rgb", scale=1 / 255)),
    "yolov8": (decode_yolov8, dict(fit="centred", fill=114, order="rgb", scale=1 / 255)),
    "yolov8-fractions": (decode_fractions, dict(fit="centred", fill=114, order="rgb", scale=1 / 255)),
    "yolox-decoded": (decode_yolov5, dict(fit="top-left", fill=114, order="bgr")),
    "three-lists": (decode_three_lists, dict(fit="stretch", order="rgb", scale=1 / 255, suppressed=True)),
    "yolo-end-to-end": (decode_end_to_end, dict(fit="centred", fill=114, order="rgb", scale=1 / 255, suppressed=True)),
    "fastestdet": (decode_fastestdet, dict(fit="stretch", order="bgr", scale=1 / 255)),
    "ssd": (decode_ssd, dict(fit="stretch", order="rgb", mean=127.5, scale=1 / 127.5)),
    "ssd-postprocessed": (decode_ssd_postprocessed, dict(fit="stretch", order="rgb", suppressed=True)),
    "efficientdet": (decode_efficientdet, dict(fit="top-left", fill=127, order="rgb", mean=127, scale=1 / 128)),
    "nanodet": (decode_nanodet, dict(fit="stretch", order="bgr", mean=[103.53, 116.28, 123.675],
                                     scale=[1 / 57.375, 1 / 57.12, 1 / 58.395])),
    "detr": (decode_detr, dict(fit="stretch", order="rgb", mean=IMAGENET_MEAN, scale=1 / IMAGENET_STD)),
}


class Reference:
    """A network with its preprocessing and decoding."""

    def __init__(self, model, family, size=None, device="CPU", precision=None, decode=None, **prepare):
        core = ov.Core()
        network = core.read_model(model)
        shape = network.inputs[0].get_partial_shape()
        channels_last = shape[len(shape) - 1].is_static and shape[len(shape) - 1].get_length() == 3
        axes = (-2, -3) if channels_last else (-1, -2)
        self.size = size or tuple(shape[len(shape) + i].get_length() for i in axes)
        width, height = self.size
        fed = ([1, height, width, 3] if channels_last else [1, 3, height, width])[4 - len(shape):]
        network.reshape({network.inputs[0]: fed, **{side: [1, 2] for side in network.inputs[1:]}})
        self.rank = len(fed)
        self.sides = [np.array([[width, height]], np.int64) for _ in network.inputs[1:]]
        if network.inputs[0].get_element_type() == ov.Type.f16:  # otherwise the runtime rounds the boxes to 16-bit floats
            whole = ov.preprocess.PrePostProcessor(network)
            whole.input(0).tensor().set_element_type(ov.Type.f32)
            for index in range(len(network.outputs)):
                whole.output(index).tensor().set_element_type(ov.Type.f32)
            network = whole.build()
        manifest = os.path.splitext(model)[0] + ".json"
        self.quantisation = {}
        if os.path.exists(manifest):
            with open(manifest, encoding="utf-8") as file:
                self.quantisation = json.load(file).get("quantisation", {})
        self.decode, self.prepare = FAMILIES[family][0], {**FAMILIES[family][1], **prepare}
        self.decode_options = decode or {}
        self.channels_last = channels_last
        self.integer = network.inputs[0].get_element_type() == ov.Type.u8
        config = {"INFERENCE_PRECISION_HINT": precision} if precision else {}
        self.compiled = core.compile_model(network, device, config)

    def numbers(self, output, name):
        """Returns the values of an output, dequantised as the manifest specifies."""
        scale = self.quantisation.get(name) if output.dtype in (np.uint8, np.int8) else None
        return (output.astype(np.float32) - scale["zero"]) * scale["step"] if scale else output

    def run(self, path, floor=0.1, same=0.5, across=1.0):
        prepare = self.prepare
        picture = Prepared(path, *self.size, prepare["fit"], prepare.get("fill", 0), prepare["order"])
        if self.integer:
            data = np.round(picture.pixels).astype(np.uint8)
        else:
            scale = np.asarray(prepare.get("scale", 1), np.float32)
            data = picture.pixels.astype(np.float32) * scale - np.asarray(prepare.get("mean", 0), np.float32) * scale
        data = data[None] if self.channels_last else data.transpose(2, 0, 1)[None]
        data = np.ascontiguousarray(data.reshape(data.shape[4 - self.rank:]))
        results = self.compiled([data, *self.sides])
        outputs = [self.numbers(results[o], o.get_any_name()) for o in self.compiled.outputs]
        boxes, scores, classes = self.decode(outputs, width=self.size[0], height=self.size[1], **self.decode_options)
        if prepare.get("suppressed"):
            same = across = 1.0
        boxes, scores, classes = suppress(np.asarray(boxes), scores, classes, floor, same, across)
        return [{"box": [float(v) for v in box], "score": float(score), "class": int(index)}
                for box, score, index in zip(picture.back(boxes), scores, classes)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", required=True)
    parser.add_argument("--family", required=True, choices=sorted(FAMILIES))
    parser.add_argument("--score", type=float, default=0.1)
    parser.add_argument("--out")
    parser.add_argument("pictures", nargs="+")
    arguments = parser.parse_args()
    reference = Reference(arguments.model, arguments.family)
    found = {os.path.basename(p): reference.run(p, floor=arguments.score) for p in arguments.pictures}
    text = json.dumps(found, indent=1)
    if arguments.out:
        open(arguments.out, "w").write(text)
    else:
        print(text)


if __name__ == "__main__":
    main()
