/// A classifier for the content of a box of a frame.
///
/// Like a ``Detector``, a classifier copies the required data from the frame before ``start(_:box:)`` returns.
package protocol Classifier: AnyObject, Sendable {
    /// The maximum number of classifications in flight. At this limit, ``start(_:box:)`` blocks until one of the
    /// classifications finishes.
    var capacity: Int { get }

    /// The minimum score of a reliable result, from the model's metadata or a default.
    var threshold: Double { get }

    /// Starts the classification of a box in buffer pixels. Calls must not overlap.
    func start(_ frame: Frame, box: Box) throws -> ClassificationPromise
}

/// The result of classifying a crop.
package struct Classification: Hashable, Sendable {
    /// The score of each coarse category. The sum of the scores is at most 1.
    package var scores: CategoryScores
    /// The label with the highest score. `nil` if the label at that index is unused.
    package var label: Label?
    /// The score of ``label``, 0 to 1.
    package var labelScore = 0.0
}

/// The pending result of a classification.
package typealias ClassificationPromise = Promise<Classification>
