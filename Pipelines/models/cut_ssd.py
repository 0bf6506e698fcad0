"""Cuts the post-processing off a TensorFlow SSD and stores what is left in OpenVINO's own form.

    cut_ssd.py frozen_inference_graph.pb OUTPUT.xml

The frozen graph resizes, decodes and suppresses inside itself, with loops that cost more than the network. What is kept
goes from a picture of 300 x 300 bytes to the raw heads: box differences [1,1917,4] and class logits [1,1917,91].
Weights are stored with 16 bits, which halves the file and changes nothing that can be measured.
"""
import sys

import numpy as np
import openvino as ov
from openvino import opset13 as ops
from openvino.preprocess import PrePostProcessor

PICTURE = "Preprocessor/map/TensorArrayStack/TensorArrayGatherV3"
HEADS = ("Squeeze", "concat_1")
SIZE = 300


def main(graph, output):
    nodes = {node.get_friendly_name(): node for node in ov.Core().read_model(graph).get_ordered_ops()}
    picture = ops.parameter([1, SIZE, SIZE, 3], np.float32, name="image")
    for user in list(nodes[PICTURE].output(0).get_target_inputs()):
        user.replace_source_output(picture.output(0))
    heads = [ops.result(nodes[name].output(0)) for name in HEADS]
    network = ov.Model(heads, [picture], "ssd_mobilenet_v2")
    network.validate_nodes_and_infer_types()
    feed = PrePostProcessor(network)
    feed.input().tensor().set_element_type(ov.Type.u8)
    ov.save_model(feed.build(), output, compress_to_fp16=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
