/// The text form of a network's description for the cache, for example `input float32 1,3,?,? images`.
extension NetworkDescription {
    var text: String {
        (inputs.map { "input " + $0.text } + outputs.map { "output " + $0.text }).joined(separator: "\n")
    }

    /// - Returns: `nil` if the text is not a description.
    init?(text: some StringProtocol) {
        var inputs: [TensorDescription] = []
        var outputs: [TensorDescription] = []
        for line in text.split(separator: "\n") {
            let fields = line.split(separator: " ", maxSplits: 1)
            guard fields.count == 2, let tensor = TensorDescription(text: fields[1]) else { return nil }
            switch fields[0] {
            case "input": inputs.append(tensor)
            case "output": outputs.append(tensor)
            default: return nil
            }
        }
        guard !inputs.isEmpty, !outputs.isEmpty else { return nil }
        self.init(inputs: inputs, outputs: outputs)
    }
}

extension TensorDescription {
    fileprivate var text: String {
        // The name is the rest of the line, so it must not have line breaks.
        let name = String(name.map { $0.isNewline ? " " : $0 })
        return "\(element.text) \(shape.map { $0.map(String.init) ?? "?" }.joined(separator: ",")) \(name)"
    }

    fileprivate init?(text: some StringProtocol) {
        let fields = text.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
        guard fields.count == 3, let element = TensorElement(text: fields[0]) else { return nil }
        var shape: [Int?] = []
        for dimension in fields[1].split(separator: ",") {
            guard dimension == "?" || Int(dimension) != nil else { return nil }
            shape.append(Int(dimension))
        }
        self.init(name: String(fields[2]), shape: shape, element: element)
    }
}

extension TensorElement {
    private static let names: [(TensorElement, String)] = [
        (.float32, "float32"), (.float16, "float16"), (.uint8, "uint8"), (.int8, "int8"), (.int32, "int32"),
        (.int64, "int64"),
    ]

    fileprivate var text: String { Self.names.first { $0.0 == self }?.1 ?? "" }

    fileprivate init?(text: some StringProtocol) {
        guard let found = Self.names.first(where: { $0.1 == text }) else { return nil }
        self = found.0
    }
}
