import SwiftODT

/// A look of the detector, as it is drawn: for a moment, fading.
struct AnnotatedLook: Hashable, Sendable {
    /// In buffer pixels.
    let box: Box
    /// How much larger than in the whole picture things were seen; `nil` for the whole itself.
    let magnification: Double?
    /// How much of it is left, 1 for one that is just done.
    let strength: Float
}

/// The looks of the last moment.
struct RecentLooks {
    private var looks: [(part: SeenPart, time: Nanoseconds)] = []

    /// So long a look is to be seen.
    private static let span: Nanoseconds = 400_000_000

    mutating func note(_ part: SeenPart, at time: Nanoseconds) {
        looks.append((part, time))
        if looks.count > 64 { looks.removeFirst() }
    }

    mutating func removeAll() { looks.removeAll() }

    /// The oldest first.
    mutating func drawn(at time: Nanoseconds) -> [AnnotatedLook] {
        looks.removeAll { time - $0.time > Self.span || time < $0.time }
        return looks.map { look in
            // Soon pale: of many that overlap the latest has to be told.
            let left = 1 - 0.8 * Float(time - look.time) / Float(Self.span)
            return AnnotatedLook(
                box: look.part.box, magnification: look.part.isWhole ? nil : look.part.magnification,
                strength: left * left)
        }
    }
}
