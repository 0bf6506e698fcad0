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
