/// Cuts off a network's "focus" stem: the picture is fed as the stem would hand it on, which saves an eighth of all the time.
///
/// YOLOX and the earlier YOLOv5 begin by taking every second pixel of every second row four times and laying the four quarters over
/// each other. Runtimes copy the picture about for that, slowly; ``InputFiller`` writes each pixel where it belongs at no cost. What
/// the network computes stays the same to the last bit.
struct FocusLayer {
    /// The file without the stem, wanting ``NetworkInput/Layout/spaceToDepth``; `nil` where there is none, or not in a form that is known.
    static func folded(_ content: [UInt8]) -> [UInt8]? {
        guard let graph = ONNXGraph(content) else { return nil }
        return graph.nodes.lazy.compactMap { FocusLayer($0, in: graph)?.folded }.first
    }

    private let graph: ONNXGraph
    /// The picture, whole.
    private let input: ONNXGraph.Input
    private let joint: ONNXGraph.Node
    private let slices: Set<Int>

    private init?(_ node: ONNXGraph.Node, in graph: ONNXGraph) {
        guard node.operation == "Concat", [1, -3].contains(node.integer("axis")), node.outputs.count == 1 else {
            return nil
        }
        let spaceToDepth = node.inputs.compactMap { FocusSlice($0, in: graph) }
        guard spaceToDepth.map(\.place) == Self.order, let source = spaceToDepth.first?.source,
            spaceToDepth.allSatisfy({ $0.source == source }),
            let input = graph.inputs.first(where: { $0.name == source }), input.dimensions.count == 4
        else { return nil }
        let slices = spaceToDepth.reduce(into: Set()) { $0.formUnion($1.slices) }
        // Whatever else looks at the picture would miss it.
        guard graph.nodes.allSatisfy({ slices.contains($0.field) || !$0.inputs.contains(source) }) else { return nil }
        self.graph = graph
        self.input = input
        self.slices = slices
        joint = node
    }

    /// Top left, bottom left, top right, bottom right: all networks that are known have this order.
    private static let order = [
        FocusSlice.Place(row: 0, column: 0), FocusSlice.Place(row: 1, column: 0), FocusSlice.Place(row: 0, column: 1),
        FocusSlice.Place(row: 1, column: 1),
    ]

    private var folded: [UInt8] {
        let (batch, channels, height, width) =
            (input.dimensions[0], input.dimensions[1], input.dimensions[2], input.dimensions[3])
        var changes = Dictionary(uniqueKeysWithValues: slices.union([joint.field]).map { ($0, [ONNXGraph.Part]()) })
        changes[input.field] = [
            .input(
                joint.outputs[0], type: input.type,
                dimensions: [batch, channels.map { $0 &* 4 }, height.map { $0 / 2 }, width.map { $0 / 2 }])
        ]
        return graph.written(changes)
    }
}

/// A tensor that is every second pixel of every second row of another.
private struct FocusSlice {
    /// The row and the column it begins with.
    struct Place: Equatable {
        var row: Int
        var column: Int
    }

    private(set) var source: String
    private(set) var place = Place(row: 0, column: 0)
    /// Fields of the nodes that make it.
    private(set) var slices: Set<Int> = []

    init?(_ name: String, in graph: ONNXGraph) {
        source = name
        var axes: Set = [2, 3]
        while !axes.isEmpty {
            // Each has to cut something: nodes may lead back to themselves.
            guard let node = graph.node(producing: source, forOneReader: true), node.operation == "Slice",
                let cuts = Self.cuts(node, in: graph), !cuts.isEmpty
            else { return nil }
            for folded in cuts {
                guard axes.remove(folded.axis < 0 ? folded.axis + 4 : folded.axis) != nil, folded.step == 2,
                    (0...1).contains(folded.start), folded.end >= Self.beyondAnyPicture
                else { return nil }
                if folded.axis == 2 || folded.axis == -2 { place.row = folded.start } else { place.column = folded.start }
            }
            slices.insert(node.field)
            source = node.inputs[0]
        }
    }

    private static let beyondAnyPicture = 1 << 16

    private static func cuts(
        _ node: ONNXGraph.Node, in graph: ONNXGraph
    ) -> [(start: Int, end: Int, axis: Int, step: Int)]? {
        let lists = node.inputs.dropFirst().compactMap(graph.integers)
        guard node.inputs.count == 5, lists.count == 4, lists.allSatisfy({ $0.count == lists[0].count }) else {
            return nil
        }
        return lists[0].indices.map { (lists[0][$0], lists[1][$0], lists[2][$0], lists[3][$0]) }
    }
}
