struct Observation: Sendable {
    var time: Nanoseconds
    var box: Box
}

/// The latest observations of an object in a ring buffer. The history keeps at least 24 observations. At high frame
/// rates it keeps up to 96 to cover 0.7 s.
struct ObservationHistory: Sendable {
    private static let minimumCount = 24
    private static let maximum = 96
    private static let span: Nanoseconds = 700_000_000
    private var ring: ContiguousArray<Observation> = []
    private var newest = 0

    init(_ first: Observation) {
        ring.reserveCapacity(Self.minimumCount)
        ring.append(first)
    }

    var count: Int { ring.count }

    /// Returns an observation. Index 0 is the latest one, `count - 1` the oldest.
    @inline(__always)
    subscript(index: Int) -> Observation {
        let place = newest - index
        return ring[place < 0 ? place + ring.count : place]
    }

    mutating func add(_ sighting: Observation) {
        let reach = sighting.time - self[count - 1].time
        newest += 1
        if ring.count < Self.minimumCount || ring.count < Self.maximum && reach < Self.span {
            // The place of the new observation is after the latest and before the oldest observation.
            ring.insert(sighting, at: newest)
        } else {
            if newest == ring.count { newest = 0 }
            ring[newest] = sighting
        }
    }

    /// Returns the index of the latest observation at or before `time`. If all observations are later, returns the
    /// index of the oldest one.
    func before(_ time: Nanoseconds) -> Int {
        var index = 0
        while index < count - 1, self[index].time > time { index += 1 }
        return index
    }
}
