import SwiftODT

/// An object as the annotator draws it.
struct AnnotatedObject: Sendable {
    /// The tracking ID; `nil` for an object that is not tracked.
    var id: Int?
    /// In buffer pixels. The box may extend beyond the picture.
    var box: Box
    /// The detector's label; empty if the detector gives none.
    var label = ""
    var category = Category.unknown
    /// The classifier's confidence, 0 to 1; `nil` if the object is not classified.
    var confidence: Double?
    /// The detection score, 0 to 1. A score of NaN is not drawn.
    var score = 1.0
    /// Whether the box is predicted rather than detected. Its lines are dashed and fainter.
    var coasting = false
    /// Whether this is the most prominent of the objects shown. Its lines are thicker.
    var prominent = false
}

/// The region of an inference, drawn for a moment while it fades.
struct AnnotatedRegion: Hashable, Sendable {
    /// In buffer pixels.
    let box: Box
    /// How much larger objects appeared to the network than in the full frame; `nil` for a full-frame inference.
    let magnification: Double?
    /// How far the region has faded: 1 for a new one, falling to 0.
    let strength: Float
}

/// The regions of the inferences of the last 0.4 s.
struct RecentInferenceRegions {
    private var regions: [(inferredRegion: InferredRegion, time: Nanoseconds)] = []

    /// How long a region is drawn.
    private static let span: Nanoseconds = 400_000_000

    mutating func note(_ inferredRegion: InferredRegion, at time: Nanoseconds) {
        regions.append((inferredRegion, time))
        if regions.count > 64 { regions.removeFirst() }
    }

    mutating func removeAll() { regions.removeAll() }

    /// Returns the regions to draw, oldest first.
    mutating func drawn(at time: Nanoseconds) -> [AnnotatedRegion] {
        regions.removeAll { time - $0.time > Self.span || time < $0.time }
        return regions.map { region in
            // Regions overlap, so older ones fade quickly to keep the latest one distinguishable.
            let left = 1 - 0.8 * Float(time - region.time) / Float(Self.span)
            return AnnotatedRegion(
                box: region.inferredRegion.box,
                magnification: region.inferredRegion.isWhole ? nil : region.inferredRegion.magnification,
                strength: left * left)
        }
    }
}

/// A zone as the annotator draws it.
struct AnnotatedZone: Hashable, Sendable {
    let zone: Zone
    /// The zone's name and its counts.
    let text: String

    init(_ zone: Zone, count: ZoneCount?) {
        self.zone = zone
        let name = LabelText.legible(zone.name, maximum: 60)
        guard let figures = count?.all else {
            text = name
            return
        }
        text =
            zone.kind == .line
            ? "\(name)  in \(figures.in)  out \(figures.out)" : "\(name)  \(figures.count)"
    }
}
