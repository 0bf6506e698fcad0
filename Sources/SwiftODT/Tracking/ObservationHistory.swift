/// A detected box and its time.
struct Observation: Sendable {
    var time: Nanoseconds
    var box: Box
}

/// The latest observations of an object, in a ring buffer. It keeps at least 24, and up to 96 to cover 0.7 s at high
/// frame rates.
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

    /// The number of observations kept.
    var count: Int { ring.count }

    /// 0 is the latest observation, `count - 1` the oldest.
    @inline(__always)
    subscript(index: Int) -> Observation {
        let place = newest - index
        return ring[place < 0 ? place + ring.count : place]
    }

    /// Appends an observation, and replaces the oldest one if the history is full.
    mutating func add(_ sighting: Observation) {
        let reach = sighting.time - self[count - 1].time
        newest += 1
        if ring.count < Self.minimumCount || ring.count < Self.maximum && reach < Self.span {
            // Inserted behind the latest and before the oldest one.
            ring.insert(sighting, at: newest)
        } else {
            if newest == ring.count { newest = 0 }
            ring[newest] = sighting
        }
    }

    /// Returns the index of the latest observation at or before `time`, or of the oldest one. Searches from the
    /// guess.
    @inline(__always)
    func before(_ time: Nanoseconds, near guess: Int) -> Int {
        var index = min(guess, count - 1)
        while index < count - 1, self[index].time > time { index += 1 }
        while index > 0, self[index - 1].time <= time { index -= 1 }
        return index
    }
}
