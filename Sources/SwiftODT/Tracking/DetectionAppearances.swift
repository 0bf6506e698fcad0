/// The appearances of the detections of one result, and the association gain from appearance.
struct DetectionAppearances: ~Copyable {
    /// The appearance of each detection, by its index in the result. Empty without a picture.
    private var appearances = ScratchList<Appearance?>()
    /// The number of tracks that compete for each detection in the first association stage. 0 for weak detections.
    private var claims = ScratchList<Int>()
    /// The mean similarity of two appearances of the same object (`same`) and of different objects (`other`) in this
    /// stream. Also the variance of the similarities, and the number of samples.
    private var (same, other, variance, samples) = (0.8, 0.8, 0.01, 50.0)

    /// Computes the appearance of each accepted detection. `count` includes the rejected detections.
    mutating func compute(at detections: UnsafeBufferPointer<FilteredDetection>, of count: Int, in plane: LumaPlane?) {
        guard let plane else { return appearances.clear() }
        appearances.reset(to: nil, count: count)
        claims.reset(to: 0, count: count)
        for detection in detections { appearances[detection.source] = Appearance(of: detection.box, in: plane) }
    }

    mutating func countClaims(
        _ candidates: borrowing CandidatePairs, _ detections: UnsafeBufferPointer<FilteredDetection>
    ) {
        if appearances.isEmpty { return }
        for candidate in candidates.all.view { claims[detections[candidate.column].source] += 1 }
    }

    subscript(detection: FilteredDetection) -> Appearance? { appearances.isEmpty ? nil : appearances[detection.source] }

    /// Returns the appearance of a strong detection with exactly one candidate track, otherwise `nil`. With two
    /// candidate tracks, one object probably occludes the other. Weak detections are often partly occluded.
    func clear(_ detection: FilteredDetection) -> Appearance? {
        appearances.isEmpty || claims[detection.source] != 1 ? nil : appearances[detection.source]
    }

    /// Returns the gain of a pair from appearance. It is smaller if one box has more than twice the area of the other,
    /// because the boxes then show different content.
    @inline(__always)
    func utility(of track: Appearance?, at expected: Box, _ detection: FilteredDetection) -> Double {
        if appearances.isEmpty { return 0 }
        let (area, otherArea) = (expected.area, detection.box.area)
        let agreement = min(1, 2 * min(area, otherArea) / max(area, otherArea))
        // If one of the two appearances is unknown, the average similarity is used.
        let seen = appearances[detection.source]
        return agreement * (weight * (track.flatMap { seen?.similarity($0) } ?? (same + other) / 2))
    }

    /// The association gain for a similarity of 1, on the scale of IoU. The bound limits the effect of few samples.
    var weight: Double {
        let gain = max(0, TrackerTuning.appearanceGain * (same - other)) / max(variance, 0.003)
        return min(TrackerTuning.appearanceLimit, gain)
    }

    /// Learns from the similarities of a track to its matched detection and to the next detection of the result, which
    /// is assumed to be a different object.
    mutating func learn(from track: Appearance?, _ detection: FilteredDetection) {
        guard appearances.count > 1, let track, let itself = clear(detection),
            let other = appearances[(detection.source + 1) % appearances.count]
        else { return }
        learn(same: track.similarity(itself), other: track.similarity(other))
    }

    @inline(__always)
    mutating func learn(same itself: Double, other neighbour: Double) {
        samples = min(samples + 1, 2000)
        let (own, others) = (itself - same, neighbour - other)
        same += own / samples
        other += others / samples
        variance += ((own * own + others * others) / 2 - variance) / samples
    }
}
