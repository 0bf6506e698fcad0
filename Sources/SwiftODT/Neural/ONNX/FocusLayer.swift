/// Removes the "focus" layer at the start of an .onnx network. ``InputFiller`` then writes the picture in the layout
/// that this layer would have computed.
///
/// YOLOX and early YOLOv5 versions start with four strided slices of the picture and concatenate the slices (space to
/// depth). Runtimes execute these operations as slow copies. The outputs of the changed network are bit-identical.
struct FocusLayer {
    /// Returns the content of an .onnx file without the focus layer. The input of the new network has the layout
    /// ``NetworkInput/Layout/spaceToDepth``. Returns `nil` if the network has no focus layer in the expected form.
    static func folded(_ content: [UInt8]) -> [UInt8]? {
        guard let graph = ONNXGraph(content) else { return nil }
        return graph.nodes.lazy.compactMap { FocusLayer($0, in: graph)?.folded }.first
    }

    private let graph: ONNXGraph
    /// The original input of the network.
    private let input: ONNXGraph.Input
    private let concat: ONNXGraph.Node
    /// The indices of the `Slice` nodes among the protobuf fields of the graph.
    private let slices: Set<Int>

    private init?(_ node: ONNXGraph.Node, in graph: ONNXGraph) {
        guard node.operation == "Concat", [1, -3].contains(node.integer("axis")), node.outputs.count == 1 else {
            return nil
        }
        let quarters = node.inputs.compactMap { FocusSlice($0, in: graph) }
        guard quarters.map(\.offset) == Self.order, let source = quarters.first?.source,
            quarters.allSatisfy({ $0.source == source }),
            let input = graph.inputs.first(where: { $0.name == source }), input.dimensions.count == 4
        else { return nil }
        let slices = quarters.reduce(into: Set()) { $0.formUnion($1.slices) }
        // No other node may use the original input, because the new network does not have this input.
        guard graph.nodes.allSatisfy({ slices.contains($0.field) || !$0.inputs.contains(source) }) else { return nil }
        self.graph = graph
        self.input = input
        self.slices = slices
        concat = node
    }

    /// The order of the slices in YOLOX and YOLOv5.
    private static let order = [
        FocusSlice.Offset(row: 0, column: 0), FocusSlice.Offset(row: 1, column: 0),
        FocusSlice.Offset(row: 0, column: 1), FocusSlice.Offset(row: 1, column: 1),
    ]

    private var folded: [UInt8] {
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
}

/// One of the four slices of the focus layer: a tensor that has every second pixel of every second row of another
/// tensor.
private struct FocusSlice {
    /// Each 0 or 1.
    struct Offset: Equatable {
        var row: Int
        var column: Int
    }

    /// The name of the sliced tensor.
    private(set) var source: String
    private(set) var offset = Offset(row: 0, column: 0)
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
                if range.axis == 2 || range.axis == -2 { offset.row = range.start } else { offset.column = range.start }
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
