extension [String: QuantisationScale] {
    /// The quantisation of each tensor of a .tflite file, by name. OpenVINO does not report it.
    init?(tflite model: FlatBuffer) {
        guard let graph = model.root?.tables(2).first else { return nil }
        self.init()
        for tensor in graph.tables(0) {
            // Only tensors with a single scale; per-channel scales occur for weights alone.
            guard let quantisation = tensor.table(4), let name = tensor.text(3), self[name] == nil,
                quantisation.floats(2).count == 1, let step = quantisation.floats(2).first
            else { continue }
            let zero = quantisation.integers(3, as: Int64.self).first ?? 0
            self[name] = QuantisationScale(step: step, zero: Float(zero))
        }
    }
}
