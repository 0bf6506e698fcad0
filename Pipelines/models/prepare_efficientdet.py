"""Converts a quantised EfficientDet-Lite from TensorFlow Lite to an OpenVINO network that runs entirely in 8 bits.

    prepare_efficientdet.py efficientdet_lite_int8.tflite OUTPUT.xml

Read directly, the .tflite runs slower: OpenVINO does not recognise the weights of the depthwise layers as constant and computes
these layers in floating point, and the end of the network (concatenation of all scores, logistic function, requantisation) costs
more than any other layer. This program writes the same layers with the same weights, without that end. Each pyramid level has two
outputs with one row per anchor: class logits and box offsets. Of COCO's 90 class numbers ten are unused; they are left out. The
logits are bytes (see LOGIT_STEP and LOGIT_ZERO; the manifest has them, too). The box offsets are floats, because bytes would reduce
the average precision.

Requires only Python: it reads the file by its published FlatBuffer schema and writes OpenVINO's IR format (version 11).
"""
import struct
import sys
from xml.sax.saxutils import quoteattr

# Numbers of operators and activations in TensorFlow Lite's schema.
ADD, CONCATENATION, CONVOLUTION, DEPTHWISE, DEQUANTISE, LOGISTIC, MAX_POOL, RESHAPE, RESIZE_NEAREST, QUANTISE = \
    0, 2, 3, 4, 6, 14, 17, 22, 97, 114
NO_ACTIVATION, RELU6 = 0, 3
SAME = 0
ANCHORS = 9
# logit = (byte - LOGIT_ZERO) * LOGIT_STEP, in the range -7.01 to 3.83. The lower end is a score below every useful threshold, the
# upper end is that of the published network, whose step is 0.094.
LOGIT_STEP, LOGIT_ZERO = 0.0425, 165
# The unused ones of COCO's class numbers, which begin at 1.
NAMELESS = {12, 26, 29, 30, 45, 66, 68, 69, 71, 83}


class Table:
    """A table of a FlatBuffer. Fields are addressed by number; absent fields have their default."""

    def __init__(self, content, place):
        self.content, self.place = content, place
        self.fields = place - self.unpack("i", place)[0]

    def unpack(self, kinds, place):
        return struct.unpack_from("<" + kinds, self.content, place)

    def field(self, number):
        entry = 4 + 2 * number
        offset = self.unpack("H", self.fields + entry)[0] if entry < self.unpack("H", self.fields)[0] else 0
        return self.place + offset if offset else None

    def number(self, field, kind, usual=0):
        place = self.field(field)
        return usual if place is None else self.unpack(kind, place)[0]

    def follow(self, place):
        return place + self.unpack("I", place)[0]

    def table(self, field):
        place = self.field(field)
        return None if place is None else Table(self.content, self.follow(place))

    def numbers(self, field, kind):
        place = self.field(field)
        if place is None:
            return ()
        start = self.follow(place)
        return self.unpack(f"{self.unpack('I', start)[0]}{kind}", start + 4)

    def tables(self, field):
        place = self.field(field)
        if place is None:
            return []
        start = self.follow(place)
        return [Table(self.content, self.follow(start + 4 + 4 * index)) for index in range(self.unpack("I", start)[0])]


class Tensor:
    """A tensor of the .tflite: its shape, its quantisation and, for a constant, its bytes."""

    def __init__(self, table, buffers):
        self.shape = table.numbers(0, "i")
        quantisation = table.table(4)
        self.scales = quantisation.numbers(2, "f") if quantisation else ()
        self.zeros = quantisation.numbers(3, "q") if quantisation else ()
        self.bytes = bytes(buffers[table.number(2, "I")].numbers(0, "B"))

    @property
    def range(self):
        """The smallest and the largest value that its 8 bits can represent."""
        return (-128 - self.zeros[0]) * self.scales[0], (127 - self.zeros[0]) * self.scales[0]


