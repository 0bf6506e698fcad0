import Glibc

/// The function that converts a raw class output to a score from 0 to 1.
enum ScoreActivation: Sendable {
    case none
    case sigmoid

    /// Returns the raw output that has the score `floor`. Lower raw outputs are rejected without computing their
    /// scores.
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

/// Class scores in rows. A row has the values of one box, among them one value per class.
struct ScoreRows {
    let values: UnsafeBufferPointer<Float>
    let stride: Int
    let firstClass: Int
    let classCount: Int

    /// Returns `nil` if the number of values is not a multiple of `stride`, or if `stride` is too small for the
    /// classes.
    init?(_ values: UnsafeBufferPointer<Float>, stride: Int, firstClass: Int, classCount: Int) {
        guard stride > 0, firstClass >= 0, classCount > 0, firstClass + classCount <= stride, values.count % stride == 0
        else { return nil }
        self.values = values
        self.stride = stride
        self.firstClass = firstClass
        self.classCount = classCount
    }

    var count: Int { values.count / stride }

    /// Returns the class with the highest value in a row. The first class wins a tie. Returns `nil` if no value reaches
    /// `floor`. NaN does not reach any floor.
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

/// Class scores in planes, one per class, with one value per cell.
struct ScorePlanes {
    let values: UnsafeBufferPointer<Float>
    let count: Int
    let firstClass: Int
    let classCount: Int

    /// Returns `nil` if there are too few values for the planes of all classes.
    init?(_ values: UnsafeBufferPointer<Float>, count: Int, firstClass: Int, classCount: Int) {
        guard count > 0, firstClass >= 0, classCount > 0, values.count / count >= firstClass + classCount else {
            return nil
        }
        self.values = values
        self.count = count
        self.firstClass = firstClass
        self.classCount = classCount
    }

    /// Calls `body` for each cell whose highest class value reaches `floor`. The first class wins a tie. NaN does not
    /// reach any floor.
    ///
    /// The planes are processed in strips of cells. Memory is thus read sequentially, and intermediate results stay in
    /// the processor's cache.
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
