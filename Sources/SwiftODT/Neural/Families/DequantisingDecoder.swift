/// Turns the whole numbers of a quantised network into those that they stand for, for a decoder that reads floats.
struct DequantisingDecoder: DetectionDecoder {
    let decoder: any DetectionDecoder
    /// Output by output; `nil` for those that are passed on as they are.
    let scales: [TFLiteQuantisation.Scale?]
    var input: NetworkInput { decoder.input }

    /// - Returns: `nil` where no output is quantised.
    init?(_ decoder: any DetectionDecoder, outputs: [TensorDescription], quantisation: TFLiteQuantisation) {
        scales = outputs.map { [.uint8, .int8].contains($0.element) ? quantisation[$0] : nil }
        guard scales.contains(where: { $0 != nil }) else { return nil }
        self.decoder = decoder
    }

    /// Takes memory for the floats, each time: quantised outputs are small, or they would not be quantised.
    func decode(
        _ outputs: [TensorView], placement: InputPlacement, options: DetectionOptions
    ) throws -> [Detection] {
        let floats = zip(outputs, scales).map { view, scale in scale.map { Self.floats(view, $0) } }
        defer { for numbers in floats { numbers?.deallocate() } }
        let views = outputs.indices.map { index in
            guard index < floats.count, let numbers = floats[index] else { return outputs[index] }
            return TensorView(
                shape: outputs[index].shape, element: .float32, bytes: UnsafeRawBufferPointer(numbers))
        }
        return try decoder.decode(views, placement: placement, options: options)
    }

    private static func floats(_ view: TensorView, _ scale: TFLiteQuantisation.Scale) -> UnsafeMutableBufferPointer<
        Float
    > {
        let numbers = UnsafeMutableBufferPointer<Float>.allocate(capacity: view.bytes.count)
        let isSigned = view.element == .int8
        for (index, byte) in view.bytes.enumerated() {
            let whole = isSigned ? Float(Int8(bitPattern: byte)) : Float(byte)
            numbers.initializeElement(at: index, to: (whole - scale.zero) * scale.step)
        }
        return numbers
    }
}