class Layers:
    """Builds a network: layers as XML, and constants for a separate file. A value is (layer, port, kind, shape)."""

    def __init__(self):
        self.xml, self.edges, self.constants, self.count, self.kept = [], [], bytearray(), 0, {}

    def add(self, operation, inputs, kind, extents, version=1, name=None, **attributes):
        data = " ".join(f"{key}={quoteattr(str(value))}" for key, value in attributes.items())
        def port(index, kind, shape, names=""):
            sizes = "".join(f"<dim>{size}</dim>" for size in shape)
            return f'<port id="{index}" precision="{kind}"{names}>{sizes}</port>'
        identity, out = self.count, len(inputs)
        self.count += 1
        for index, (layer, source, _, _) in enumerate(inputs):
            self.edges.append(f'<edge from-layer="{layer}" from-port="{source}" to-layer="{identity}" to-port="{index}"/>')
        entering = "".join(port(index, value[2], value[3]) for index, value in enumerate(inputs))
        leaving = "" if operation == "Result" else port(out, kind, extents, f' names="{name}"' if name else "")
        self.xml.append(
            f'<layer id="{identity}" name="{name or operation + str(identity)}" type="{operation}" version="opset{version}">'
            + (f"<data {data}/>" if data else "") + (f"<input>{entering}</input>" if entering else "")
            + (f"<output>{leaving}</output>" if leaving else "") + "</layer>")
        return identity, out, kind, tuple(extents)

    def constant(self, kind, shape, content):
        key = kind, tuple(shape), bytes(content)
        if key not in self.kept:
            self.constants += bytes(-len(self.constants) % 8)
            place = len(self.constants)
            self.constants += content
            self.kept[key] = self.add("Const", [], {"f32": "FP32", "i64": "I64", "i8": "I8"}[kind], shape, element_type=kind,
                                      shape=",".join(map(str, shape)), offset=place, size=len(content))
        return self.kept[key]

    def floats(self, values, shape=()):
        return self.constant("f32", shape, struct.pack(f"<{len(values)}f", *values))

    def wholes(self, values):
        return self.constant("i64", (len(values),), struct.pack(f"<{len(values)}q", *values))

    def transpose(self, value, order, name=None):
        return self.add("Transpose", [value, self.wholes(order)], value[2], [value[3][axis] for axis in order], name=name)

    def eight_bits(self, value, enters, leaves):
        limits = [self.floats([limit]) for limit in (*enters, *leaves)]
        return self.add("FakeQuantize", [value, *limits], "FP32", value[3], levels=256, auto_broadcast="numpy")

    def save(self, path, name):
        with open(path, "w", encoding="ascii") as file:
            file.write(f'<?xml version="1.0"?>\n<net name="{name}" version="11">\n<layers>\n' + "\n".join(self.xml)
                       + "\n</layers>\n<edges>\n" + "\n".join(self.edges) + "\n</edges>\n</net>\n")
        with open(path.removesuffix(".xml") + ".bin", "wb") as file:
            file.write(self.constants)


