/// Has a network lay out its answer cell by cell from the start, instead of turning it around as a whole at its end.
///
/// YOLOX and NanoDet put the planes of their levels side by side and transpose all of it, which copies a megabyte twice. Runtimes keep
/// the numbers of a cell together anyway: where each level is transposed by itself, before it becomes one of many, nothing is left to
/// be done. What comes out stays the same to the last bit.
struct TrailingTranspose {
    /// The file with its levels transposed one by one; `nil` where it does not end so.
    static func transposeRemoved(_ content: [UInt8]) -> [UInt8]? {
        guard let graph = ONNXGraph(content) else { return nil }
        return graph.nodes.lazy.compactMap { TrailingTranspose($0, in: graph)?.transposeRemoved }.first
    }

    private let graph: ONNXGraph
    private let transpose: ONNXGraph.Node
    private let joint: ONNXGraph.Node
    private let levels: [Level]

    private init?(_ transpose: ONNXGraph.Node, in graph: ONNXGraph) {
        guard transpose.operation == "Transpose", transpose.integers("perm") == [0, 2, 1],
            let planes = transpose.inputs.first, transpose.outputs.count == 1,
            let joint = graph.node(producing: planes, forOneReader: true), joint.operation == "Concat",
            [2, -1].contains(joint.integer("axis"))
        else { return nil }
        levels = joint.inputs.compactMap { Level($0, in: graph) }
        guard !levels.isEmpty, levels.count == joint.inputs.count else { return nil }
        self.graph = graph
        self.transpose = transpose
        self.joint = joint
    }

    private var transposeRemoved: [UInt8] {
        var changes: [Int: [ONNXGraph.Part]] = [transpose.field: []]
        for level in levels { changes[level.flattening.field] = level.rows }
        changes[joint.field] = [.node("Concat", levels.map(\.rowsName), transpose.outputs[0], ["axis": .number(1)])]
        return graph.written(changes)
    }
}

/// A level's planes, being made one row of numbers each.
private struct Level {
    let flattening: ONNXGraph.Node
    let rowsName: String
    /// What is made of the planes turned around: cells, and the numbers of a cell. Cells may be left open with -1.
    private let shape: [Int]

    init?(_ name: String, in graph: ONNXGraph) {
        guard let node = graph.node(producing: name, forOneReader: true), node.operation == "Reshape",
            node.inputs.count == 2, node.integer("allowzero") ?? 0 == 0,
            let shape = graph.integers(node.inputs[1]), shape.count == 3,
            // Nothing but a picture's own planes may be turned around one by one.
            let planes = graph.planes(of: node.inputs[0]), [planes, 0].contains(shape[1]), shape[2] != 0
        else { return nil }
        flattening = node
        // A name of its own: the file may tell the shape of what had the old one.
        rowsName = name + "/rows"
        self.shape = [shape[0], shape[2], planes]
    }

    /// The same numbers, those of a cell together.
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
    /// How many planes a tensor of four dimensions has, as far as the nodes before it tell.
    fileprivate func planes(of name: String) -> Int? {
        var budget = 1000
        return planes(of: name, depth: 0, &budget)
    }

    /// - Parameter budget: how many more nodes are looked at: a few that are joined over and over would have no end.
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
