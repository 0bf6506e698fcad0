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

    /// The index of the latest sighting at or before `time`, or of the oldest one kept; `first` is known to be later.
    func before(_ time: Nanoseconds, startingAt first: Int = 0) -> Int {
        var (low, high) = (first, count - 1)
        while low < high {
            let middle = (low + high) / 2
            if self.time(middle) > time { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private func time(_ index: Int) -> Nanoseconds {
        let place = newest - index
        return ring[place < 0 ? place + ring.count : place].time
    }
}
