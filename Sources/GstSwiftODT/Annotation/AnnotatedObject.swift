import SwiftODT

/// An object as the annotator draws it.
struct AnnotatedObject: Sendable {
    /// The tracking ID; `nil` for an object that is not tracked.
    var id: Int?
    /// In buffer pixels. The box may extend beyond the picture.
    var box: Box
    /// The detector's label; empty if the detector gives none.
    var label: String
    var category: Category
    /// The classifier's confidence, 0 to 1; `nil` if the object is not classified.
    var confidence: Double?
    /// The detection score, 0 to 1. A score of NaN is not drawn.
    var score: Double
    /// Whether the box is predicted rather than detected. Its lines are dashed and fainter.
    var coasting: Bool
    /// Whether this is the most prominent of the objects shown. Its lines are thicker.
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
