import COpenVINO

/// The 8-bit weights of a .tflite file, rescaled for x86 processors without VNNI.
///
/// The 8-bit instructions of these processors add the products of two adjacent input channels in 16 bits. The sum of 255
/// * 127 and 255 * 127 does not fit, so it saturates and the outputs are wrong. An output channel whose adjacent weights
/// exceed 127 in sum therefore gets smaller weights and a larger scale. This costs up to one bit of precision.
///
/// `prepare_efficientdet.py` does the same for the default detector, whose converted file is not a .tflite file.
struct TFLiteWeights {
    /// Whether 8-bit sums overflow on this processor. VNNI instructions add in 32 bits.
    static let overflow = swiftodt_eight_bit_sums_overflow()

    private let model: FlatBuffer
    private let tensors: [FlatBuffer.Table]
    private let buffers: [FlatBuffer.Table]
    /// By the number of the buffer with the weights.
    private var layers: [Int: [Layer]] = [:]
    /// The number of tensors that share a vector of scales, by its position.
    private let scaleUses: [Int: Int]

    /// A convolution or a fully connected layer.
    private struct Layer {
        let weights: FlatBuffer.Table
        let bias: FlatBuffer.Table?
    }

    /// Returns `nil` if no layer can be rescaled.
    ///
    /// A buffer is not rescaled if an operation uses it for anything else than weights, or if several operations use its
    /// bias, because their other inputs can have other scales.
    init?(model: FlatBuffer) {
        guard let root = model.root, root.tables(2).count == 1, let graph = root.tables(2).first else { return nil }
        self.model = model
        (tensors, buffers) = (graph.tables(0), root.tables(4))
        scaleUses = tensors.reduce(into: [:]) { uses, tensor in
            if let scales = Self.scales(tensor) { uses[scales.lowerBound, default: 0] += 1 }
        }
        // Operations with a number below 127 are in an older field of the schema.
        let codes = root.tables(1).map {
            max(Int($0.integer(0, as: Int8.self) ?? 0), Int($0.integer(3, as: Int32.self) ?? 0))
        }
        var uses: [Int: Int] = [:]
        for operation in graph.tables(3) {
            let code = Int(operation.integer(0, as: UInt32.self) ?? 0)
            let inputs = operation.integers(1, as: Int32.self).map { tensor(Int($0)) }
            for input in inputs.compactMap({ $0 }) { uses[number(input), default: 0] += 1 }
            guard codes.indices.contains(code), [Self.convolution, Self.fullyConnected].contains(codes[code]),
                inputs.count >= 2, let weights = inputs[1], weights.integer(1, as: UInt8.self) == Self.int8
            else { continue }
            layers[number(weights), default: []].append(
                Layer(weights: weights, bias: inputs.count > 2 ? inputs[2] : nil))
        }
        layers = layers.filter { buffer, users in
            uses[buffer] == users.count && users.allSatisfy { $0.bias.map { uses[number($0)] == 1 } ?? true }
        }
        if layers.isEmpty { return nil }
    }

    private static let (convolution, fullyConnected) = (3, 9)
    private static let (int8, int32): (UInt8, UInt8) = (9, 2)

    private func tensor(_ number: Int) -> FlatBuffer.Table? { tensors.indices.contains(number) ? tensors[number] : nil }

    private static func scales(_ tensor: FlatBuffer.Table) -> Range<Int>? { tensor.table(4)?.span(2, size: 4) }

    private func number(_ tensor: FlatBuffer.Table) -> Int { Int(tensor.integer(2, as: UInt32.self) ?? 0) }

    private func span(_ tensor: FlatBuffer.Table, size: Int) -> Range<Int>? {
        let number = number(tensor)
        return buffers.indices.contains(number) ? buffers[number].span(0, size: size) : nil
    }

    /// Returns the content of the file with rescaled weights.
    func rescaled(_ content: [UInt8]) -> [UInt8] {
        var content = content
        for users in layers.values {
            guard let (weights, factors) = factors(users) else { continue }
            let row = weights.count / factors.count
            for (channel, factor) in factors.enumerated() where factor > 1 {
                for place in weights.lowerBound + channel * row..<weights.lowerBound + (channel + 1) * row {
                    let weight = (Float(Int8(bitPattern: content[place])) / factor).rounded(.toNearestOrEven)
                    content[place] = UInt8(bitPattern: Int8(weight))
                }
            }
            var scaled: Set<Int> = []
            for layer in users {
                if let bias = layer.bias, let span = span(bias, size: 1) {
                    for (channel, factor) in factors.enumerated() {
                        Self.change(&content, at: span.lowerBound + 4 * channel) { bits in
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
        return content
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
        guard let first = users.first?.weights, let span = span(first, size: 1) else { return nil }
        let shape = first.integers(0, as: Int32.self).map(Int.init)
        guard shape.count >= 2, let channels = shape.first, let inner = shape.last, channels > 0, inner > 1,
            span.count % channels == 0, span.count / channels % inner == 0, span.count > 0
        else { return nil }
        let perChannel = first.table(4)?.floats(2).count != 1
        for user in users {
            let weights = user.weights.table(4)
            guard
                [user.weights, user.bias].compactMap({ $0.flatMap(Self.scales) }).allSatisfy({
                    scaleUses[$0.lowerBound] == 1
                })
            else { return nil }
            guard user.weights.integers(0, as: Int32.self).map(Int.init) == shape,
                weights?.floats(2).count == (perChannel ? channels : 1), weights?.integer(6, as: Int32.self) ?? 0 == 0,
                weights?.integers(3, as: Int64.self).allSatisfy({ $0 == 0 }) ?? true
            else { return nil }
            guard let bias = user.bias else { continue }
            guard bias.integer(1, as: UInt8.self) == Self.int32, self.span(bias, size: 1)?.count == 4 * channels,
                bias.table(4)?.floats(2).count == (perChannel ? channels : 1)
            else { return nil }
        }
        var factors = (0..<channels).map { channel in
            let start = span.lowerBound + channel * (span.count / channels)
            let sum = stride(from: start, to: start + span.count / channels, by: inner).map {
                largestSum(from: $0, to: $0 + inner)
            }.max()
            return max(1, Float(sum ?? 0) / 127)
        }
        if !perChannel { factors = Array(repeating: factors.max() ?? 1, count: channels) }
        return factors.contains { $0 > 1 } ? (span, factors) : nil
    }

    /// Returns the largest sum of two weights that the instructions add.
    private func largestSum(from start: Int, to end: Int) -> Int {
        stride(from: start, to: end - 1, by: 2).reduce(0) { most, place in
            max(most, abs(Int(Int8(bitPattern: model.bytes[place])) + Int(Int8(bitPattern: model.bytes[place + 1]))))
        }
    }
}
