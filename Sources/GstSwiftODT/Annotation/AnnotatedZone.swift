import SwiftODT

/// What the annotator has to know of a zone.
struct AnnotatedZone: Hashable, Sendable {
    let zone: Zone
    /// Its name, and what has been counted in it.
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
