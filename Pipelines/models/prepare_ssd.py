"""Removes the post-processing of a TensorFlow SSD MobileNet v2 and quantises it to 8 bits.

    prepare_ssd.py frozen_inference_graph.pb OUTPUT.xml

The frozen graph resizes, decodes and suppresses boxes inside the graph, with loops that cost more than the network itself. The
converted network begins with a picture of 300 x 300 bytes and ends with the raw heads: box offsets [1,1917,4] and class logits
[1,1917,91].

Quantisation requires the value range of every activation. Most activations are limited to 0...6 by the network itself. The ranges
of the others, the outputs of the bottlenecks, were measured on 158 frames of two videos. Weights need no measurement. The first two
layers and the six that compute the boxes stay in floating point, because they lose the most accuracy and cost little time.
"""
import os
import platform
import sys
import tempfile

import numpy as np
import openvino as ov
from openvino import opset13 as ops
from openvino.preprocess import PrePostProcessor

PICTURE = "Preprocessor/map/TensorArrayStack/TensorArrayGatherV3"
HEADS = ("Squeeze", "concat_1")
SIZE = 300

LIMITED = (0.0, 6.0)
# The value ranges of the bottlenecks' outputs, from the input to the heads.
BOTTLENECKS = [
    (-18.05, 17.33), (-12.4, 13.76), (-28.71, 27.12), (-12.68, 14.09), (-17.13, 16.97), (-22.9, 22.43), (-13.4, 10.41),
    (-14.09, 13.8), (-15.95, 18.33), (-20.92, 18.69), (-7.97, 8.22), (-13.81, 14.05), (-16.15, 19.51), (-7.44, 7.38),
    (-10.31, 10.56), (-21.94, 17.93), (-8.3, 9.23),
]
FIRST, LAST = 2, 6
# Output channels of the last layers: four box offsets for three or six anchors.
BOX_CHANNELS = {12, 24}


def cut(graph):
    nodes = {node.get_friendly_name(): node for node in ov.Core().read_model(graph).get_ordered_ops()}
    picture = ops.parameter([1, SIZE, SIZE, 3], np.float32, name="image")
    for user in list(nodes[PICTURE].output(0).get_target_inputs()):
        user.replace_source_output(picture.output(0))
    heads = [ops.result(nodes[name].output(0)) for name in HEADS]
    network = ov.Model(heads, [picture], "ssd_mobilenet_v2")
    network.validate_nodes_and_infer_types()
    feed = PrePostProcessor(network)
    feed.input().tensor().set_element_type(ov.Type.u8)
    return feed.build()


def folded(network):
    """Folds all constant subexpressions, by saving and reading the network."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "network.xml")
        ov.save_model(network, path, compress_to_fp16=False)
        return ov.Core().read_model(path)


def number(value):
    return ops.constant(np.array(value, np.float32))


def eight_bit_input(source, low, high):
    if low < 0:  # zero must be one of the 256 steps
        step = (high - low) / 255
        low = -round(-low / step) * step
        high = low + 255 * step
    return ops.fake_quantize(source, number(low), number(high), number(low), number(high), 256)


def eight_bit_weights(layer):
    """Returns the weights as integers multiplied by one scale for each output channel.

    As in prepare_efficientdet.py, two adjacent weights of a convolution must not exceed 127 in sum.
    """
    weights = layer.input_value(1).get_node().get_data().astype(np.float32)
    own_axes = 1 if layer.get_type_name() == "Convolution" else 2
    largest = np.abs(weights).max(axis=tuple(range(own_axes, weights.ndim)), keepdims=True)
    if own_axes == 1:
        sums = np.abs(weights[:, 0::2] + weights[:, 1::2]).max(axis=(1, 2, 3), keepdims=True)
        largest = np.maximum(largest, sums)
    scale = np.maximum(largest, 1e-8) / 127
    whole = np.round(weights / scale).astype(np.int8)
    return ops.multiply(ops.convert(ops.constant(whole), "f32"), ops.constant(scale.astype(np.float32)))


def quantise(network):
    layers = [node for node in network.get_ordered_ops() if node.get_type_name() in ("Convolution", "GroupConvolution")]
    inner, boxes = layers[FIRST:-LAST], layers[-LAST:]
    bottlenecks = iter(BOTTLENECKS)
    quantised = {}
    for layer in inner:
        source = layer.input_value(0)
        name = source.get_node().get_friendly_name()
        if name not in quantised:
            limited = source.get_node().get_type_name() == "Clamp"
            quantised[name] = eight_bit_input(source, *(LIMITED if limited else next(bottlenecks)))
        weights = eight_bit_weights(layer)
        layer.input(0).replace_source_output(quantised[name].output(0))
        layer.input(1).replace_source_output(weights.output(0))
    if next(bottlenecks, None) is not None or {layer.get_output_shape(0)[1] for layer in boxes} != BOX_CHANNELS:
        raise SystemExit("prepare_ssd: the network differs from the one whose value ranges were measured")
    network.validate_nodes_and_infer_types()
    return network


def main(graph, output):
    network = cut(graph)
    # On other processors the runtime computes in 16 bits, so quantisation to 8 bits gains nothing.
    if platform.machine() in ("x86_64", "AMD64"):
        network = quantise(folded(network))
    ov.save_model(network, output, compress_to_fp16=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
