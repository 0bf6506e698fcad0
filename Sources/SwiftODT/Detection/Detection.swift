/// An object that a detector has found in a frame.
package struct Detection: Sendable {
    /// The bounding box in buffer pixels.
    package var box: Box
    /// The detector's confidence, 0 to 1.
    package var score: Double
    /// The class label. `nil` if the detector does not classify.
    package var label: Label?
    /// The index of the object in the frame's metadata, for a detection that was read from this metadata. `nil` for a
    /// detector's own result.
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
    /// The class index. It is below -1 if only the name of the class is known.
    package let index: Int
    /// The class name, for example `person`.
    package let text: String

    package init(index: Int, text: String) {
        self.index = index
        self.text = text
    }
}

/// The pending result of an inference.
package typealias DetectionPromise = Promise<[Detection]>
