import Foundation

/// A network with an inference that fails for most pictures. It reshapes its 192 input values into as many rows as the
/// picture's mean, which fails if the mean does not divide 192. Its one output is the sum of the values.
struct FailingNetwork {
    /// The kind of the output.
    enum Output: CaseIterable {
        case float
        case wholeNumber
        /// The reshaped rows; their number is unknown in advance.
        case open
    }

    let file: String

    init(_ kind: Output = .float) throws {
        let picture = port("FP32", [1, 3, 8, 8])
        let layers = [
            layer(0, "Parameter", "shape=\"1,3,8,8\" element_type=\"f32\"", [], picture),
            constant(1, count: 4, offset: 0),
            layer(2, "ReduceMean", "keep_dims=\"true\"", [picture, integers(4)], port("FP32", [1, 1, 1, 1])),
            constant(3, count: 1, offset: 32),
            layer(
                4, "Reshape", "special_zero=\"false\"", [port("FP32", [1, 1, 1, 1]), integers(1)], port("FP32", [1])),
            layer(5, "Convert", "destination_type=\"i64\"", [port("FP32", [1])], integers(1)),
            constant(6, count: 1, offset: 40),
            layer(7, "Concat", "axis=\"0\"", [integers(1), integers(1)], integers(2)),
            layer(8, "Reshape", "special_zero=\"false\"", [picture, integers(2)], port("FP32", [-1, -1])),
            constant(9, count: 2, offset: 48),
            layer(
                10, "ReduceSum", "keep_dims=\"true\"", [port("FP32", [-1, -1]), integers(2)], port("FP32", [1, 1])),
            layer(11, "Convert", "destination_type=\"i64\"", [port("FP32", [1, 1])], port("I64", [1, 1])),
            layer(
                12, "Result", nil,
                [[.float: port("FP32", [1, 1]), .wholeNumber: port("I64", [1, 1])][kind] ?? port("FP32", [-1, -1])], nil
            ),
        ]
        let last = [.float: 10, .wholeNumber: 11][kind] ?? 8
        // Source layer, target layer, and the index of the target's input.
        let wires = [
            (0, 2, 0), (1, 2, 1), (2, 4, 0), (3, 4, 1), (4, 5, 0), (5, 7, 0), (6, 7, 1), (0, 8, 0), (7, 8, 1),
            (8, 10, 0),
            (9, 10, 1), (10, 11, 0), (last, 12, 0),
        ]
        let edges = wires.map { "<edge from-layer=\"\($0)\" from-port=\"9\" to-layer=\"\($1)\" to-port=\"\($2)\"/>" }
        file = TestNetwork.folder + "/failing-\(UUID().uuidString).xml"
        try """
        <?xml version="1.0"?><net name="failing" version="11"><layers>\(layers.joined())</layers>
        <edges>\(edges.joined())</edges></net>
        """.write(toFile: file, atomically: true, encoding: .utf8)
        let numbers: [Int64] = [0, 1, 2, 3, 1, -1, 0, 1]
        try numbers.withUnsafeBytes { Data($0) }.write(to: URL(fileURLWithPath: file.dropLast(4) + ".bin"))
    }
}

private typealias Port = (precision: String, dimensions: [Int])

private func port(_ precision: String, _ dimensions: [Int]) -> Port { (precision, dimensions) }

private func integers(_ count: Int) -> Port { ("I64", [count]) }

private func constant(_ id: Int, count: Int, offset: Int) -> String {
    let attributes = "element_type=\"i64\" shape=\"\(count)\" offset=\"\(offset)\" size=\"\(8 * count)\""
    return layer(id, "Const", attributes, [], integers(count))
}

private func layer(_ id: Int, _ type: String, _ attributes: String?, _ inputs: [Port], _ output: Port?) -> String {
    func text(_ port: Port, number: Int, name: String = "") -> String {
        "<port id=\"\(number)\" precision=\"\(port.precision)\"\(name)>"
            + port.dimensions.map { "<dim>\($0)</dim>" }.joined() + "</port>"
    }
    let taken = inputs.enumerated().map { text($1, number: $0) }.joined()
    return "<layer id=\"\(id)\" name=\"layer\(id)\" type=\"\(type)\" version=\"opset1\">"
        + (attributes.map { "<data \($0)/>" } ?? "") + (inputs.isEmpty ? "" : "<input>\(taken)</input>")
        + (output.map { "<output>" + text($0, number: 9, name: " names=\"out\(id)\"") + "</output>" } ?? "")
        + "</layer>"
}
