import SwiftODT

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
