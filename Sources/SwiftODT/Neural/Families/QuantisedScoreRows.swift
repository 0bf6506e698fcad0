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
    /// equal.
    @inline(__always)
    func forEachBest(from floor: Float, _ body: (_ row: Int, _ index: Int, _ value: Float) -> Void) {
        guard let base = scores.bytes.baseAddress,
            let least = (0...UInt8.max).first(where: { scores.number($0 ^ flip) >= floor })
        else { return }
        for row in 0..<count {
            let classes = base + row * length + firstClass
            let highest = highest(classes)
            guard highest >= least else { continue }
            var index = 0
            while classes[index] ^ flip != highest { index += 1 }
            body(row, index, scores.number(highest ^ flip))
        }
    }

    /// The highest of a row's classes, flipped.
    @inline(__always)
    private func highest(_ classes: UnsafePointer<UInt8>) -> UInt8 {
        guard classCount >= 16 else {
            return (0..<classCount).reduce(into: UInt8.min) { highest, index in
                highest = max(highest, classes[index] ^ flip)
            }
        }
        let (row, flips) = (UnsafeRawPointer(classes), SIMD16(repeating: flip))
        // Some of the last sixteen are seen twice.
        var lanes = row.loadUnaligned(fromByteOffset: classCount - 16, as: SIMD16<UInt8>.self) ^ flips
        var index = 0
        while index + 16 < classCount {
            lanes = pointwiseMax(lanes, row.loadUnaligned(fromByteOffset: index, as: SIMD16<UInt8>.self) ^ flips)
            index += 16
        }
        return lanes.max()
    }
}
