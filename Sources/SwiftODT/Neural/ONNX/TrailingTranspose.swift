/// Replaces the transpose at the end of an .onnx network by one transpose per output level. An output level is the
/// output for one grid of cells.
///
/// YOLOX and NanoDet concatenate the channel planes of their levels and transpose the result. This transpose copies all
/// outputs. A transpose of a single level needs no copy: runtimes store the channels of a cell next to each other
/// internally, so the memory layout does not change. The outputs of the changed network are bit-identical.
enum TrailingTranspose {
    /// Returns the changed content of an .onnx file. Returns `nil` if the network does not end with a concatenation of
    /// levels and a transpose.
    static func transposeRemoved(_ content: [UInt8]) -> [UInt8]? {
        guard let graph = ONNXGraph(content) else { return nil }
        return graph.nodes.lazy.compactMap { transposeRemoved($0, in: graph) }.first
    }

    /// Returns the changed content if `transpose` is the transpose of concatenated levels.
    private static func transposeRemoved(_ transpose: ONNXGraph.Node, in graph: ONNXGraph) -> [UInt8]? {
        guard transpose.operation == "Transpose", transpose.integers("perm") == [0, 2, 1],
            let planes = transpose.inputs.first, transpose.outputs.count == 1,
            let concat = graph.node(producing: planes, ifSoleConsumer: true), concat.operation == "Concat",
            [2, -1].contains(concat.integer("axis"))
        else { return nil }
        let levels = concat.inputs.compactMap { Level($0, in: graph) }
        guard !levels.isEmpty, levels.count == concat.inputs.count else { return nil }
        var changes: [Int: [ONNXGraph.Part]] = [transpose.field: []]
        for level in levels { changes[level.flattening.field] = level.rows }
        changes[concat.field] = [.node("Concat", levels.map(\.rowsName), transpose.outputs[0], ["axis": .number(1)])]
        return graph.written(changes)
    }
}

/// An output level of the network. `flattening` is the `Reshape` node that flattens the channel planes of the level.
/// `rows` are the nodes that replace it.
private struct Level {
    let flattening: ONNXGraph.Node
    /// The name of the level's tensor in the new graph.
    let rowsName: String
    /// Batch size, number of cells and number of channels. The number of cells is -1 if the runtime infers it.
    private let shape: [Int]

    init?(_ name: String, in graph: ONNXGraph) {
        guard let node = graph.node(producing: name, ifSoleConsumer: true), node.operation == "Reshape",
            node.inputs.count == 2, node.integer("allowzero") ?? 0 == 0,
            let shape = graph.integers(node.inputs[1]), shape.count == 3,
            // The second dimension must be the channels of a convolution. For any other dimension, the new graph would
            // compute other values.
            let planes = graph.planes(of: node.inputs[0]), [planes, 0].contains(shape[1]), shape[2] != 0
        else { return nil }
        flattening = node
        // The tensor gets a new name, because the file may declare the old shape for the old name.
        rowsName = name + "/rows"
        self.shape = [shape[0], shape[2], planes]
    }

    /// The nodes that compute the level with one row per cell. A row has all channels of the cell.
    var rows: [ONNXGraph.Part] {
        let (cells, wanted) = (rowsName + "/cells", rowsName + "/shape")
        return [
            .node("Transpose", [flattening.inputs[0]], cells, ["perm": .numbers([0, 2, 3, 1])]),
            .constant(wanted, shape),
            .node("Reshape", [cells, wanted], rowsName),
        ]
    }
}

extension ONNXGraph {
    /// Returns the number of channels of a four-dimensional tensor, derived from the nodes that compute it. Returns
    /// `nil` if these nodes do not determine the number.
    fileprivate func planes(of name: String) -> Int? {
        var budget = 1000
        return planes(of: name, depth: 0, &budget)
    }

    /// - Parameter budget: the number of nodes that may still be visited. Without a limit, nested `Concat` nodes could
    ///   multiply the paths exponentially.
    private func planes(of name: String, depth: Int, _ budget: inout Int) -> Int? {
        budget -= 1
        guard depth < 3, budget > 0, let node = node(producing: name) else { return nil }
        switch node.operation {
        case "Conv":
            guard node.inputs.count > 1, let weights = shape(node.inputs[1]), weights.count == 4 else { return nil }
            return weights[0]
        case "Sigmoid": return node.inputs.first.flatMap { planes(of: $0, depth: depth + 1, &budget) }
        case "Concat" where node.integer("axis") == 1:
            var sum = 0
            for input in node.inputs {
                guard let planes = planes(of: input, depth: depth + 1, &budget) else { return nil }
                sum &+= planes
            }
            return sum
        default: return nil
        }
    }
}
