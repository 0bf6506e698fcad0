/// An object found by a detector.
public struct Detection: Sendable {
    /// The bounding box in buffer pixels.
    public var box: Box
    /// The detector's confidence, 0...1.
    public var score: Double
    /// The class label, or `nil` if the detector does not classify.
    public var label: Label?

    public init(box: Box, score: Double, label: Label? = nil) {
        self.box = box
        self.score = score
        self.label = label
    }
}

/// A class in the vocabulary of a detector or classifier.
public struct Label: Hashable, Sendable {
    /// The class index.
    public let index: Int
    /// The class name, for example `person`.
    public let text: String

    public init(index: Int, text: String) {
        self.index = index
        self.text = text
    }
}

/// The pending result of a detection.
public typealias DetectionPromise = Promise<[Detection]>
