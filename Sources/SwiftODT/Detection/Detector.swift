/// Detects objects in frames. One run of a detector on a frame, or on a region of a frame, is called an inference.
///
/// ``start(_:options:)`` reads the frame and keeps only the data that the detector needs, for example the input of a
/// network. The detector may then continue on other threads, but after `start` has returned, it does not access the
/// memory of the frame.
///
///     let detector: any Detector = MotionDetector()
///     let detections = try detector.start(frame, options: DetectionOptions()).wait()
///     for detection in detections { print(detection.box, detection.score, detection.label?.text ?? "unknown") }
package protocol Detector: AnyObject, Sendable {
    /// The maximum number of inferences in flight. It is 1 for a detector that keeps state from frame to frame.
    var capacity: Int { get }

    /// The durations of the detector's stages. `nil` if the detector does not measure them.
    var timings: StageTimings? { get }

    /// The size of the detector's input. `nil` if the detector processes the full frame regardless of
    /// ``DetectionOptions/view``.
    var inputSize: InputSize? { get }

    /// The possible labels of the detector's detections. Empty if detections have no labels, `nil` if the labels are
    /// unknown.
    var labels: [String]? { get }

    /// The properties of the detector that depend on its network and manifest, apart from the labels.
    var traits: DetectorTraits { get }

    /// Starts the inference of a frame. Calls must not overlap, and must be in the order of the frames.
    ///
    /// The call blocks while ``capacity`` inferences are in flight.
    /// - Throws: ``ODTError`` if the frame cannot be processed.
    func start(_ frame: Frame, options: DetectionOptions) throws -> DetectionPromise

    /// Discards the state from earlier frames. Called when the next frame does not continue the previous frames, for
    /// example after a seek or a change of the frame size.
    func reset()

    /// Cancels the inferences in flight as soon as possible. Their promises throw `CancellationError`. Any thread may
    /// call this method, even while ``start(_:options:)`` runs.
    func cancel()
}

extension Detector {
    package var timings: StageTimings? { nil }
    package var inputSize: InputSize? { nil }
    package var labels: [String]? { nil }
    package var traits: DetectorTraits { DetectorTraits() }

    /// The default implementation does nothing. It is sufficient for detectors that finish within a short time.
    package func cancel() {}
}

/// Properties of a detector that depend on its network.
package struct DetectorTraits: Hashable, Sendable {
    /// The score threshold that the network's manifest specifies. With `nil`, ``usualScoreThreshold`` applies.
    package var scoreThreshold: Double?
    /// The named groups of labels that the network's manifest defines. A key is the name of a group, its value is the
    /// set of lower-case labels.
    package var labelGroups: [String: Set<String>] = [:]
    /// The network. `nil` if the detector has none.
    package var model: Model?

    /// The score threshold that applies if neither the user nor the network's manifest specifies one.
    package static let usualScoreThreshold = 0.4

    /// The identity of a network: its file name (`name`) and the checksum of the contents of its files (`sum`).
    package struct Model: Hashable, Sendable {
        package let name: String
        package let sum: String

        package init(name: String, sum: String) { (self.name, self.sum) = (name, sum) }
    }

    package init() {}
}

package struct DetectionOptions: Hashable, Sendable {
    /// The minimum score of the returned detections, 0 to 1, default 0.1. It is lower than the user's threshold,
    /// because trackers also use detections with low scores.
    package var scoreFloor: Double
    /// Non-maximum suppression removes the weaker of two detections if their intersection over union exceeds this
    /// value. 0 to 1, default 0.5.
    package var iouThreshold: Double
    /// Whether the caller blocks until the result is available. If so, the detector may compute the result on the
    /// caller's thread, which saves two thread switches.
    package var isAwaited: Bool
    /// The region to process. Boxes of detections are always in pixels of the full frame.
    package var view: DetectionRegion

    package init(
        scoreFloor: Double = 0.1, iouThreshold: Double = 0.5, isAwaited: Bool = false,
        view: DetectionRegion = .fullFrame
    ) {
        self.scoreFloor = scoreFloor
        self.iouThreshold = iouThreshold
        self.isAwaited = isAwaited
        self.view = view
    }
}

package enum DetectionRegion: Hashable, Sendable {
    case fullFrame
    /// A region in buffer pixels. It is scaled to the network's input size, so objects in it appear larger than in the
    /// full frame.
    case region(Box)
    /// The full frame and all tiles of a ``TileGrid``. The duration increases with the number of tiles.
    case grid
}

/// The width and height of a detector's input in pixels. Pictures are rotated upright and scaled to this size.
package struct InputSize: Hashable, Sendable {
    package var width: Int
    package var height: Int

    package init(width: Int, height: Int) { (self.width, self.height) = (width, height) }
}

package struct StageTimings: Sendable {
    /// The duration of a stage's latest execution (`last`), the sum of the durations of all executions (`total`), and
    /// the number of executions (`count`).
    package struct Stage: Sendable {
        package private(set) var last: Nanoseconds = 0
        package private(set) var total: Nanoseconds = 0
        package private(set) var count = 0

        package var mean: Nanoseconds { count > 0 ? total / Nanoseconds(count) : 0 }

        mutating func add(_ duration: Nanoseconds) {
            last = duration
            total += duration
            count += 1
        }
    }

    /// The conversion of a frame to the network's input.
    package internal(set) var preprocess = Stage()
    /// The time from the start of the inference to its result. It includes the time for which the request waits in the
    /// runtime's queue.
    package internal(set) var inference = Stage()
    /// The conversion of the network's outputs to detections.
    package internal(set) var decode = Stage()

    package init() {}
}
