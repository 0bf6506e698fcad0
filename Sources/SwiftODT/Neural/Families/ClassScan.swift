import Glibc

/// What has to be done to a network's class output to get a score from 0 to 1.
enum ScoreActivation: Sendable {
    case none
    case sigmoid

    /// The raw output from which on a score is at least `floor`: the filter comes before any arithmetic.
    func rawFloor(_ floor: Float) -> Float {
        switch self {
        case .none: floor
        case .sigmoid: floor <= 0 ? -.infinity : floor >= 1 ? .infinity : log(floor / (1 - floor))
        }
    }

    func score(_ raw: Float) -> Float {
        switch self {
        case .none: raw
        case .sigmoid: logistic(raw)
        }
    }
}

func logistic(_ x: Float) -> Float { 1 / (1 + exp(-x)) }

/// Class scores of which each box has a row of its own.
struct ScoreRows {
    let values: UnsafeBufferPointer<Float>
    /// Numbers from row to row.
    let stride: Int
    /// Where in a row the classes begin.
    let firstClass: Int
    let classCount: Int

    /// - Returns: `nil` where rows and classes do not fit the numbers that are there.
    init?(_ values: UnsafeBufferPointer<Float>, stride: Int, firstClass: Int, classCount: Int) {
        guard stride > 0, firstClass >= 0, classCount > 0, firstClass + classCount <= stride, values.count % stride == 0
        else { return nil }
        self.values = values
        self.stride = stride
        self.firstClass = firstClass
        self.classCount = classCount
    }

    var count: Int { values.count / stride }

    /// The highest class of a row, the first one where several are equal; `nil` where none reaches `floor`. NaN reaches nothing.
    @inline(__always)
    func best(inRow row: Int, from floor: Float) -> (index: Int, value: Float)? {
        let scores = values.baseAddress! + row * stride + firstClass
        let highest = highest(scores)
        guard highest >= floor else { return nil }
        var index = 0
        while index < classCount, scores[index] != highest { index += 1 }
        return index < classCount ? (index, highest) : nil
    }

    @inline(__always)
    private func highest(_ scores: UnsafePointer<Float>) -> Float {
        var index = 0
        var highest = -Float.infinity
        if classCount >= 8 {
            var lanes = SIMD8<Float>(repeating: -.infinity)
            let bytes = UnsafeRawPointer(scores)
            while index + 8 <= classCount {
                let next = bytes.loadUnaligned(fromByteOffset: index * 4, as: SIMD8<Float>.self)
                lanes.replace(with: next, where: next .> lanes)
                index += 8
            }
            highest = lanes.max()
        }
        while index < classCount {
            if scores[index] > highest { highest = scores[index] }
            index += 1
        }
        return highest
    }
}

/// Class scores of which each class has a plane of its own, with one number a cell.
struct ScorePlanes {
    let values: UnsafeBufferPointer<Float>
    /// Cells of a plane.
    let count: Int
    let firstClass: Int
    let classCount: Int

    /// - Returns: `nil` where planes and cells do not fit the numbers that are there.
    init?(_ values: UnsafeBufferPointer<Float>, count: Int, firstClass: Int, classCount: Int) {
        guard count > 0, firstClass >= 0, classCount > 0, values.count / count >= firstClass + classCount else {
            return nil
        }
        self.values = values
        self.count = count
        self.firstClass = firstClass
        self.classCount = classCount
    }

    /// Calls `body` with cell, class and score of each cell whose highest class reaches `floor`; NaN reaches nothing.
    ///
    /// Goes through the planes in strips, so that memory is read in order and what is compared stays in the cache.
    func forEachBest(from floor: Float, _ body: (_ cell: Int, _ index: Int, _ value: Float) -> Void) {
        let strip = 256
        withUnsafeTemporaryAllocation(of: Float.self, capacity: strip) { highest in
            let best = highest.baseAddress!
            var start = 0
            while start < count {
                let width = min(strip, count - start)
                best.initialize(repeating: -.infinity, count: width)
                for index in 0..<classCount {
                    let plane = values.baseAddress! + (firstClass + index) * count + start
                    for cell in 0..<width { best[cell] = plane[cell] > best[cell] ? plane[cell] : best[cell] }
                }
                for cell in 0..<width where best[cell] >= floor {
                    for index in 0..<classCount
                    where values[(firstClass + index) * count + start + cell] == best[cell] {
                        body(start + cell, index, best[cell])
                        break
                    }
                }
                start += width
            }
        }
    }
}
