/// Where and when an object was seen.
struct Sighting: Sendable {
    var time: Nanoseconds
    var box: Box
}

/// The latest places where an object was seen: a ring of fixed size, allocated once in a track's life.
struct Sightings: Sendable {
    private static let capacity = 24
    private var ring: ContiguousArray<Sighting> = []
    private var newest = 0

    init(_ first: Sighting) {
        ring.reserveCapacity(Self.capacity)
        ring.append(first)
    }

    /// How many are kept.
    var count: Int { ring.count }

    /// 0 is the latest, `count - 1` the oldest.
    @inline(__always)
    subscript(index: Int) -> Sighting {
        let place = newest - index
        return ring[place < 0 ? place + ring.count : place]
    }

    mutating func add(_ sighting: Sighting) {
        newest += 1
        if ring.count < Self.capacity {
            ring.append(sighting)
        } else {
            if newest == Self.capacity { newest = 0 }
            ring[newest] = sighting
        }
    }

    /// The index of the latest sighting at or before `time`, or of the oldest one kept. Looked for from an index near which it
    /// is likely to be.
    @inline(__always)
    func before(_ time: Nanoseconds, near guess: Int) -> Int {
        var index = min(guess, count - 1)
        while index < count - 1, self[index].time > time { index += 1 }
        while index > 0, self[index - 1].time <= time { index -= 1 }
        return index
    }
}
