/// Removes the "focus" layer at the start of an .onnx network. ``InputFiller`` then writes the picture in the layout
/// that this layer would have computed.
///
/// YOLOX and early YOLOv5 versions start with four strided slices of the picture and concatenate the slices (space to
/// depth). Runtimes execute these operations as slow copies. The outputs of the changed network are bit-identical.
enum FocusLayer {
    /// Returns the content of an .onnx file without the focus layer. The input of the new network has the layout
    /// ``NetworkInput/Layout/spaceToDepth``. Returns `nil` if the network has no focus layer in the expected form.
    static func folded(_ content: [UInt8]) -> [UInt8]? {
        guard let graph = ONNXGraph(content) else { return nil }
        return graph.nodes.lazy.compactMap { folded($0, in: graph) }.first
    }

    /// Returns the changed content if `concat` is the last node of a focus layer.
    private static func folded(_ concat: ONNXGraph.Node, in graph: ONNXGraph) -> [UInt8]? {
        guard concat.operation == "Concat", [1, -3].contains(concat.integer("axis")), concat.outputs.count == 1 else {
            return nil
        }
        let quarters = concat.inputs.compactMap { FocusSlice($0, in: graph) }
        guard quarters.map(\.offset) == order, let source = quarters.first?.source,
            quarters.allSatisfy({ $0.source == source }),
            let input = graph.inputs.first(where: { $0.name == source }), input.dimensions.count == 4
        else { return nil }
        let slices = quarters.reduce(into: Set<Int>()) { $0.formUnion($1.slices) }
        // No other node may use the original input, because the new network does not have this input.
        guard graph.nodes.allSatisfy({ slices.contains($0.field) || !$0.inputs.contains(source) }) else { return nil }
        let (batch, channels, height, width) =
            (input.dimensions[0], input.dimensions[1], input.dimensions[2], input.dimensions[3])
        var changes = Dictionary(uniqueKeysWithValues: slices.union([concat.field]).map { ($0, [ONNXGraph.Part]()) })
        changes[input.field] = [
            .input(
                concat.outputs[0], type: input.type,
                dimensions: [batch, channels.map { $0 &* 4 }, height.map { $0 / 2 }, width.map { $0 / 2 }])
        ]
        return graph.written(changes)
    }

    /// The order of the slices in YOLOX and YOLOv5.
    private static let order: [SIMD2<Int>] = [[0, 0], [0, 1], [1, 0], [1, 1]]
}

/// One of the four slices of the focus layer: a tensor that has every second pixel of every second row of another
/// tensor.
private struct FocusSlice {
    /// The name of the sliced tensor.
    private(set) var source: String
    /// The column (`x`) and the row (`y`) of the first pixel, each 0 or 1.
    private(set) var offset = SIMD2<Int>.zero
    /// The indices of the `Slice` nodes among the protobuf fields of the graph.
    private(set) var slices: Set<Int> = []

    init?(_ name: String, in graph: ONNXGraph) {
        source = name
        var axes: Set = [2, 3]
        while !axes.isEmpty {
            // Each axis must be sliced only once. The loop therefore also ends if the graph has a cycle.
            guard let node = graph.node(producing: source, ifSoleConsumer: true), node.operation == "Slice",
                let ranges = Self.ranges(node, in: graph), !ranges.isEmpty
            else { return nil }
            for range in ranges {
                guard axes.remove(range.axis < 0 ? range.axis + 4 : range.axis) != nil, range.step == 2,
                    (0...1).contains(range.start), range.end >= Self.beyondAnyPicture
                else { return nil }
                if range.axis == 2 || range.axis == -2 { offset.y = range.start } else { offset.x = range.start }
            }
            slices.insert(node.field)
            source = node.inputs[0]
        }
    }

    private static let beyondAnyPicture = 1 << 16

    private static func ranges(
        _ node: ONNXGraph.Node, in graph: ONNXGraph
    ) -> [(start: Int, end: Int, axis: Int, step: Int)]? {
        let lists = node.inputs.dropFirst().compactMap(graph.integers)
        guard node.inputs.count == 5, lists.count == 4, lists.allSatisfy({ $0.count == lists[0].count }) else {
            return nil
        }
        return lists[0].indices.map { (lists[0][$0], lists[1][$0], lists[2][$0], lists[3][$0]) }
    }
}
