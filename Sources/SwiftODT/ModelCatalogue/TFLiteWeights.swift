import CODTOpenVINO

/// The 8-bit weights of a .tflite file, rescaled for x86 processors without VNNI.
///
/// The 8-bit instructions of these processors add the products of two adjacent input channels in 16 bits. A sum such as
/// 255 * 127 + 255 * 127 saturates, and the outputs of the network are wrong. If two adjacent weights of an output
/// channel exceed 127 in sum, all weights of the channel are divided by a number, and the scale is multiplied by this
/// number. The rescaling costs up to one bit of precision.
///
/// `prepare_efficientdet.py` does the same for the default detector, whose converted file is not a .tflite file.
struct TFLiteWeights {
    /// Whether 8-bit sums overflow on this processor. VNNI instructions add in 32 bits.
    static let overflow = swiftodt_eight_bit_sums_overflow()

    private let buffers: [FlatBuffer.Table]
    /// By the position of the weights.
    private var layers: [Int: [Layer]] = [:]
    /// The number of tensors that share a vector of scales, by its position.
    private let scaleUses: [Int: Int]

    /// A convolution or a fully connected layer with 8-bit activations.
    private struct Layer {
        let weights: FlatBuffer.Table
        let bias: FlatBuffer.Table?
    }

    /// Weights are not rescaled if an operation uses them for something else, or if several operations use their bias,
    /// because their other inputs can have other scales.
    init?(model: FlatBuffer) {
        guard let root = model.root, root.tables(2).count == 1, let graph = root.tables(2).first else { return nil }
        let tensors = graph.tables(0)
        buffers = root.tables(4)
        scaleUses = tensors.reduce(into: [:]) { uses, tensor in
            if let scales = Self.scales(tensor) { uses[scales.lowerBound, default: 0] += 1 }
        }
        let codes = root.operationCodes
        var uses: [Int: Int] = [:]
        for operation in graph.tables(3) {
            let code = Int(operation.integer(0, as: UInt32.self) ?? 0)
            let inputs = operation.integers(1, as: Int32.self).map { number in
                tensors.indices.contains(Int(number)) ? tensors[Int(number)] : nil
            }
            for place in inputs.compactMap({ $0.flatMap(place) }) { uses[place, default: 0] += 1 }
            guard codes.indices.contains(code),
                [TFLiteOperation.convolution, TFLiteOperation.fullyConnected].contains(codes[code]),
                inputs.count >= 2, let weights = inputs[1], let place = place(weights),
                [inputs[0], weights].allSatisfy({ $0?.integer(1, as: UInt8.self) == Self.int8 })
            else { continue }
            layers[place, default: []].append(Layer(weights: weights, bias: inputs.count > 2 ? inputs[2] : nil))
        }
        layers = layers.filter { place, users in
            uses[place] == users.count
                && users.allSatisfy { user in
                    user.bias.map { bias in self.place(bias).map { uses[$0] == 1 } ?? false } ?? true
                }
        }
    }

    private static let (int8, int32): (UInt8, UInt8) = (9, 2)

    private static func scales(_ tensor: FlatBuffer.Table) -> Range<Int>? { tensor.table(4)?.span(2, size: 4) }

    private func buffer(_ tensor: FlatBuffer.Table) -> FlatBuffer.Table? {
        let number = Int(tensor.integer(2, as: UInt32.self) ?? 0)
        return buffers.indices.contains(number) ? buffers[number] : nil
    }

    /// Returns the position of a constant tensor's data.
    private func place(_ tensor: FlatBuffer.Table) -> Int? { buffer(tensor)?.span(0, size: 1)?.lowerBound }

