/// An object that a detector has found in a frame.
public struct Detection: Hashable, Sendable {
    /// The bounding box in buffer pixels.
    public var box: Box
    /// The detector's confidence, 0 to 1.
    public var score: Double
    /// The class label. `nil` if the detector does not classify.
    public var label: Label?
    /// The index of the object in the metadata of the frame. `nil` if the detection was not read from the metadata of
    /// another element.
    package var origin: Int?

    /// Creates a detection, for example from the output of another detector.
    public init(box: Box, score: Double, label: Label? = nil) {
        self.init(box: box, score: score, label: label, origin: nil)
    }

    package init(box: Box, score: Double, label: Label? = nil, origin: Int?) {
        self.box = box
        self.score = score
        self.label = label
        self.origin = origin
    }

    /// A class in the vocabulary of a detector or classifier.
    public struct Label: Hashable, Sendable {
        /// The class index. Negative if only the name of the class is known.
        public let index: Int
        /// The class name, for example `person`.
        public let text: String

        /// Creates a label. Detections of the same class must have the same index and text.
        public init(index: Int, text: String) {
            self.index = index
            self.text = text
        }

        /// A number that differs between classes: the index, or a negative hash of the name. It is never -1, which
        /// stands for detections without a label.
        var classNumber: Int { index >= 0 ? index : -2 - (text.hashValue & (Int.max >> 1)) }
    }
}

/// The label that a classifier assigned to an object.
public struct ClassifierLabel: Hashable, Sendable {
    /// The label of the class.
    public let label: Detection.Label
    /// The mean score of the label in the object's classified crops, 0...1. Later crops have more weight.
    public let score: Double

    package init(label: Detection.Label, score: Double) {
        (self.label, self.score) = (label, score)
    }
}

package typealias Label = Detection.Label

/// The pending result of an inference.
package typealias DetectionPromise = Promise<[Detection]>
