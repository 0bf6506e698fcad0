/// An object found by a detector.
package struct Detection: Sendable {
    /// The bounding box in buffer pixels.
    package var box: Box
    /// The detector's confidence, 0...1.
    package var score: Double
    /// The class label, or `nil` if the detector does not classify.
    package var label: Label?

    package init(box: Box, score: Double, label: Label? = nil) {
        self.box = box
        self.score = score
        self.label = label
    }
}

/// A class in the vocabulary of a detector or classifier.
package struct Label: Hashable, Sendable {
    /// The class index.
    package let index: Int
    /// The class name, for example `person`.
    package let text: String

    package init(index: Int, text: String) {
        self.index = index
        self.text = text
    }
}

/// The pending result of a detection.
package typealias DetectionPromise = Promise<[Detection]>
