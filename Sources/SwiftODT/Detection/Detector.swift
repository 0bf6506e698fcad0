/// A detector, which finds objects in a frame: `Frame -> [Detection]`.
///
/// A detector copies the required data from the frame within ``start(_:options:)`` (a reduced copy, a network's input).
/// It may continue on other threads, but does not access the frame's memory after `start` has returned.
///
///     let detector: any Detector = MotionDetector()
///     let detections = try detector.start(frame, options: DetectionOptions()).wait()
///     for detection in detections { print(detection.box, detection.score, detection.label?.text ?? "unknown") }
package protocol Detector: AnyObject, Sendable {
    /// The maximum useful number of detections in flight; 1 for detectors with state from frame to frame.
    var capacity: Int { get }

    /// The durations of the detector's stages, or `nil` if it does not measure them.
    var timings: StageTimings? { get }

    /// The input size, or `nil` if the detector processes the full frame regardless of ``DetectionOptions/view``.
    var inputSize: InputSize? { get }

    /// The names that its detections can have; empty where they have none, `nil` where that is not known.
    var labels: [String]? { get }

    /// What its network and manifest state, apart from the labels.
    var traits: DetectorTraits { get }

    /// Starts the detection for a frame. Calls must be serialised and in frame order.
    ///
    /// Blocks while ``capacity`` detections are in flight.
    /// - Throws: ``ODTError`` if the frame cannot be processed.
    func start(_ frame: Frame, options: DetectionOptions) throws -> DetectionPromise

    /// Discards the state from earlier frames, at the beginning of an epoch.
    func reset()

    /// Cancels the detections in flight as soon as possible; their promises throw `CancellationError`. Any thread may
    /// call this, also while ``start(_:options:)`` runs.
    func cancel()
}

extension Detector {
    package var timings: StageTimings? { nil }
    package var inputSize: InputSize? { nil }
    package var labels: [String]? { nil }
    package var traits: DetectorTraits { DetectorTraits() }

    /// The default does nothing, which suits detectors that finish within a short time.
    package func cancel() {}
}

/// Properties of a detector that depend on its network.
package struct DetectorTraits: Hashable, Sendable {
    /// The score threshold for this network; `nil` for the general default.
    package var scoreThreshold: Double?
    /// The label groups of its manifest: lower-case labels by the name of the group.
    package var labelGroups: [String: Set<String>] = [:]
    /// The network; `nil` for detectors without one.
    package var model: Model?

    /// The score threshold where neither the user nor the network's manifest states one.
    package static let usualScoreThreshold = 0.4

    /// A network by its file name and the checksum of its files' contents.
    package struct Model: Hashable, Sendable {
        package let name: String
        package let sum: String

        package init(name: String, sum: String) { (self.name, self.sum) = (name, sum) }
    }

    package init() {}
}

/// The options of one detection.
package struct DetectionOptions: Hashable, Sendable {
    /// Minimum score of returned detections, default 0.1. It is lower than the user's threshold, because trackers use
    /// detections with low scores.
    package var scoreFloor: Double
    /// IoU threshold of non-maximum suppression, default 0.5.
    package var iouThreshold: Double
    /// Whether the caller blocks until the result is available. The detector may then compute on the caller's thread,
    /// which saves two thread switches.
    package var isAwaited: Bool
    /// The region to process. Boxes are always relative to the full frame.
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

/// The region of a frame that a detector processes.
package enum DetectionRegion: Hashable, Sendable {
    /// The full frame.
    case fullFrame
    /// A region in buffer pixels. Scaled to the network's input size, its content appears larger than in the full
    /// frame.
    case region(Box)
    /// The full frame and all tiles of a ``TileGrid``. The cost grows with the number of tiles.
    case grid
}

/// The input size of a detector in pixels of the upright picture. Larger pictures are scaled down.
package struct InputSize: Hashable, Sendable {
    package var width: Int
    package var height: Int

    package init(width: Int, height: Int) { (self.width, self.height) = (width, height) }
}

/// The durations of a detector's stages.
package struct StageTimings: Sendable {
    /// The latest duration of a stage, the total, and the number of measurements.
    package struct Stage: Sendable {
        package private(set) var last: Nanoseconds = 0
        package private(set) var total: Nanoseconds = 0
        package private(set) var count = 0

        package init() {}

        package var mean: Nanoseconds { count > 0 ? total / Nanoseconds(count) : 0 }

        mutating func add(_ duration: Nanoseconds) {
            last = duration
            total += duration
            count += 1
        }
    }

    /// Conversion of the frame to the network's input.
    package internal(set) var preprocess = Stage()
    /// From the start of the inference to its result, including queueing.
    package internal(set) var inference = Stage()
    /// Conversion of the network's outputs to detections.
    package internal(set) var decode = Stage()

    package init() {}
}
