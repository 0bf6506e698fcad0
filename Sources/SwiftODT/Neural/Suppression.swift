/// A detection in the making: where in the network's input, how sure, which class.
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
}

/// Non-maximum suppression: of candidates that overlap much, only the one with the best score stays.
struct Suppression {
    /// Two candidates of one class that overlap more than this are one object.
    var iouThreshold: Float
    /// Two candidates of different classes that overlap more than this are one object, seen as two things; 1 keeps both.
    var iouThresholdAcrossClasses: Float
    /// No more than this many stay.
    var limit: Int

    /// Two boxes of different classes that overlap more than this are one object that was taken for two things.
    static let acrossClasses: Float = 0.85

    init(iouThreshold: Float, iouThresholdAcrossClasses: Float = 1, limit: Int = 300) {
        self.iouThreshold = iouThreshold
        self.iouThresholdAcrossClasses = iouThresholdAcrossClasses
        self.limit = limit
    }

    /// Those that stay, strongest first; equal scores in the order in which they came, so that results repeat exactly.
    ///
    /// Costs sorting, and of each candidate a comparison with those that stay so far, eight at a time.
    /// Candidates with a figure that is not finite, or with no area, are dropped.
    func callAsFunction(_ candidates: [Candidate]) -> [Candidate] {
        // Score and place in one whole number, because numbers sort several times faster than what a closure compares.
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
    /// A whole number that is larger for larger floats.
    fileprivate var ascendingBits: UInt32 {
        let bits = bitPattern
        return bits >> 31 == 0 ? bits | 1 << 31 : ~bits
    }
}

extension Candidate {
    /// Whether it is a box with an area and a score, all of them numbers of a size that can be reckoned with.
    fileprivate var isValid: Bool {
        let largest: Float = 1e6
        return score.isFinite && minX > -largest && minY > -largest && maxX < largest && maxY < largest
            && maxX > minX && maxY > minY
    }
}

/// The boxes that stay, laid out so that one candidate is compared with eight of them at once.
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

    // What the library has of this kind goes lane by lane.

    @inline(__always)
    private static func lower(_ lanes: SIMD8<Float>, _ other: Float) -> SIMD8<Float> {
        lanes.replacing(with: SIMD8(repeating: other), where: lanes .> other)
    }

    @inline(__always)
    private static func upper(_ lanes: SIMD8<Float>, _ other: Float) -> SIMD8<Float> {
        lanes.replacing(with: SIMD8(repeating: other), where: lanes .< other)
    }
}
