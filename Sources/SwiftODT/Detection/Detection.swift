/// An object found by a detector.
package struct Detection: Sendable {
    /// The bounding box in buffer pixels.
    package var box: Box
    /// The detector's confidence, 0...1.
    package var score: Double
    /// The class label, or `nil` if the detector does not classify.
    package var label: Label?
    /// The number of the object in the frame's metadata that it was read from; `nil` for a detector's own result.
    package var origin: Int?

    package init(box: Box, score: Double, label: Label? = nil, origin: Int? = nil) {
        self.box = box
        self.score = score
        self.label = label
        self.origin = origin
    }
}

/// A class in the vocabulary of a detector or classifier.
package struct Label: Hashable, Sendable {
    /// The class index; below -1 if only the name is known.
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
