extension [String: QuantisationScale] {
    /// What the whole numbers of a quantised .tflite stand for, by the names of its tensors: the runtime passes them on without.
    init?(tflite model: FlatBuffer) {
        guard let graph = model.root?.tables(2).first else { return nil }
        self.init()
        for tensor in graph.tables(0) {
            // One scale for the whole tensor: only weights have more.
            guard let quantisation = tensor.table(4), let name = tensor.text(3), self[name] == nil,
                quantisation.floats(2).count == 1, let step = quantisation.floats(2).first
            else { continue }
            let zero = quantisation.integers(3, as: Int64.self).first ?? 0
            self[name] = QuantisationScale(step: step, zero: Float(zero))
        }
    }
}
