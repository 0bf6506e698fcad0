/// A decoder that adds the quantisation to the outputs before it passes them to another decoder.
struct QuantisedDecoder: DetectionDecoder {
    let decoder: any DetectionDecoder
    /// The quantisation of each output; `nil` for outputs that are not bytes.
    let scales: [QuantisationScale?]
    var input: NetworkInput { decoder.input }
    var labels: [String]? { decoder.labels }

    /// - Returns: `nil` if no output is quantised.
    init?(_ decoder: any DetectionDecoder, outputs: [TensorDescription], scales: [String: QuantisationScale]) {
        self.scales = outputs.map { [.uint8, .int8].contains($0.element) ? scales[$0.name] : nil }
        guard self.scales.contains(where: { $0 != nil }) else { return nil }
        self.decoder = decoder
    }

    func decode(
        _ outputs: [TensorView], placement: InputPlacement, options: DetectionOptions
    ) throws -> [Detection] {
        var outputs = outputs
        for index in outputs.indices where index < scales.count { outputs[index].scale = scales[index] }
        return try decoder.decode(outputs, placement: placement, options: options)
    }
}
