/// Class scores of which each box has a row of its own, in bytes as a quantised network gives them: a quarter of the memory, and
/// sixteen are compared at once. Says the same as ``ScoreRows`` of the numbers that they stand for.
struct QuantisedScoreRows {
    private let scores: QuantisedBytes
    /// Bytes from row to row.
    private let length: Int
    /// Where in a row the classes begin.
    private let firstClass: Int
    private let classCount: Int
    /// Brings signed bytes into the order of unsigned ones.
    private let flip: UInt8

    /// - Returns: `nil` where rows and classes do not fit the numbers that are there.
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

    /// Calls `body` with row, class and value of each row whose highest class reaches `floor`: the first class where several are
    /// equal. Most rows have none, and are only asked whether any does.
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

/// A level that bytes are compared with, sixteen of them at once.
private struct ByteLevel {
    private typealias Words = SIMD2<UInt64>

    private let level: UInt8
    private let flip: UInt8
    /// The flip, in each byte.
    private let flips: Words
    /// Brings the lower seven bits of a byte to its highest bit where they reach those of the level.
    private let lift: Words
    /// All bits where a byte's highest bit alone is more than the level.
    private let isLow: Words

    init(_ level: UInt8, flip: UInt8) {
        (self.level, self.flip) = (level, flip)
        flips = Self.all(flip)
        lift = Self.all(0x80 - (level & 0x7F))
        isLow = Self.all(level < 0x80 ? 0xFF : 0)
    }

    /// Whether any of some bytes reaches it.
    @inline(__always)
    func isReached(in bytes: UnsafePointer<UInt8>, count: Int) -> Bool {
        guard count >= 16 else { return (0..<count).contains { bytes[$0] ^ flip >= level } }
        let raw = UnsafeRawPointer(bytes)
        // Some of the last sixteen are seen twice.
        var found = compare(raw, count - 16)
        var index = 0
        while index + 16 < count {
            found |= compare(raw, index)
            index += 16
        }
        return (found[0] | found[1]) & 0x8080_8080_8080_8080 != 0
    }

    /// The highest bit of each byte tells whether it reaches the level. In words, which there are vector instructions for: bytes are
    /// compared one by one.
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
