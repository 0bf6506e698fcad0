/// A decoded detection before non-maximum suppression, in pixels of the network's input.
struct Candidate {
    var minX: Float
    var minY: Float
    var maxX: Float
    var maxY: Float
    var score: Float
    var classIndex: Int32
}

extension Candidate {
    init(centerX: Float, centerY: Float, width: Float, height: Float, score: Float, classIndex: Int) {
        self.init(
            minX: centerX - width / 2, minY: centerY - height / 2, maxX: centerX + width / 2,
            maxY: centerY + height / 2,
            score: score, classIndex: Int32(truncatingIfNeeded: classIndex))
    }

    /// - Parameter box: the address of centre x, centre y, width and height.
    init(centered box: UnsafePointer<Float>, score: Float, classIndex: Int) {
        self.init(
            centerX: box[0], centerY: box[1], width: box[2], height: box[3], score: score, classIndex: classIndex)
    }
}

/// Greedy non-maximum suppression.
struct Suppression {
    /// The intersection over union (IoU) above which two candidates of the same class count as one object.
    var iouThreshold: Float
    /// The IoU above which two candidates of different classes count as one object. 1 keeps all candidates of different
    /// classes.
    var iouThresholdAcrossClasses: Float = 1
    /// The maximum number of candidates that are kept.
    var limit = 300

    /// The usual ``iouThresholdAcrossClasses``. Two boxes of different classes with a higher IoU are probably the same
    /// object, whose class is ambiguous.
    static let acrossClasses: Float = 0.85

    /// Returns the candidates that are kept, in descending order of score. Candidates with equal scores keep their
    /// input order. Candidates with a non-finite value or an empty box are dropped.
    func callAsFunction(_ candidates: [Candidate]) -> [Candidate] {
        // The upper 32 bits of a key are the inverted score, the lower 32 bits the index. Sorting such integers is
        // faster than sorting candidates with a closure.
        var order: [UInt64] = []
        order.reserveCapacity(candidates.count)
        for (place, candidate) in candidates.enumerated() where candidate.isValid {
            order.append(UInt64(~candidate.score.ascendingBits) << 32 | UInt64(truncatingIfNeeded: place))
        }
        order.sort()
        var kept = KeptBoxes(capacity: min(limit, order.count))
        var result: [Candidate] = []
        for key in order where result.count < limit {
            let candidate = candidates[Int(key & 0xFFFF_FFFF)]
            if kept.overlaps(candidate, within: iouThreshold, across: iouThresholdAcrossClasses) { continue }
            kept.append(candidate)
            result.append(candidate)
        }
        return result
    }
}

extension Float {
    /// An unsigned integer that has the same order as the float.
    fileprivate var ascendingBits: UInt32 {
        let bits = bitPattern
        return bits >> 31 == 0 ? bits | 1 << 31 : ~bits
    }
}

extension Candidate {
    /// Whether the score is finite, the box has a positive area, and the coordinates are small enough for exact
    /// arithmetic.
    var isValid: Bool {
        let largest: Float = 1e6
        return score.isFinite && minX > -largest && minY > -largest && maxX < largest && maxY < largest
            && maxX > minX && maxY > minY
    }
}

/// The boxes that have been kept, in groups of eight. The eight boxes of a group are compared with a candidate in
/// parallel (SIMD).
private struct KeptBoxes {
    private struct Eight {
        var minX = SIMD8<Float>(repeating: 0)
        var minY = SIMD8<Float>(repeating: 0)
        var maxX = SIMD8<Float>(repeating: 0)
        var maxY = SIMD8<Float>(repeating: 0)
        var area = SIMD8<Float>(repeating: 0)
        var classIndex = SIMD8<Int32>(repeating: -1)
    }

    private var groups: [Eight] = []
    private var count = 0

    init(capacity: Int) { groups.reserveCapacity((capacity + 7) / 8) }

    mutating func append(_ box: Candidate) {
        if count % 8 == 0 { groups.append(Eight()) }
        let lane = count % 8
        groups.withUnsafeMutableBufferPointer { groups in
            let group = groups.baseAddress! + (groups.count - 1)
            group.pointee.minX[lane] = box.minX
            group.pointee.minY[lane] = box.minY
            group.pointee.maxX[lane] = box.maxX
            group.pointee.maxY[lane] = box.maxY
            group.pointee.area[lane] = (box.maxX - box.minX) * (box.maxY - box.minY)
            group.pointee.classIndex[lane] = box.classIndex
        }
        count += 1
    }

    /// Returns whether the IoU of the candidate and any kept box exceeds `own` for boxes of the candidate's class, or
    /// `other` for boxes of other classes.
    func overlaps(_ box: Candidate, within own: Float, across other: Float) -> Bool {
        let area = (box.maxX - box.minX) * (box.maxY - box.minY)
        let (ownLimit, otherLimit) = (SIMD8(repeating: own), SIMD8(repeating: other))
        return groups.withUnsafeBufferPointer { groups in
            for group in groups {
                let width = Self.lower(group.maxX, box.maxX) - Self.upper(group.minX, box.minX)
                let height = Self.lower(group.maxY, box.maxY) - Self.upper(group.minY, box.minY)
                let shared = Self.upper(width, 0) * Self.upper(height, 0)
                let limit = otherLimit.replacing(
                    with: ownLimit, where: group.classIndex .== SIMD8(repeating: box.classIndex))
                if any(shared .> (group.area + area - shared) * limit) { return true }
            }
            return false
        }
    }

    // `lower` and `upper` replace `pointwiseMin` and `pointwiseMax` of the standard library, which process the lanes of
    // a vector one by one.

    @inline(__always)
    private static func lower(_ lanes: SIMD8<Float>, _ other: Float) -> SIMD8<Float> {
        lanes.replacing(with: SIMD8(repeating: other), where: lanes .> other)
    }

    @inline(__always)
    private static func upper(_ lanes: SIMD8<Float>, _ other: Float) -> SIMD8<Float> {
        lanes.replacing(with: SIMD8(repeating: other), where: lanes .< other)
    }
}
