/// A classifier for the content of a box of a frame.
///
/// Like a ``Detector``, it copies the required data from the frame within ``start(_:box:)``.
package protocol Classifier: AnyObject, Sendable {
    /// The maximum number of classifications in flight. At the limit, ``start(_:box:)`` blocks until one of them
    /// finishes.
    var capacity: Int { get }

    /// The minimum score of a reliable result, if possible as specified by the model.
    var threshold: Double { get }

    /// Starts the classification of a box in buffer pixels. Calls must be serialised.
    func start(_ frame: Frame, box: Box) throws -> ClassificationPromise
}

/// The result of classifying a crop.
package struct Classification: Hashable, Sendable {
    /// The score of each coarse category. The sum is at most 1.
    package var scores: CategoryScores
    /// The label with the highest score.
    package var label: Label?
    /// The score of ``label``, 0...1.
    package var labelScore: Double

    package init(scores: CategoryScores, label: Label? = nil, labelScore: Double = 0) {
        self.scores = scores
        self.label = label
        self.labelScore = labelScore
    }
}

/// The pending result of a classification.
package typealias ClassificationPromise = Promise<Classification>
