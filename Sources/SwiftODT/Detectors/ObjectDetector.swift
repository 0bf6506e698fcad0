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
        /// A detection network, run by OpenVINO. It finds objects of the classes that the network was trained with.
        case neural
        /// A saliency network, run by OpenVINO. It finds the most prominent objects of any class. Detections have no
        /// labels.
        case salient
        /// Motion detection for a static camera. It finds moving objects. Detections have no labels. It needs no model,
        /// but it needs the frames of a video in order, with increasing timestamps. A frame whose timestamp is not
        /// later than that of the frame before it is an error, and is not processed.
        case motion
    }

    /// The options of a detector.
    public struct Options: Hashable, Sendable {
        /// How objects are found, by default with a network.
        public var method: Method
        /// The path of a model file, or the name of a model in the ``ModelLibrary``. With `nil`, the default model is
        /// used.
        public var model: String?
        /// The path of a file with class names. With `nil`, the names are read from the manifest of the model, from the
        /// model file, or from a text file in the same folder.
        public var labelFile: String?
        /// The OpenVINO device, default `CPU`.
        public var device: String
        /// The maximum number of inference threads, up to 1,024. The default of 0 lets the runtime decide.
        public var threads: Int
        /// The minimum score of a detection, 0 to 1, default 0.1. The default is low, because an ``ObjectTracker`` also
        /// uses detections with low scores.
        public var scoreThreshold: Double
        /// Two detections of a class count as one object if their intersection over union exceeds this value. 0 to 1,
        /// default 0.5. Only the detection with the higher score is returned.
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
    private let isMotion: Bool
    private let thread = SerialThread()
    /// The time of the latest frame. The lock is held during ``Detector/start(_:options:)``, whose calls must not
    /// overlap.
    private let latest = Mutex<Nanoseconds?>(nil)

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
        isMotion = options.method == .motion
        detector = try ODTError.wrapping { try DetectorConfiguration(options).makeDetector() }
    }

    /// The labels that detections can have. Empty if detections have no labels or if the labels are unknown.
    public var labels: [String] { detector.labels ?? [] }

    /// The minimum score with which a detection of this model should begin a track, for
    /// ``ObjectTracker/Options/scoreThreshold``. It depends on the model.
    public var trackingThreshold: Double { detector.traits.scoreThreshold ?? DetectorTraits.usualScoreThreshold }

    /// Returns the objects in a frame.
    ///
    /// Frames of concurrent calls are processed one at a time in the order of the calls.
    ///
    /// - Throws: ``ODTError`` if the frame cannot be processed. If the current task is cancelled, the method throws
    ///   `CancellationError` at once, without waiting for the detector. A frame that is still queued is then not
    ///   processed.
    public func detections(in frame: Frame) async throws -> [Detection] {
        try await DetectionPromise.value { promise in
            thread.run {
                if promise.isDone { return }
                promise.fulfil(Result { try ODTError.wrapping { try self.process(frame) } })
            }
        }
    }

    /// Blocks until the detector has processed the frame.
    private func process(_ frame: Frame) throws -> [Detection] {
        let promise = try withExtendedLifetime(frame) {
            try latest.withLock { latest in
                if isMotion, let latest, latest >= frame.time { throw Self.nonIncreasingTime }
                latest = frame.time
                return try detector.start(frame, options: options)
            }
        }
        let floor = options.scoreFloor
        return try promise.wait().filter { $0.score >= floor }
    }

    /// Discards the state from earlier frames. Call this method before another video is processed with
    /// ``Method/motion``.
    public func reset() {
        latest.withLock { latest in
            latest = nil
            detector.reset()
        }
    }

    private static let nonIncreasingTime = ODTError(
        .invalidOption,
        "the timestamp of the frame is not later than that of the frame before it; motion detection needs increasing "
            + "timestamps: set them with with(timestamp:), and call reset() before another video")
}

extension DetectorConfiguration {
    package init(_ options: ObjectDetector.Options) {
        self.init(options.method)
        (modelFile, labelFile, device) = (options.model, options.labelFile, options.device)
        threads = options.threads
    }
}
