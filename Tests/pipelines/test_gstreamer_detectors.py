"""The element behind GStreamer's own inference elements, tensor decoders and tracker, and before its overlay."""
import unittest

from streams import Gst, InFolder, frames
from test_tensors import NO_TENSORS

try:
    import numpy
    import onnx
    LACKING = None
except ImportError as problem:
    LACKING = f"the Python package {problem.name} is not installed"
LACKING = NO_TENSORS or LACKING or (None if Gst.version() >= (1, 28) else "needs GStreamer 1.28: Tests/testing-root runs it") or (
    None if Gst.ElementFactory.find("onnxinference") else "this GStreamer has no onnxinference")

SIZE = 64
# The box of the only object: x, y, width and height.
CAR = (22, 16, 20, 16)
SOURCE = f"videotestsrc num-buffers=6 ! video/x-raw,width={SIZE},height={SIZE},framerate=30/1 ! videoconvert"
ELEMENT = "swiftodt multiple-objects=true track-min-hits=1 draw=false updates=every-frame"
INFORMATION = """[modelinfo]
version=1.0
group-id={id}

[images]
id=images
type=float32
dims=1,3,{size},{size}
dir=input
ranges=0.0,1.0;0.0,1.0;0.0,1.0

[out]
id={id}
type=float32
dims={dims}
dir=output
dims-order={order}
"""


def write_model(path, output, name, order):
    """Writes a network whose output is constant, and the description that onnxinference needs."""
    make, array = onnx.helper, onnx.numpy_helper.from_array
    nodes = [make.make_node("ReduceMean", ["images"], ["mean"], keepdims=0), make.make_node("Mul", ["mean", "zero"], ["nothing"]),
             make.make_node("Add", ["constant", "nothing"], ["out"])]
    kind = onnx.TensorProto.FLOAT
    graph = make.make_graph(
        nodes, "constant", [make.make_tensor_value_info("images", kind, [1, 3, SIZE, SIZE])],
        [make.make_tensor_value_info("out", kind, output.shape)],
        [array(numpy.array(0, numpy.float32), "zero"), array(output.astype(numpy.float32), "constant")])
    onnx.save(make.make_model(graph, opset_imports=[make.make_opsetid("", 13)], ir_version=8), path)
    with open(path + ".modelinfo", "w") as file:
        file.write(INFORMATION.format(id=name, size=SIZE, dims=",".join(map(str, output.shape)), order=order))


@unittest.skipIf(LACKING, LACKING)
class Detectors(InFolder):
    def setUp(self):
        super().setUp()
        # Cells of 8, 16 and 32 pixels.
        cells = 64 + 16 + 4
        output = numpy.zeros((1, 84, cells))
        output[0, :4, 10] = (32, 24, 20, 16)
        output[0, 4 + 2, 10] = 0.9
        write_model(self.path("yolov8.onnx"), output, "yolo-v8-out", "col-major")
        output = numpy.zeros((1, cells, 85))
        output[0, 8 * 3 + 4] = (0, 0, numpy.log(20 / 8), numpy.log(16 / 8), 1, *numpy.eye(80)[2] * 0.9)
        write_model(self.path("yolox.onnx"), output, "yolox-out", "row-major")
        with open(self.path("labels.txt"), "w") as file:
            file.write("\n".join(["person", "bicycle", "car"] + [f"class-{number}" for number in range(3, 80)]))

    def inference(self, model):
        return f"{SOURCE} ! onnxinference model-file={self.path(model)}"

    def objects(self, description):
        """Returns label, box and tracking ids of the objects of each frame."""
        samples = list(frames(f"{description} ! appsink name=frames sync=false"))
        self.assertEqual((frames.said.errors, frames.said.warnings), ([], []))
        self.assertEqual(len(samples), 6)
        return [[(thing.get_value("label"), tuple(thing.get_value(name) for name in ("x", "y", "width", "height")), thing.get_value("tracking-id"))
                 for thing in result.get_value("objects")] for result in frames.said.results]

    def test_objects_are_tracked_between_tensor_decoder_and_overlay(self):
        decoder = f"yolov8tensordec label-file={self.path('labels.txt')}"
        found = self.objects(f"{self.inference('yolov8.onnx')} ! {decoder} ! {ELEMENT} detector=upstream ! videoconvert ! objectdetectionoverlay")
        self.assertEqual(found, [[("car", CAR, 1)]] * 6)

    def test_objects_of_ioutracker_are_tracked(self):
        decoder = f"yolov8tensordec label-file={self.path('labels.txt')} ! ioutracker"
        found = self.objects(f"{self.inference('yolov8.onnx')} ! {decoder} ! {ELEMENT} detector=upstream")
        self.assertEqual(found, [[("car", CAR, 1)]] * 6)

    def test_detector_tensors_decodes_yolov8_and_yolox(self):
        for model in ("yolov8.onnx", "yolox.onnx"):
            with self.subTest(model):
                self.assertEqual(self.objects(f"{self.inference(model)} ! {ELEMENT} detector=tensors"), [[("car", CAR, 1)]] * 6)

    def test_labels_of_own_decoders_come_with_the_model(self):
        with open(self.path("yolox.txt"), "w") as file:
            file.write("\n".join(f"name-{number}" for number in range(80)))
        found = self.objects(f"{self.inference('yolox.onnx')} ! {ELEMENT} detector=tensors model-file={self.path('yolox.onnx')}")
        self.assertEqual({label for one in found for label, *_ in one}, {"name-2"})