def padding(size, kernel, stride, kind):
    """Returns the padding before and after, as TensorFlow computes it: an odd rest is added after."""
    if kind != SAME:
        return 0, 0
    whole = max(0, (-(-size // stride) - 1) * stride + kernel - size)
    return whole // 2, whole - whole // 2


class Preparation:
    def __init__(self, content):
        model = Table(content, struct.unpack_from("<I", content)[0])
        if content[4:8] != b"TFL3" or len(model.tables(2)) != 1:
            raise SystemExit("prepare_efficientdet: the file is not a TensorFlow Lite model with one graph")
        graph, buffers = model.tables(2)[0], model.tables(4)
        # Operator numbers below 127 are in an older field of the schema.
        self.codes = [max(code.number(0, "b"), code.number(3, "i")) for code in model.tables(1)]
        self.tensors = [Tensor(table, buffers) for table in graph.tables(0)]
        self.operators, self.inputs = graph.tables(3), graph.numbers(1, "i")
        self.layers, self.values, self.heads = Layers(), {}, []

    def network(self):
        for operator in self.operators:
            code = self.codes[operator.number(0, "I")]
            enters, (leaves,) = operator.numbers(1, "i"), operator.numbers(2, "i")
            self.translate(code, enters, leaves, operator.table(4))
        for kind, value in self.heads:
            if kind == "classes":
                least, most = ((byte - LOGIT_ZERO) * LOGIT_STEP for byte in (0, 255))
                value = self.layers.eight_bits(value, (least, most), (0, 255))
                value = self.layers.add("Convert", [value], "U8", value[3], destination_type="u8")
            rows = self.layers.transpose(value, (0, 2, 3, 1), name=f"{kind}-{value[3][2]}x{value[3][3]}")
            self.layers.add("Result", [rows], rows[2], ())
        return self.layers

    def translate(self, code, enters, leaves, options):
        # The operators after the heads are left out, because swiftodt decodes the heads itself.
        if code in (RESHAPE, CONCATENATION, LOGISTIC, DEQUANTISE):
            return
        output = self.tensors[leaves]
        if code == QUANTISE:
            self.values[leaves] = self.picture(self.tensors[enters[0]])
            return
        value = self.values[enters[0]]
        if code in (CONVOLUTION, DEPTHWISE):
            activation = options.number(3 if code == CONVOLUTION else 4, "b")
            if self.tensors[enters[1]].shape[0] in (4 * ANCHORS, 90 * ANCHORS):
                self.head(value, *(self.tensors[number] for number in enters[1:]), options)
                return
            value = self.convolution(value, code, *(self.tensors[number] for number in enters[1:]), options)
        elif code == ADD:
            activation = options.number(0, "b")
            value = self.layers.add("Add", [value, self.values[enters[1]]], "FP32", value[3], auto_broadcast="numpy")
        elif code in (MAX_POOL, RESIZE_NEAREST):
            # Input and output have the same quantisation, so no FakeQuantize is needed.
            self.values[leaves] = (self.max_pool if code == MAX_POOL else self.resize)(value, output.shape, options)
            return
        else:
            raise SystemExit(f"prepare_efficientdet: operator {code} does not occur in an EfficientDet-Lite")
        if activation == RELU6:
            value = self.layers.add("Clamp", [value], "FP32", value[3], min="0", max="6")
        elif activation != NO_ACTIVATION:
            raise SystemExit(f"prepare_efficientdet: activation {activation} does not occur in an EfficientDet-Lite")
        self.values[leaves] = self.layers.eight_bits(value, output.range, output.range)

    def picture(self, tensor):
        shape, scale, zero = tensor.shape, tensor.scales[0], tensor.zeros[0]
        planes = (1, shape[3], shape[1], shape[2])
        value = self.layers.add("Parameter", [], "U8", planes, name="image", element_type="u8", shape=",".join(map(str, planes)))
        value = self.layers.add("Convert", [value], "FP32", planes, destination_type="f32")
        return self.layers.eight_bits(value, (0, 255), (-zero * scale, (255 - zero) * scale))

    def convolution(self, value, code, weights, bias, options):
        """Adds a convolution: integer weights, one scale for each output channel, and the bias."""
        depthwise = code == DEPTHWISE
        _, height, width, inner = weights.shape
        count, area = (inner, height * width) if depthwise else (weights.shape[0], height * width)
        if depthwise:
            content, shape = b"".join(weights.bytes[channel::count] for channel in range(count)), (count, 1, 1, height, width)
        else:
            rows = [weights.bytes[start:start + area * inner] for start in range(0, len(weights.bytes), area * inner)]
            content, shape = b"".join(row[channel::inner] for row in rows for channel in range(inner)), (count, inner, height, width)
        return self.weighted(value, "GroupConvolution" if depthwise else "Convolution", content, shape, weights.scales,
                             self.biases(bias), options)

    @staticmethod
    def biases(tensor):
        return [number * scale for number, scale in zip(struct.unpack(f"<{len(tensor.bytes) // 4}i", tensor.bytes), tensor.scales)]

    @staticmethod
    def without_overflow(content, shape, scales):
        """Returns weights and scales with which the 8-bit instructions of x86 without VNNI (before Ice Lake and Zen 4) do not overflow.

        They add the products of two adjacent input channels in 16 bits: 255 * (127 + 127) does not fit. So an output channel with
        two adjacent weights whose sum exceeds 127 gets a larger scale and smaller weights.
        """
        inner, area = shape[1], shape[2] * shape[3]
        kept, larger = bytearray(), []
        for start, scale in zip(range(0, len(content), inner * area), scales):
            row = memoryview(content)[start:start + inner * area].cast("b")
            sums = (abs(row[place] + row[place + area]) for first in range(0, (inner - 1) * area, 2 * area)
                    for place in range(first, first + area))
            factor = max(1, max(sums, default=0) / 127)
            kept += struct.pack(f"{len(row)}b", *(round(weight / factor) for weight in row))
            larger.append(scale * factor)
        return bytes(kept), larger

    def weighted(self, value, operation, content, shape, scales, biases, options):
        if operation == "Convolution":
            content, scales = self.without_overflow(content, shape, scales)
        across, down = options.number(1, "i"), options.number(2, "i")
        pads = [padding(size, kernel, stride, options.number(0, "b"))
                for size, kernel, stride in zip(value[3][2:], shape[-2:], (down, across))]
        whole = self.layers.constant("i8", shape, content)
        flat = (len(scales),) + (1,) * (len(shape) - 1)
        weights = self.layers.add("Convert", [whole], "FP32", shape, destination_type="f32")
        weights = self.layers.add("Multiply", [weights, self.layers.floats(scales, flat)], "FP32", shape, auto_broadcast="numpy")
        sizes = [-(-size // stride) if options.number(0, "b") == SAME else (size - kernel) // stride + 1
                 for size, kernel, stride in zip(value[3][2:], shape[-2:], (down, across))]
        value = self.layers.add(
            operation, [value, weights], "FP32", (1, len(scales), *sizes), strides=f"{down},{across}", dilations="1,1",
            pads_begin=f"{pads[0][0]},{pads[1][0]}", pads_end=f"{pads[0][1]},{pads[1][1]}", auto_pad="explicit")
        return self.layers.add("Add", [value, self.layers.floats(biases, (1, len(biases), 1, 1))], "FP32", value[3],
                               auto_broadcast="numpy")

    def head(self, value, weights, bias, options):
        """Adds the output layer of a pyramid level, without the channels of unused classes. `network` converts the logits to bytes."""
        width = weights.shape[0] // ANCHORS
        inner = weights.shape[3]
        kept = [channel for channel in range(weights.shape[0]) if width == 4 or channel % width + 1 not in NAMELESS]
        content = b"".join(weights.bytes[channel * inner:(channel + 1) * inner] for channel in kept)
        biases = self.biases(bias)
        value = self.weighted(value, "Convolution", content, (len(kept), inner, 1, 1), [weights.scales[channel] for channel in kept],
                              [biases[channel] for channel in kept], options)
        self.heads.append(("boxes" if width == 4 else "classes", value))

    def max_pool(self, value, shape, options):
        across, down, width, height = (options.number(field, "i") for field in (1, 2, 3, 4))
        pads = [padding(size, kernel, stride, options.number(0, "b"))
                for size, kernel, stride in zip(value[3][2:], (height, width), (down, across))]
        return self.layers.add(
            "MaxPool", [value], "FP32", (1, shape[3], shape[1], shape[2]), kernel=f"{height},{width}", strides=f"{down},{across}",
            pads_begin=f"{pads[0][0]},{pads[1][0]}", pads_end=f"{pads[0][1]},{pads[1][1]}", rounding_type="floor",
            auto_pad="explicit")

    def resize(self, value, shape, options):
        if options and (options.number(0, "b") or options.number(1, "b")):
            raise SystemExit("prepare_efficientdet: a resize with aligned corners or half-pixel centres is not supported")
        scales = [new / old for new, old in zip(shape[1:3], value[3][2:])]
        return self.layers.add(
            "Interpolate", [value, self.layers.wholes(shape[1:3]), self.layers.floats(scales, (2,)), self.layers.wholes((2, 3))],
            "FP32", (1, shape[3], shape[1], shape[2]), version=4, mode="nearest", shape_calculation_mode="sizes",
            coordinate_transformation_mode="asymmetric", nearest_mode="floor", antialias="false", pads_begin="0,0,0,0",
            pads_end="0,0,0,0", cube_coeff="-0.75")


def main(source, output):
    with open(source, "rb") as file:
        content = file.read()
    try:
        network = Preparation(content).network()
    except (struct.error, IndexError, KeyError, ValueError, ZeroDivisionError):
        raise SystemExit(f"prepare_efficientdet: {source} is not an 8-bit EfficientDet-Lite for TensorFlow Lite") from None
    network.save(output, "efficientdet_lite0")


if __name__ == "__main__":
    main(*sys.argv[1:])
