import Synchronization

/// Finds the objects in pictures and in the frames of a video, without tracking them.
///
///     let detector = try ObjectDetector()
///     for detection in try await detector.detections(in: Frame(contentsOfFile: "street.jpg")) {
///         print(detection.label?.text ?? "object", detection.score, detection.box)
///     }
///
/// A detector is thread-safe. Give its detections to an ``ObjectTracker`` to follow objects across frames.
public final class ObjectDetector: Sendable {
    /// How objects are found.
    public enum Method: Hashable, Sendable {
        /// A detection network, run by OpenVINO.
        case neural
        /// A saliency network, run by OpenVINO: the most prominent object of any class, without a label.
        case salient
        /// Moving objects in front of a static camera, without labels. Needs no model, but the frames of a video in order.
        case motion
    }

    /// The options of a detector.
    public struct Options: Hashable, Sendable {
        /// How objects are found, by default with a network.
        public var method: Method
        /// A path, or the name of an installed model, see ``ModelLibrary``; `nil` for the default.
        public var model: String?
        /// A file with the model's class names; `nil` to take them from the model's manifest or from the model.
        public var labelFile: String?
        /// The OpenVINO device, default `CPU`.
        public var device: String
        /// The number of inference threads; 0, the default, lets the runtime decide.
        public var threads: Int
        /// The minimum score of a detection, 0 to 1, default 0.1. An ``ObjectTracker`` makes use of weak detections.
        public var scoreThreshold: Double
        /// Detections of a class that overlap by more than this intersection over union are merged, 0 to 1, default 0.5.
        public var overlapThreshold: Double

        /// Creates options.
        public init(
            method: Method = .neural, model: String? = nil, labelFile: String? = nil, device: String = "CPU",
            threads: Int = 0, scoreThreshold: Double = 0.1, overlapThreshold: Double = 0.5
        ) {
            (self.method, self.model, self.labelFile) = (method, model, labelFile)
            (self.device, self.threads) = (device, threads)
            (self.scoreThreshold, self.overlapThreshold) = (scoreThreshold, overlapThreshold)
        }
    }

    private let detector: any Detector
    private let options: DetectionOptions
    /// Held while a detection is started, because a detector takes one frame at a time.
    private let entry = Mutex(())

    /// Loads a detector. Compiling a network can take seconds the first time; the result is cached on disk.
    ///
    /// - Throws: ``ODTError`` that names the missing file or library and the remedy.
    public init(options: Options = Options()) throws(ODTError) {
        for (name, value) in [
            ("scoreThreshold", options.scoreThreshold), ("overlapThreshold", options.overlapThreshold),
        ]
        where !(0...1).contains(value) {
            throw ODTError(.invalidOption, "\(name) is \(value); use a number from 0 to 1")
        }
        self.options = DetectionOptions(
            scoreFloor: options.scoreThreshold, iouThreshold: options.overlapThreshold, isAwaited: true)
        detector = try ODTError.wrapping { try DetectorConfiguration(options).makeDetector() }
    }

    /// The labels that detections can have; empty if the detector does not classify.
    public var labels: [String] { detector.labels ?? [] }

    /// Returns the objects in a frame. Blocks until they are found.
    ///
    /// - Throws: ``ODTError`` if the frame cannot be processed.
    public func detections(in frame: Frame) throws(ODTError) -> [Detection] {
        try ODTError.wrapping {
            let promise = try withExtendedLifetime(frame) {
                try entry.withLock { _ in try detector.start(frame, options: options) }
            }
            let floor = options.scoreFloor
            return try promise.wait().filter { $0.score >= floor }
        }
    }

    /// Returns the objects in a frame.
    ///
    /// - Throws: ``ODTError`` if the frame cannot be processed, `CancellationError` at once if the task is cancelled.
    public func detections(in frame: Frame) async throws -> [Detection] {
        let answer = PendingAnswer<[Detection]>()
        return try await answer.value {
            let isStarted = DetachedThread.run {
                if answer.isAbandoned { return }
                answer.resume(with: Result { try self.detections(in: frame) })
            }
            if !isStarted { answer.resume(with: .failure(ODTError.noThread)) }
        }
    }

    /// Forgets earlier frames, before another video is processed with ``Method/motion``.
    public func reset() { entry.withLock { _ in detector.reset() } }
}

extension DetectorConfiguration {
    package init(_ options: ObjectDetector.Options) {
        self.init(options.method)
        (modelFile, labelFile, device) = (options.model, options.labelFile, options.device)
        threads = options.threads
    }
}
