"""Writes a quantised EfficientDet-Lite for TensorFlow Lite as a network whose every layer the runtime computes in 8 bits.

    prepare_efficientdet.py efficientdet_lite_int8.tflite OUTPUT.xml

Read as it is, the runtime does not see that the weights of the depthwise layers are constant and computes these in floats, and the
end of the network (all scores in one piece, the logistic function, quantised again) takes longer than any layer. Written here are
the same layers with the same numbers, without that end: each level of the pyramid gives its class logits and its box differences as
rows of anchors. Ten of the 90 numbers that COCO gives its classes name nothing; they are left out. The logits, 1.5 million of them,
come as bytes (LOGIT_STEP, LOGIT_ZERO: the manifest says so), the differences as floats: in bytes they cost a point of precision.

Needs nothing but Python: the file is read by its published schema, and written in OpenVINO's own format (version 11).
"""
import struct
import sys
from xml.sax.saxutils import quoteattr

# Operators and activations by their numbers in TensorFlow Lite's schema.
ADD, CONCATENATION, CONVOLUTION, DEPTHWISE, DEQUANTISE, LOGISTIC, MAX_POOL, RESHAPE, RESIZE_NEAREST, QUANTISE = \
    0, 2, 3, 4, 6, 14, 17, 22, 97, 114
NO_ACTIVATION, RELU6 = 0, 3
SAME = 0
ANCHORS = 9
# A logit is its byte less LOGIT_ZERO, times LOGIT_STEP: from -7.01, a score below all that is ever asked for, to 3.83, as far as the
# network as it is published goes; that one's steps are 0.094.
LOGIT_STEP, LOGIT_ZERO = 0.0425, 165
# What of COCO's 90 numbers (from 1) names nothing.
NAMELESS = {12, 26, 29, 30, 45, 66, 68, 69, 71, 83}


class Table:
    """A table of a FlatBuffer: fields by their number, absent ones by their default."""

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
    """A tensor of the .tflite: its shape, how its whole numbers are meant, and its bytes where it is constant."""

    def __init__(self, table, buffers):
        self.shape = table.numbers(0, "i")
        quantisation = table.table(4)
        self.scales = quantisation.numbers(2, "f") if quantisation else ()
        self.zeros = quantisation.numbers(3, "q") if quantisation else ()
        self.bytes = bytes(buffers[table.number(2, "I")].numbers(0, "B"))

    @property
    def range(self):
        """The least and the greatest number that its 8 bits stand for."""
        return (-128 - self.zeros[0]) * self.scales[0], (127 - self.zeros[0]) * self.scales[0]


class Layers:
    """A network in the making: layers in XML, and constants in a file beside it. A value is (layer, port, kind, shape)."""

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
    """Before and after, as TensorFlow does it: what is odd comes after."""
    if kind != SAME:
        return 0, 0
    whole = max(0, (-(-size // stride) - 1) * stride + kernel - size)
    return whole // 2, whole - whole // 2


class Preparation:
    def __init__(self, content):
        model = Table(content, struct.unpack_from("<I", content)[0])
        if content[4:8] != b"TFL3" or len(model.tables(2)) != 1:
            raise SystemExit("prepare_efficientdet: this is no model for TensorFlow Lite with one graph")
        graph, buffers = model.tables(2)[0], model.tables(4)
        # Small numbers of operators stand in an older field.
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
        # What follows the heads is not written: decoding does it.
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
            # The same steps before and after.
            self.values[leaves] = (self.max_pool if code == MAX_POOL else self.resize)(value, output.shape, options)
            return
        else:
            raise SystemExit(f"prepare_efficientdet: operator {code} is none of an EfficientDet-Lite's")
        if activation == RELU6:
            value = self.layers.add("Clamp", [value], "FP32", value[3], min="0", max="6")
        elif activation != NO_ACTIVATION:
            raise SystemExit(f"prepare_efficientdet: activation {activation} is none of an EfficientDet-Lite's")
        self.values[leaves] = self.layers.eight_bits(value, output.range, output.range)

    def picture(self, tensor):
        shape, scale, zero = tensor.shape, tensor.scales[0], tensor.zeros[0]
        planes = (1, shape[3], shape[1], shape[2])
        value = self.layers.add("Parameter", [], "U8", planes, name="image", element_type="u8", shape=",".join(map(str, planes)))
        value = self.layers.add("Convert", [value], "FP32", planes, destination_type="f32")
        return self.layers.eight_bits(value, (0, 255), (-zero * scale, (255 - zero) * scale))

    def convolution(self, value, code, weights, bias, options):
        """The weights in whole numbers, a scale for each channel that comes out, and the bias."""
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

    def weighted(self, value, operation, content, shape, scales, biases, options):
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
        """The last layer of a level: what it says of the classes that have names, not yet in bytes."""
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
            raise SystemExit("prepare_efficientdet: a network that resizes between pixel centres is not the one that was measured")
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
        raise SystemExit(f"prepare_efficientdet: {source} is no EfficientDet-Lite for TensorFlow Lite in 8 bits") from None
    network.save(output, "efficientdet_lite0")


if __name__ == "__main__":
    main(*sys.argv[1:])
