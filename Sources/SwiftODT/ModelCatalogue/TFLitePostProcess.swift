/// The operation `TFLite_Detection_PostProcess` at the end of a .tflite file, which decodes boxes and applies
/// non-maximum suppression. OpenVINO does not support the operation, so it is removed from the model. The decoder of
/// this library then decodes the boxes and applies the suppression, with the same parameters.
struct TFLitePostProcess {
    /// The centre y, centre x, height and width of each anchor, as fractions of the input.
    let anchors: [Float]
    /// The factors by which the network's box offsets are divided: y, x, height, width.
    let scales: [Double]
    let classCount: Int?
    /// The changes that remove the operation from the file: byte positions (`place`) and the new values (`number`). The
    /// outputs of the changed model are box offsets and class scores.
    fileprivate let patches: [(place: Int, number: UInt32)]

    /// Returns `nil` if the model does not end with this operation, or if its parameters are invalid.
    init?(model: FlatBuffer) {
        guard let root = model.root, let graph = root.tables(2).first, let operation = graph.tables(3).last else {
            return nil
        }
        let (codes, code) = (root.tables(1), Int(operation.integer(0, as: UInt32.self) ?? 0))
        guard codes.indices.contains(code), codes[code].text(1) == "TFLite_Detection_PostProcess" else { return nil }
        let taken = operation.integers(1, as: UInt32.self)
        let tensors = graph.tables(0)
        guard taken.count == 3, tensors.indices.contains(Int(taken[2])),
            let anchors = Self.floats(tensors[Int(taken[2])], root), anchors.count % 4 == 0, !anchors.isEmpty,
            let outputs = graph.span(2, size: 4), outputs.count == 16, let operations = graph.span(3, size: 4)
        else { return nil }
        let options = operation.contents(5).flatMap { FlexBuffer.numbers(Array($0)) } ?? [:]
        self.anchors = anchors
        scales = zip(["y_scale", "x_scale", "h_scale", "w_scale"], [10, 10, 5, 5]).map { name, usual in
            options[name].flatMap { $0.isFinite && $0 > 0 ? $0 : nil } ?? usual
        }
        classCount = options["num_classes"].flatMap { Int(exactly: $0) }.flatMap {
            (1...100_000).contains($0) ? $0 : nil
        }
        patches = [
            (outputs.lowerBound - 4, 2), (outputs.lowerBound, taken[0]), (outputs.lowerBound + 4, taken[1]),
            (operations.lowerBound - 4, UInt32(operations.count / 4 - 1)),
        ]
    }

    /// Returns the content of the model file without the operation.
    func cut(_ model: [UInt8]) -> [UInt8] {
        var cut = model
        for (place, number) in patches {
            withUnsafeBytes(of: number.littleEndian) { cut.replaceSubrange(place..<place + 4, with: $0) }
        }
        return cut
    }

    /// Returns the values of a constant tensor of 32-bit floats or quantised bytes. Quantised bytes are dequantised.
    private static func floats(_ tensor: FlatBuffer.Table, _ root: FlatBuffer.Table) -> [Float]? {
        let buffers = root.tables(4)
        guard let number = tensor.integer(2, as: UInt32.self), buffers.indices.contains(Int(number)) else { return nil }
        let buffer = buffers[Int(number)]
        switch tensor.integer(1, as: UInt8.self) ?? 0 {
        case 0: return buffer.contents(0)?.integers(as: UInt32.self)?.map { Float(bitPattern: $0) }
        case 3:
            let quantisation = tensor.table(4)
            guard let scale = quantisation?.floats(2).first, let bytes = buffer.contents(0) else { return nil }
            let zero = Float(quantisation?.integers(3, as: Int64.self).first ?? 0)
            return bytes.map { (Float($0) - zero) * scale }
        default: return nil
        }
    }
}
