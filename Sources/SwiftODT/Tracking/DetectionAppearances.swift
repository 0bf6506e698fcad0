/// The appearances of the detections of one result, and the gain from appearance in the association.
struct DetectionAppearances: ~Copyable {
    /// The appearance of each detection, by its index in the result. Empty without a picture.
    private var appearances = ScratchList<Appearance?>()
    /// The number of candidate tracks of each detection. 0 for weak detections.
    private var claims = ScratchList<Int>()
    private var statistics = DiscriminationStatistics.appearances

    /// Computes the appearance of each accepted detection.
    ///
    /// - Parameter count: the number of detections in the result, rejected ones included.
    mutating func compute(at detections: UnsafeBufferPointer<FilteredDetection>, of count: Int, in plane: LumaPlane?) {
        guard let plane else { return appearances.clear() }
        appearances.reset(to: nil, count: count)
        claims.reset(to: 0, count: count)
        for detection in detections { appearances[detection.source] = Appearance(of: detection.box, in: plane) }
    }

    /// Counts the candidate tracks of the given detections.
    mutating func countClaims(_ candidates: borrowing CandidatePairs) {
        if appearances.isEmpty { return }
        for candidate in candidates.all.view { claims[candidates.detections[Int(candidate.column)].source] += 1 }
    }

    subscript(detection: FilteredDetection) -> Appearance? { appearances.isEmpty ? nil : appearances[detection.source] }

    /// Returns the appearance of a strong detection with exactly one candidate track, otherwise `nil`. If a detection
    /// has two candidate tracks, one of the objects probably occludes the other. Weak detections are often partly
    /// occluded.
    func clear(_ detection: FilteredDetection) -> Appearance? {
        appearances.isEmpty || claims[detection.source] != 1 ? nil : appearances[detection.source]
    }

    /// Returns the gain of a pair from its appearance. The gain is reduced if the areas of the boxes differ, because
    /// such boxes show different content.
    @inline(__always)
    func utility(of track: Appearance?, at expected: Box, _ detection: FilteredDetection) -> Double {
        if appearances.isEmpty { return 0 }
        let (area, otherArea) = (expected.area, detection.box.area)
        let agreement = min(1, 2 * min(area, otherArea) / max(area, otherArea))
        // An unknown appearance counts as an average one.
        guard let track, let seen = appearances[detection.source] else {
            return agreement * (statistics.weight * statistics.mean)
        }
        return agreement * (statistics.weight * track.similarity(seen))
    }

    /// Adds two similarities to the statistics: of a track to its matched detection, and to the next detection of the
    /// result as a different object.
    mutating func learn(from track: Appearance?, _ detection: FilteredDetection) {
        guard appearances.count > 1, let track, let itself = clear(detection),
            let other = appearances[(detection.source + 1) % appearances.count]
        else { return }
        statistics.learn(same: track.similarity(itself), other: track.similarity(other))
    }
}

/// Statistics on how well a measure separates the objects of one stream. Keeps the average of the measure for pairs of
/// the same object, and the average for pairs of different objects.
struct DiscriminationStatistics: Sendable {
    private var same: Double
    private var other: Double
    private let gain: Double
    private let maximum: Double
    private var variance = 0.01
    private var samples = 50.0

    /// The similarity of appearances.
    static let appearances = DiscriminationStatistics(
        from: 0.8, gain: TrackerTuning.appearanceGain, maximum: TrackerTuning.appearanceLimit)

    /// - Parameters:
    ///   - start: the initial value of both averages.
    ///   - gain: positive for similarities, negative for differences.
    private init(from start: Double, gain: Double, maximum: Double) {
        (same, other, self.gain, self.maximum) = (start, start, gain, maximum)
    }

    /// The gain of a measure of 1, on the scale of IoU. The variance has a lower bound, because a measure with little
    /// variation so far may vary later.
    var weight: Double { min(maximum, max(0, gain * (same - other)) / max(variance, 0.003)) }

    /// The average of all pairs.
    var mean: Double { (same + other) / 2 }

    /// Adds one value of the measure for the same object and one for different objects.
    @inline(__always)
    mutating func learn(same itself: Double, other neighbour: Double) {
        samples = min(samples + 1, 2000)
        let (own, others) = (itself - same, neighbour - other)
        same += own / samples
        other += others / samples
        variance += ((own * own + others * others) / 2 - variance) / samples
    }
}

/// The recent average of an object's scores, for the confidence cost of the association (Hybrid-SORT).
///
/// Scores change slowly and help to separate overlapping objects: the front object keeps its score, and the occluded
/// object has a lower score.
struct ScoreAverage: Sendable {
    private var value: Double

    init(_ first: Double) { value = first }

    /// Adds the score of a detection.
    ///
    /// - Parameter time: the time since the previous detection.
    mutating func follow(_ score: Double, after time: Nanoseconds) {
        let seconds = max(0, Double(time) / 1e9)
        value += (score - value) * (seconds / (seconds + TrackerTuning.confidenceMemory))
    }

    @inline(__always)
    func distance(to score: Double) -> Double { abs(score - value) }

}
