"""A Python program equivalent to swiftodt: decoding with OpenCV, inference with OpenVINO, suppression and drawing with supervision, tracking
with ByteTrack of trackers, output as JSON. Prints the measurements of meter.py.

Usage: track.py MODEL VIDEO FRAMES WARM-UP. MODEL is the default network or a YOLOX. The video is played in a loop.
"""
import json
import pathlib
import sys

import cv2
import numpy as np
import openvino as ov
import supervision as sv
from trackers import ByteTrackTracker

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from meter import Meter  # noqa: E402

FLOOR = 0.25


def corners(cx, cy, w, h):
    return np.stack([cx - w / 2, cy - h / 2, cx + w / 2, cy + h / 2], -1)


class EfficientDet:
    """Decodes the default network: five levels, three scales and three aspect ratios per cell, and logits as bytes."""

    STEP, ZERO = 0.0425, 165

    def __init__(self, size):
        anchors = []
        for level in range(3, 8):
            stride = 2 ** level
            y, x = np.mgrid[:-(-size // stride), :-(-size // stride)].reshape(2, -1)
            sides = [(3 * stride * 2 ** (octave / 3), aspect) for octave in range(3) for aspect in (1, 2, 0.5)]
            anchors.append(np.stack([
                np.stack([(x + 0.5) * stride, (y + 0.5) * stride, np.full(len(x), side * aspect ** 0.5),
                          np.full(len(x), side / aspect ** 0.5)], -1) for side, aspect in sides], 1).reshape(-1, 4))
        self.anchors = np.concatenate(anchors).astype(np.float32)
        self.floor = np.log(FLOOR / (1 - FLOOR)) / self.STEP + self.ZERO

    def decode(self, outputs):
        classes = np.concatenate([o.reshape(-1, o.shape[-1] // 9) for o in outputs[1::2]])
        best = classes.max(1)
        kept = np.flatnonzero(best >= self.floor)
        encoded = np.concatenate([o.reshape(-1, 4) for o in outputs[::2]])[kept]
        anchors = self.anchors[kept]
        cy, cx, h, w = encoded.T
        boxes = corners(
            cx * anchors[:, 2] + anchors[:, 0], cy * anchors[:, 3] + anchors[:, 1], np.exp(w) * anchors[:, 2],
            np.exp(h) * anchors[:, 3])
        logits = (best[kept].astype(np.float32) - self.ZERO) * self.STEP
        return boxes, 1 / (1 + np.exp(-logits)), classes[kept].argmax(1)


class YOLOX:
    def __init__(self, size):
        grids = [(np.stack(np.mgrid[:size // s, :size // s][::-1], -1).reshape(-1, 2), s) for s in (8, 16, 32)]
        self.cells = np.concatenate([cells for cells, _ in grids])
        self.strides = np.concatenate([np.full((len(cells), 1), s) for cells, s in grids])

    def decode(self, outputs):
        rows = outputs[0][0]
        scores = rows[:, 4:5] * rows[:, 5:]
        best = scores.max(1)
        kept = np.flatnonzero(best >= FLOOR)
        centre = (rows[kept, :2] + self.cells[kept]) * self.strides[kept]
        size = np.exp(rows[kept, 2:4]) * self.strides[kept]
        return corners(*centre.T, *size.T), best[kept], scores[kept].argmax(1)


class Detector:
    def __init__(self, model):
        core = ov.Core()
        self.network = core.compile_model(core.read_model(model), "CPU", {"PERFORMANCE_HINT": "LATENCY"})
        self.size = self.network.inputs[0].shape[-1]
        self.bytes = self.network.inputs[0].element_type == ov.Type.u8
        self.family = (YOLOX if len(self.network.outputs) == 1 else EfficientDet)(self.size)

    def detect(self, frame):
        scale = self.size / max(frame.shape[:2])
        small = cv2.resize(frame, None, fx=scale, fy=scale)
        picture = np.full((self.size, self.size, 3), 127 if self.bytes else 114, np.uint8)
        picture[:small.shape[0], :small.shape[1]] = small
        if self.bytes:
            picture = cv2.cvtColor(picture, cv2.COLOR_BGR2RGB)
        tensor = picture.transpose(2, 0, 1)[None]
        answers = self.network(tensor if self.bytes else tensor.astype(np.float32))
        boxes, scores, classes = self.family.decode([answers[port] for port in self.network.outputs])
        found = sv.Detections(xyxy=boxes / scale, confidence=scores, class_id=classes)
        return found.with_nms(0.5)


def main():
    model, video, frames, warm_up = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    detector, tracker, meter = Detector(model), ByteTrackTracker(), Meter(frames, warm_up)
    boxes, labels = sv.BoxAnnotator(), sv.LabelAnnotator()
    with open("/dev/null", "w") as messages:
        while True:
            capture = cv2.VideoCapture(video)
            while (read := capture.read())[0]:
                frame = read[1]
                tracked = tracker.update(detector.detect(frame))
                names = [f"#{name} {kind} {score:.2f}" for name, kind, score in zip(
                    tracked.tracker_id, tracked.class_id, tracked.confidence)]
                frame = labels.annotate(boxes.annotate(frame, tracked), tracked, names)
                messages.write(json.dumps([
                    {"box": box.tolist(), "label": name} for box, name in zip(tracked.xyxy, names)]) + "\n")
                if meter.frame():
                    return
            if not meter.count:
                sys.exit(f"track.py: cannot play {video}")


if __name__ == "__main__":
    main()
