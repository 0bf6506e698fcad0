import SwiftODT

/// An object as the annotator draws it.
struct AnnotatedObject: Sendable {
    /// The tracking ID; `nil` for an object that is not tracked.
    var id: Int?
    /// The box in buffer pixels. It may extend beyond the picture.
    var box: Box
    /// The detector's label; empty if the detector assigns no label.
    var label = ""
    var category = Category.unknown
    /// The classifier's confidence, 0 to 1; `nil` if the object is not classified.
    var confidence: Double?
    /// The detection score, 0 to 1. If it is NaN, no score is drawn.
    var score = 1.0
    /// Whether the box is predicted, because the object was not detected in this frame. The box's lines are then dashed
    /// and fainter.
    var coasting = false
    /// Whether this is the most prominent of the drawn objects. The box's lines are then thicker.
    var prominent = false
}

/// The region of a recent inference. It is drawn for a short time while it fades.
struct AnnotatedRegion: Hashable, Sendable {
    /// The region in buffer pixels.
    let box: Box
    /// The factor by which objects appeared larger to the network than in a full-frame inference; `nil` for a
    /// full-frame inference.
    let magnification: Double?
    /// The opacity of the drawn region: 1 for a new region, falling to almost 0.
    let strength: Float
}

/// The regions of the inferences of the last 0.4 s.
struct RecentInferenceRegions {
    private var regions: [(inferredRegion: InferredRegion, time: Nanoseconds)] = []

    /// The time in nanoseconds for which a region is drawn.
    private static let span: Nanoseconds = 400_000_000

    mutating func note(_ inferredRegion: InferredRegion, at time: Nanoseconds) {
        regions.append((inferredRegion, time))
        if regions.count > 64 { regions.removeFirst() }
    }

    mutating func removeAll() { regions.removeAll() }

    /// Returns the regions to draw, the oldest first. Removes regions that are no longer drawn.
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
    /// The text beside the zone: its name and its counts.
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
