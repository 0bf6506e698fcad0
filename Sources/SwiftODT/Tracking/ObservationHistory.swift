struct Observation: Sendable {
    var time: Nanoseconds
    var box: Box
}

/// The latest observations of an object. The history keeps at least 24 observations. At high frame rates, it keeps up
/// to 96 observations to cover 0.7 s.
struct ObservationHistory: Sendable {
    private static let minimumCount = 24
    private static let maximum = 96
    private static let span: Nanoseconds = 700_000_000
    /// The oldest observation comes first.
    private var observations: ContiguousArray<Observation> = []

    init(_ first: Observation) {
        observations.reserveCapacity(Self.minimumCount)
        observations.append(first)
    }

    var count: Int { observations.count }

    /// Index 0 is the latest observation.
    @inline(__always)
    subscript(index: Int) -> Observation { observations[count - 1 - index] }

    mutating func add(_ sighting: Observation) {
        let isCovered = count >= Self.maximum || sighting.time - observations[0].time >= Self.span
        if count >= Self.minimumCount, isCovered { observations.removeFirst() }
        observations.append(sighting)
    }

    /// Returns the latest observation at or before `time`, or the oldest one if all observations are later.
    func latest(upTo time: Nanoseconds) -> Observation {
        var index = 0
        while index < count - 1, self[index].time > time { index += 1 }
        return self[index]
    }
}
