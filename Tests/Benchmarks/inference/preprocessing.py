#!/usr/bin/env python3
"""Measures the runtime's preprocessing: the CPU time of a network with I420 input of 768x576, which the runtime converts, resizes and
turns into floats, minus that of the same network with float input. Prints milliseconds per frame.

Usage: preprocessing.py MODEL.onnx   (needs the packages openvino and numpy)"""
import sys
import time

import numpy as np
import openvino as ov
from openvino.preprocess import ColorFormat, PrePostProcessor, ResizeAlgorithm


def request(core, path, own):
    model = core.read_model(path)
    if own:
        steps = PrePostProcessor(model)
        steps.input().tensor().set_element_type(ov.Type.u8).set_color_format(
            ColorFormat.I420_THREE_PLANES).set_spatial_static_shape(576, 768)
        steps.input().preprocess().convert_color(ColorFormat.BGR).resize(
            ResizeAlgorithm.RESIZE_LINEAR).convert_element_type(ov.Type.f32)
        steps.input().model().set_layout(ov.Layout("NCHW"))
        model = steps.build()
    made = core.compile_model(model, "CPU", {"PERFORMANCE_HINT": "LATENCY"}).create_infer_request()
    for number in range(len(made.model_inputs)):
        made.get_input_tensor(number).data[:] = 77
    return made


def milliseconds(made, count=40):
    begin = time.process_time()
    for _ in range(count):
        made.infer()
    return (time.process_time() - begin) / count * 1e3


core = ov.Core()
plain, own = request(core, sys.argv[1], False), request(core, sys.argv[1], True)
milliseconds(plain), milliseconds(own)
rounds = [(milliseconds(plain), milliseconds(own)) for _ in range(9)]
print("%.3f" % np.median([b - a for a, b in rounds]))
