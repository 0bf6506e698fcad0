/// Looks at a frame and says which objects are there: `Frame -> [Detection]`.
///
/// A detector takes what it needs from the frame inside ``start(_:options:)`` (a reduced copy, a network's input) and may go on
/// working afterwards on other threads; the frame's memory is not touched after `start` has returned.
///
///     let detector: any Detector = MotionDetector()
///     let detections = try detector.start(frame, options: DetectionOptions()).wait()
///     for detection in detections { print(detection.box, detection.score, detection.label?.text ?? "a thing") }
public protocol Detector: AnyObject, Sendable {
    /// How many detections may usefully be under way at once; 1 for detectors that learn from frame to frame.
    var capacity: Int { get }

    /// How long its stages take; `nil` for those that have none to tell apart.
    var timings: StageTimings? { get }

    /// How much of a picture it takes in at once; `nil` for those that look at all of it whatever ``DetectionOptions/view`` says.
    var inputSize: InputSize? { get }

    /// The names that its detections can have; empty where they have none, `nil` where that is not known.
    var labels: [String]? { get }

    /// Begins to look at a frame. Called from one thread at a time, in the order of the frames.
    ///
    /// When ``capacity`` detections are under way it waits for one of them to end.
    /// - Throws: ``ODTError`` where the frame cannot be looked at.
    func start(_ frame: Frame, options: DetectionOptions) throws -> DetectionPromise

    /// Forgets what was learnt from earlier frames: a new epoch begins.
    func reset()

    /// Ends what is under way as soon as it can be ended; its tickets throw `CancellationError`. Called from any thread, also while
    /// ``start(_:options:)`` is at work on another.
    func cancel()
}

extension Detector {
    public var timings: StageTimings? { nil }
    public var inputSize: InputSize? { nil }
    public var labels: [String]? { nil }

    /// For those whose work ends within a moment.
    public func cancel() {}
}

/// What may change from frame to frame.
public struct DetectionOptions: Hashable, Sendable {
    /// Detections below are not returned. Trackers make use of weak ones, so this is lower than what a user sees.
    public var scoreFloor: Double
    /// Two boxes that overlap more than this are one object (non-maximum suppression).
    public var iouThreshold: Double
    /// Whether the caller is going to do nothing but wait: then a detector may work on its thread and return with the answer,
    /// which is sooner by two changes of thread.
    public var isAwaited: Bool
    /// What of the frame is to be looked at; boxes are the whole frame's in any case.
    public var view: DetectionRegion

    public init(
        scoreFloor: Double = 0.1, iouThreshold: Double = 0.5, isAwaited: Bool = false, view: DetectionRegion = .fullFrame
    ) {
        self.scoreFloor = scoreFloor
        self.iouThreshold = iouThreshold
        self.isAwaited = isAwaited
        self.view = view
    }
}
