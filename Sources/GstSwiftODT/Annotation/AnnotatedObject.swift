import SwiftODT

/// What the annotator has to know of an object.
struct AnnotatedObject: Sendable {
    /// The tracking id; `nil` where there is none.
    var id: Int?
    /// In buffer pixels. It may reach outside the picture.
    var box: Box
    /// The detector's word for it; empty where it has none.
    var label: String
    var category: Category
    /// That of the classification, 0...1; `nil` leaves the label with the detector's ``score``.
    var confidence: Double?
    /// The detector's figure, 0...1. One that is not a number is not shown.
    var score: Double
    /// Whether the box is carried on rather than seen: it is drawn weaker.
    var coasting: Bool
    /// Whether it is the most prominent of those shown: it is drawn a little stronger than the others.
    var prominent: Bool

    init(
        id: Int? = nil, box: Box, label: String = "", category: Category = .unknown, confidence: Double? = nil,
        score: Double = 1, coasting: Bool = false, prominent: Bool = false
    ) {
        self.id = id
        self.box = box
        self.label = label
        self.category = category
        self.confidence = confidence
        self.score = score
        self.coasting = coasting
        self.prominent = prominent
    }
}
