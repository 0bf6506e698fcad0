/// The appearances of one result's detections, and the gain of appearance in the association.
struct DetectionAppearances: ~Copyable {
    /// By index in the result; empty without a picture.
    private var appearances = ScratchList<Appearance?>()
    /// The number of candidate tracks of each detection.
    private var claims = ScratchList<Int>()
    private var statistics = AppearanceStatistics()

    /// Computes the appearance of each accepted detection of a result with `count` detections.
    mutating func compute(at detections: UnsafeBufferPointer<FilteredDetection>, of count: Int, in plane: LumaPlane?) {
        guard let plane else { return appearances.clear() }
        appearances.reset(to: nil, count: count)
        claims.reset(to: 0, count: count)
        for detection in detections { appearances[detection.source] = Appearance(of: detection.box, in: plane) }
    }

    /// Counts the candidate tracks of the strong detections.
    mutating func countClaims(
        _ neighbours: borrowing CandidatePairs, on detections: UnsafeBufferPointer<FilteredDetection>
    ) {
        if appearances.isEmpty { return }
        for neighbour in neighbours.all.view { claims[detections[Int(neighbour.column)].source] += 1 }
    }

    subscript(detection: FilteredDetection) -> Appearance? { appearances.isEmpty ? nil : appearances[detection.source] }

    /// Returns the appearance if it shows one object alone. Returns `nil` for detections with two candidate tracks,
    /// of which one probably occludes the other, and for weak detections, which are often partly occluded.
    func clear(_ detection: FilteredDetection) -> Appearance? {
        appearances.isEmpty || claims[detection.source] != 1 ? nil : appearances[detection.source]
    }

    /// Returns the gain of a pair from its appearance. The gain is reduced if the areas differ, because the boxes
    /// then show different content.
    @inline(__always)
    func utility(of track: Appearance?, at expected: Box, _ detection: FilteredDetection) -> Double {
        if appearances.isEmpty { return 0 }
        let (area, otherArea) = (expected.area, detection.box.area)
        let agreement = min(1, 2 * min(area, otherArea) / max(area, otherArea))
        guard let track, let seen = appearances[detection.source] else {
            return agreement * statistics.utility(of: nil)
        }
        return agreement * statistics.utility(of: track.similarity(seen))
    }

    /// Adds a matched pair, and another detection of the same result as a different object, to the statistics.
    mutating func learn(from track: Appearance?, _ detection: FilteredDetection) {
        guard appearances.count > 1, let track, let itself = clear(detection),
            let other = appearances[(detection.source + 1) % appearances.count]
        else { return }
        statistics.learn(toItself: track.similarity(itself), toOther: track.similarity(other))
    }
}
