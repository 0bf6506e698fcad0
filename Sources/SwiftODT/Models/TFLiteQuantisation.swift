/// What the whole numbers of a quantised .tflite stand for, by the names of its tensors: the runtime passes them on without.
struct TFLiteQuantisation {
    struct Scale: Hashable, Sendable {
        let step: Float
        let zero: Float
    }

    private let scales: [String: Scale]

    init?(model: FlatBuffer) {
        guard let graph = model.root?.tables(2).first else { return nil }
        var scales: [String: Scale] = [:]
        for tensor in graph.tables(0) {
            // One scale for the whole tensor: only weights have more.
            guard let quantisation = tensor.table(4), let name = tensor.text(3), scales[name] == nil,
                quantisation.floats(2).count == 1, let step = quantisation.floats(2).first, step.isFinite, step > 0
            else { continue }
            let zero = quantisation.integers(3, as: Int64.self).first ?? 0
            guard (-128...255).contains(zero) else { continue }
            scales[name] = Scale(step: step, zero: Float(zero))
        }
        self.scales = scales
    }

    subscript(tensor: TensorDescription) -> Scale? { scales[tensor.name] }
}
