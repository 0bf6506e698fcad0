/// What the detections of an answer look like, and what that is worth in telling which track each belongs to.
struct DetectionAppearances: ~Copyable {
    /// By their place in the answer; none at all where there was no picture.
    private var appearances = ScratchList<Appearance?>()
    /// How many tracks each detection may belong to, as far as has been counted.
    private var claims = ScratchList<Int>()
    private var statistics = AppearanceStatistics()

    /// Looks at each detection, of an answer of `count`, that came through the sieve.
    mutating func compute(at detections: UnsafeBufferPointer<FilteredDetection>, of count: Int, in plane: LumaPlane?) {
        guard let plane else { return appearances.clear() }
        appearances.reset(to: nil, count: count)
        claims.reset(to: 0, count: count)
        for detection in detections { appearances[detection.source] = Appearance(of: detection.box, in: plane) }
    }

    /// Counts for strong detections how many tracks come near them.
    mutating func countClaims(_ neighbours: borrowing CandidatePairs, on detections: UnsafeBufferPointer<FilteredDetection>) {
        if appearances.isEmpty { return }
        for neighbour in neighbours.all.view { claims[detections[Int(neighbour.column)].source] += 1 }
    }

    subscript(detection: FilteredDetection) -> Appearance? { appearances.isEmpty ? nil : appearances[detection.source] }

    /// What an object looks like by itself: nothing where two tracks come near, of which one most likely hides the other, or
    /// the detection is weak, as those of half hidden things are.
    func clear(_ detection: FilteredDetection) -> Appearance? {
        appearances.isEmpty || claims[detection.source] != 1 ? nil : appearances[detection.source]
    }

    /// How much a pair gains by looking alike.
    ///
    /// A box of quite another size shows something else as well: what it looks like says less.
    @inline(__always)
    func utility(of track: Appearance?, at expected: Box, _ detection: FilteredDetection) -> Double {
        if appearances.isEmpty { return 0 }
        let (area, otherArea) = (expected.area, detection.box.area)
        let agreement = min(1, 2 * min(area, otherArea) / max(area, otherArea))
        guard let track, let seen = appearances[detection.source] else { return agreement * statistics.utility(of: nil) }
        return agreement * statistics.utility(of: track.similarity(seen))
    }

    /// Learns from a pair that was found, and from another detection of the same answer, which is another object.
    mutating func learn(from track: Appearance?, _ detection: FilteredDetection) {
        guard appearances.count > 1, let track, let itself = clear(detection),
            let other = appearances[(detection.source + 1) % appearances.count]
        else { return }
        statistics.learn(toItself: track.similarity(itself), toOther: track.similarity(other))
    }
}
