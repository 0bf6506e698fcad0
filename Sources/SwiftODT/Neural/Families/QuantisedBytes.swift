struct QuantisedBytes {
    let bytes: UnsafeBufferPointer<UInt8>
    let isSigned: Bool
    let scale: QuantisationScale

    var count: Int { bytes.count }

    @inline(__always)
    func number(_ byte: UInt8) -> Float { scale.number(isSigned ? Float(Int8(bitPattern: byte)) : Float(byte)) }
}

/// The values of an output. A value is converted to a float only when it is read. This is faster than
/// ``TensorView/withFloats(_:)`` if few values are read.
enum SparseNumbers {
    case floats(UnsafeBufferPointer<Float>)
    case bytes(QuantisedBytes)

    var count: Int {
        switch self {
        case .floats(let numbers): numbers.count
        case .bytes(let quantised): quantised.count
        }
    }

    @inline(__always)
    subscript(place: Int) -> Float {
        switch self {
        case .floats(let numbers): numbers[place]
        case .bytes(let quantised): quantised.number(quantised.bytes[place])
        }
    }
}

extension TensorView {
    /// Returns `nil` if the elements are not bytes or have no quantisation.
    ///
    /// - Throws: ``ODTError`` if the memory is smaller than the shape requires.
    func quantised() throws -> QuantisedBytes? {
        guard element == .uint8 || element == .int8, let scale else { return nil }
        let whole = UnsafeRawBufferPointer(rebasing: bytes.prefix(try checkedCount()))
        return QuantisedBytes(bytes: whole.bindMemory(to: UInt8.self), isSigned: element == .int8, scale: scale)
    }

    func withSparseNumbers<Answer>(_ body: (SparseNumbers) throws -> Answer) throws -> Answer {
        if let quantised = try quantised() { return try body(.bytes(quantised)) }
        return try withFloats { try body(.floats($0)) }
    }
}

/// Attaches quantisation scales to the outputs and passes the outputs to another decoder.
struct QuantisedDecoder: DetectionDecoder {
    let decoder: any DetectionDecoder
    /// `nil` for outputs that are not quantised.
    let scales: [QuantisationScale?]
    var input: NetworkInput { decoder.input }
    var labels: [String]? { decoder.labels }
    var supportsTiles: Bool { decoder.supportsTiles }

    /// Returns `nil` if no output is quantised. `scales` has the tensor names as keys.
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

/// Quantised class scores in rows. Returns the same results as ``ScoreRows`` for the dequantised values.
///
/// The type is faster than ``ScoreRows``: it compares 16 bytes at once, and bytes need a quarter of the memory of
/// floats.
struct QuantisedScoreRows {
    private let scores: QuantisedBytes
    private let length: Int
    private let firstClass: Int
    private let classCount: Int
    /// The XOR mask that converts a byte to an unsigned byte with the same order: 0x80 for signed bytes, 0 for unsigned
    /// bytes.
    private let flip: UInt8

    /// Returns `nil` if the number of bytes is not a multiple of `stride`, or if `stride` is too small for the classes.
    init?(_ scores: QuantisedBytes, stride: Int, firstClass: Int, classCount: Int) {
        guard stride > 0, firstClass >= 0, classCount > 0, firstClass + classCount <= stride,
            scores.count % stride == 0
        else { return nil }
        self.scores = scores
        length = stride
        self.firstClass = firstClass
        self.classCount = classCount
        flip = scores.isSigned ? 0x80 : 0
    }

    var count: Int { scores.count / length }

    /// Calls `body` for each row whose highest class value reaches `floor`. The first class wins a tie. A fast test
    /// first rejects all rows in which no value reaches `floor`.
    @inline(__always)
    func forEachBest(from floor: Float, _ body: (_ row: Int, _ index: Int, _ value: Float) -> Void) {
        guard let base = scores.bytes.baseAddress,
            let minimum = (0...UInt8.max).first(where: { scores.number($0 ^ flip) >= floor })
        else { return }
        let level = ByteLevel(minimum, flip: flip)
        for row in 0..<count {
            let classes = base + row * length + firstClass
            guard level.isReached(in: classes, count: classCount) else { continue }
            var (index, highest) = (0, classes[0] ^ flip)
            for other in 1..<classCount where classes[other] ^ flip > highest {
                (index, highest) = (other, classes[other] ^ flip)
            }
            body(row, index, scores.number(highest ^ flip))
        }
    }
}

/// A threshold that is compared with 16 bytes at once.
private struct ByteLevel {
    private typealias Words = SIMD2<UInt64>

    private let level: UInt8
    private let flip: UInt8
    /// `flip` in each byte.
    private let flips: Words
    /// A constant that is added to the lower seven bits of each byte. The highest bit of the sum is set if the lower
    /// seven bits of the byte are at least the lower seven bits of the level.
    private let lift: Words
    /// All bits are set if the level is below 0x80. A byte of 0x80 or more then always reaches the level.
    private let isLow: Words

    init(_ level: UInt8, flip: UInt8) {
        (self.level, self.flip) = (level, flip)
        flips = Self.all(flip)
        lift = Self.all(0x80 - (level & 0x7F))
        isLow = Self.all(level < 0x80 ? 0xFF : 0)
    }

    /// Returns whether any byte reaches the level.
    @inline(__always)
    func isReached(in bytes: UnsafePointer<UInt8>, count: Int) -> Bool {
        guard count >= 16 else { return (0..<count).contains { bytes[$0] ^ flip >= level } }
        let raw = UnsafeRawPointer(bytes)
        // The last 16 bytes are compared separately, because `count` need not be a multiple of 16. They may overlap
        // another block.
        var found = compare(raw, count - 16)
        var index = 0
        while index + 16 < count {
            found |= compare(raw, index)
            index += 16
        }
        return (found[0] | found[1]) & 0x8080_8080_8080_8080 != 0
    }

    /// The highest bit of each byte of the result is set if the compared byte reaches the level. The function works on
    /// 64-bit words, because comparisons of `SIMD16<UInt8>` compile to scalar code.
    @inline(__always)
    private func compare(_ bytes: UnsafeRawPointer, _ offset: Int) -> Words {
        let words = bytes.loadUnaligned(fromByteOffset: offset, as: Words.self) ^ flips
        let lifted = (words & Self.all(0x7F)) &+ lift
        return (lifted & words) | (isLow & (lifted | words))
    }

    @inline(__always)
    private static func all(_ byte: UInt8) -> Words {
        Words(repeating: UInt64(byte) &* 0x0101_0101_0101_0101)
    }
}