    /// Returns the content of the file with rescaled weights, or `nil` if no weights need it.
    func rescaled(_ original: [UInt8]) -> [UInt8]? {
        var content = original
        var isChanged = false
        for users in layers.values {
            guard let (weights, factors) = factors(users) else { continue }
            isChanged = true
            let row = weights.count / factors.count
            for (channel, factor) in factors.enumerated() where factor > 1 {
                for place in weights.lowerBound + channel * row..<weights.lowerBound + (channel + 1) * row {
                    let weight = (Float(Int8(bitPattern: content[place])) / factor).rounded(.toNearestOrEven)
                    content[place] = UInt8(bitPattern: Int8(weight))
                }
            }
            var scaled: Set<Int> = []
            for layer in users {
                if let start = layer.bias.flatMap(place) {
                    for (channel, factor) in factors.enumerated() {
                        Self.change(&content, at: start + 4 * channel) { bits in
                            UInt32(bitPattern: Int32((Double(Int32(bitPattern: bits)) / Double(factor)).rounded()))
                        }
                    }
                }
                for scales in [layer.weights, layer.bias].compactMap({ $0.flatMap(Self.scales) })
                where scaled.insert(scales.lowerBound).inserted {
                    for (channel, factor) in factors.prefix(scales.count / 4).enumerated() {
                        Self.change(&content, at: scales.lowerBound + 4 * channel) {
                            (Float(bitPattern: $0) * factor).bitPattern
                        }
                    }
                }
            }
        }
        return isChanged ? content : nil
    }

    private static func change(_ content: inout [UInt8], at place: Int, _ change: (UInt32) -> UInt32) {
        content.withUnsafeMutableBytes { bytes in
            let number = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt32.self))
            bytes.storeBytes(of: change(number).littleEndian, toByteOffset: place, as: UInt32.self)
        }
    }

    /// Returns the place of the weights, and for each output channel the number by which they must be divided. Returns
    /// `nil` if all numbers are 1, or if the sizes of weights, scales and biases do not match.
    private func factors(_ users: [Layer]) -> (weights: Range<Int>, factors: [Float])? {
        guard let first = users.first?.weights, let weights = buffer(first)?.contents(0) else { return nil }
        let shape = first.integers(0, as: Int32.self).map(Int.init)
        guard shape.count >= 2, let channels = shape.first, let inner = shape.last, channels > 0, inner > 1,
            weights.count % channels == 0, weights.count / channels % inner == 0, !weights.isEmpty
        else { return nil }
        let perChannel = first.table(4)?.floats(2).count != 1
        guard users.allSatisfy({ matches($0, shape, scales: perChannel ? channels : 1) }) else { return nil }
        let row = weights.count / channels
        var factors = (0..<channels).map { channel in
            let start = weights.startIndex + channel * row
            let sums = stride(from: start, to: start + row, by: inner).map { Self.largestSum(weights[$0..<$0 + inner]) }
            return max(1, Float(sums.max() ?? 0) / 127)
        }
        if !perChannel { factors = Array(repeating: factors.max() ?? 1, count: channels) }
        return factors.contains { $0 > 1 } ? (weights.indices, factors) : nil
    }

    /// Returns whether the tensors of a layer have the expected sizes, and no other tensor shares their scales.
    private func matches(_ layer: Layer, _ shape: [Int], scales: Int) -> Bool {
        func hasOwnScales(_ tensor: FlatBuffer.Table) -> Bool {
            tensor.table(4)?.floats(2).count == scales
                && Self.scales(tensor).map { scaleUses[$0.lowerBound] == 1 } ?? false
        }
        let quantisation = layer.weights.table(4)
        guard layer.weights.integers(0, as: Int32.self).map(Int.init) == shape, hasOwnScales(layer.weights),
            quantisation?.integer(6, as: Int32.self) ?? 0 == 0,
            quantisation?.integers(3, as: Int64.self).allSatisfy({ $0 == 0 }) ?? true
        else { return false }
        guard let bias = layer.bias else { return true }
        return bias.integer(1, as: UInt8.self) == Self.int32 && hasOwnScales(bias)
            && buffer(bias)?.span(0, size: 1)?.count == 4 * shape[0]
    }

    /// Returns the largest sum of two weights that the instructions add.
    private static func largestSum(_ weights: ArraySlice<UInt8>) -> Int {
        stride(from: weights.startIndex, to: weights.endIndex - 1, by: 2).reduce(0) { most, place in
            max(most, abs(Int(Int8(bitPattern: weights[place])) + Int(Int8(bitPattern: weights[place + 1]))))
        }
    }
}
