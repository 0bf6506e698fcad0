import SwiftODT

/// A look of the detector, as it is drawn: for a moment, fading.
struct AnnotatedRegion: Hashable, Sendable {
    /// In buffer pixels.
    let box: Box
    /// How much larger than in the whole picture things were seen; `nil` for the whole itself.
    let magnification: Double?
    /// How much of it is left, 1 for one that is just done.
    let strength: Float
}

/// The looks of the last moment.
struct RecentInferenceRegions {
    private var regions: [(inferredRegion: InferredRegion, time: Nanoseconds)] = []

    /// So long a look is to be seen.
    private static let span: Nanoseconds = 400_000_000

    mutating func note(_ inferredRegion: InferredRegion, at time: Nanoseconds) {
        regions.append((inferredRegion, time))
        if regions.count > 64 { regions.removeFirst() }
    }

    mutating func removeAll() { regions.removeAll() }

    /// The oldest first.
    mutating func drawn(at time: Nanoseconds) -> [AnnotatedRegion] {
        regions.removeAll { time - $0.time > Self.span || time < $0.time }
        return regions.map { region in
            // Soon pale: of many that overlap the latest has to be told.
            let left = 1 - 0.8 * Float(time - region.time) / Float(Self.span)
            return AnnotatedRegion(
                box: region.inferredRegion.box, magnification: region.inferredRegion.isWhole ? nil : region.inferredRegion.magnification,
                strength: left * left)
        }
    }
}
