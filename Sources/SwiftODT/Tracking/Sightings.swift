/// Where and when an object was seen.
struct Sighting: Sendable {
    var time: Nanoseconds
    var box: Box
}

/// The latest places where an object was seen: a ring of fixed size, without heap memory.
struct Sightings: Sendable {
    private static let capacity = 24
    private var ring: InlineArray<24, Sighting>
    private var total = 1

    init(_ first: Sighting) { ring = InlineArray(repeating: first) }

    /// How many are kept.
    var count: Int { min(total, Self.capacity) }

    /// 0 is the latest, `count - 1` the oldest.
    subscript(index: Int) -> Sighting { ring[(total - 1 - min(index, count - 1)) % Self.capacity] }

    mutating func add(_ sighting: Sighting) {
        ring[total % Self.capacity] = sighting
        total += 1
    }

    /// The latest sighting at or before `time`, or the oldest one kept.
    func before(_ time: Nanoseconds) -> Sighting {
        var index = 0
        while index < count - 1, self[index].time > time { index += 1 }
        return self[index]
    }
}
