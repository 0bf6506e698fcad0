import CODTGStreamer
import SwiftODT

/// The source of detections. It is a detector, a recording, or an upstream element. An upstream element attaches either
/// the detected objects or the outputs of its network (tensors) to the buffers.
enum DetectionSource {
    case detector(any Detector)
    /// A motion detector that replaces a network that is not available.
    case substitute(any Detector)
    case upstream
    case tensors(TensorDecoding)
    case recorded(RecordingPlayback)

    private var detector: (any Detector)? {
        switch self {
        case .detector(let detector), .substitute(let detector): detector
        case .upstream, .tensors, .recorded: nil
        }
    }

    /// The possible labels of detections. Empty if detections have no labels, `nil` if the labels are unknown.
    var labels: [String]? {
        switch self {
        case .recorded(let played): played.labels
        case .tensors(let decoding): decoding.labelNames
        case .detector, .substitute, .upstream: detector?.labels
        }
    }

    /// The traits of the detector. For recordings and tensors, the traits of the network that produced them.
    var traits: DetectorTraits {
        switch self {
        case .recorded(let played): played.traits
        case .tensors(let decoding): decoding.traits
        case .detector, .substitute, .upstream: detector?.traits ?? DetectorTraits()
        }
    }

    var isSubstitute: Bool { if case .substitute = self { true } else { false } }

    /// Returns the interval between inferences. Three kinds of sources do not use the adaptive interval and run on
    /// every frame instead:
    /// - metadata and tensors of upstream elements, which need no inference here,
    /// - the motion detector, which adapts to the scene from frame to frame,
    /// - recordings that determine which frames have results (``RecordingPlayback/recordsInferenceSchedule``).
    func intervalPolicy(_ settings: Settings) -> InferencePolicy.Interval {
        let isForEachFrame =
            switch self {
            case .upstream, .tensors: true
            case .recorded(let played): played.recordsInferenceSchedule
            case .detector(let detector), .substitute(let detector): detector is MotionDetector
            }
        return isForEachFrame && settings.intervalPolicy == .auto ? .every(1) : settings.intervalPolicy
    }

    /// Whether the source runs a network. Only these sources take turns with other streams (property
    /// `share-inference`).
    var runsNetwork: Bool {
        if case .detector(let detector) = self { !(detector is MotionDetector) } else { false }
    }

    /// The maximum useful number of inferences in flight.
    var capacity: Int { detector?.capacity ?? 1 }

    var timings: StageTimings? { detector?.timings }

    /// `nil` if the source does not support inference on regions.
    var inputSize: InputSize? { detector?.inputSize }

    func start(
        _ frame: Frame, of buffer: UnsafeMutablePointer<GstBuffer>, options: DetectionOptions
    ) throws -> DetectionPromise {
        switch self {
        case .detector(let detector), .substitute(let detector): try detector.start(frame, options: options)
        case .upstream: DetectionPromise(UpstreamObject.detections(of: buffer, options: options))
        case .tensors(let decoding):
            DetectionPromise(try decoding.detections(of: buffer, in: frame, options: options))
        // Recorded detections are precomputed results, so there is no inference to start.
        case .recorded: DetectionPromise([])
        }
    }

    /// Returns the result of a frame if it is available without inference. A frame without tensors or without a
    /// recorded result is `notInferred`.
    ///
    /// - Parameter warn: receives a warning, once for each kind, if the recording does not fully match the stream or
    ///   the settings. For example, the orientation or the labels differ.
    /// - Throws: an error if the detections cannot be used: the frame size differs, frames cannot be assigned to
    ///   recorded frames, no frame matches, or strict redaction needs detections with lower scores.
    func precomputedResult(_ context: FrameContext, warn: (ElementProblem) -> Void) throws -> PrecomputedResult {
        if case .tensors(let decoding) = self {
            return try decoding.accepts(context, warn: warn) ? .unknown : .notInferred
        }
        guard case .recorded(let played) = self else { return .unknown }
        return try played.detections(of: context, warn: warn).map { .answered($0.detections, region: $0.region) }
            ?? .notInferred
    }

    /// - Parameter warn: receives a warning if a recording does not match the stream, or if no frame had tensors.
    /// - Throws: ``ODTError`` if strict redaction is requested and a recording does not match the stream.
    func finishStream(warn: (ElementProblem) -> Void) throws {
        switch self {
        case .recorded(let played): try played.finishStream(warn: warn)
        case .tensors(let decoding): decoding.finishStream(warn: warn)
        case .detector, .substitute, .upstream: break
        }
    }

    /// Cancels the inferences in flight. May be called from any thread.
    var cancel: @Sendable () -> Void {
        let detector = detector
        return { detector?.cancel() }
    }

    func reset() { detector?.reset() }
}

/// What is known about the result of a frame before inference.
enum PrecomputedResult {
    /// No result is available, so ``DetectionSource/start(_:of:options:)`` has to produce the detections.
    case unknown
    /// The frame has no result, and no inference runs on it. Tracks do not count as missed in this frame.
    case notInferred
    /// The detections are known. `region` is the inferred region; `nil` for the full frame.
    case answered([Detection], region: Box?)

    var isNotInferred: Bool { if case .notInferred = self { true } else { false } }
}

extension DetectionSource {
    /// Tests inject their own function.
    typealias Maker = @Sendable (Settings, InferenceHint, _ warn: (ElementProblem) -> Void) throws -> DetectionSource

    /// - Parameter warn: receives a warning if the motion detector replaces an unavailable network.
    static let make: Maker = { settings, hint, warn in
        var configuration = configuration(for: settings, hint: hint)
        switch settings.detector {
        case .upstream: return .upstream
        case .tensors: return .tensors(try TensorDecoding(settings))
        case .recorded: return .recorded(try RecordingPlayback(settings))
        case .motion, .salient, .neural: break
        case .auto:
            do {
                return .detector(try configuration.makeDetector())
            } catch  where !settings.namesDetectorParts {
                warn(ElementProblem(error, doing: "only moving objects are found (detector=motion)"))
                configuration.kind = .motion
                return .substitute(try configuration.makeDetector())
            }
        }
        return .detector(try configuration.makeDetector())
    }

    /// Returns whether the network files that the settings specify are readable and supported. If so, compiling the
    /// network can be deferred to a background thread.
    static func isValid(_ settings: Settings) -> Bool {
        (try? configuration(for: settings, hint: .latency).inspect()) != nil
    }

    /// Returns the fields of a recording's header that describe the source. They contain everything that determines the
    /// detections of the source, except the settings that all sources have in common.
    ///
    /// - Throws: ``ODTError`` if a file that the user has specified cannot be used.
    static func recordingFields(_ settings: Settings) throws -> [RecordingHeader.Field] {
        switch settings.detector {
        case .upstream: [RecordingHeader.Field("detector", .string("upstream"))]
        case .tensors: try TensorDecoding(settings).recordingFields
        case .recorded: [RecordingHeader.Field("detector", .string("recorded"))]
        case .auto where !settings.namesDetectorParts:
            (try? configuration(for: settings, hint: .latency).recordingFields()) ?? []
        case .auto, .neural, .salient, .motion:
            try configuration(for: settings, hint: .latency).recordingFields()
        }
    }

    private static func configuration(for settings: Settings, hint: InferenceHint) -> DetectorConfiguration {
        let kind: DetectorConfiguration.Kind =
            switch settings.detector {
            case .motion: .motion
            case .salient: .salient
            case .neural, .auto, .upstream, .tensors, .recorded: .neural
            }
        var configuration = DetectorConfiguration(kind)
        configuration.modelFile = settings.modelFile
        configuration.labelFile = settings.labelFile
        configuration.device = settings.device
        configuration.threads = settings.threads
        configuration.hint = hint
        configuration.isForStills = settings.scene.mode == .singleImage
        configuration.maximumInFlight = settings.inFlightLimit(for: hint)
        return configuration
    }
}

/// The parameters of a detector that can change while the stream runs, because they depend on properties that can
/// change and on whether the stream is live. If one of them changes, a new detector must be loaded.
struct DetectorParameters: Equatable, CustomStringConvertible {
    let hint: InferenceHint
    /// The maximum number of inferences in flight. 0 uses the number that the runtime recommends.
    let maximumInFlight: Int
    let isForStills: Bool

    var description: String {
        "\(hint), \(maximumInFlight == 0 ? "any number" : "\(maximumInFlight)") in flight"
            + (isForStills ? ", for still images" : "")
    }

    init(_ settings: Settings, isLive: Bool) {
        switch settings.detector {
        case .motion, .upstream, .tensors, .recorded:
            (hint, maximumInFlight, isForStills) = (.latency, 1, false)
            return
        case .auto, .neural, .salient: break
        }
        hint = SchedulePlan(settings: settings, isLive: isLive).hint
        maximumInFlight = settings.inFlightLimit(for: hint)
        isForStills = settings.detector == .salient && settings.scene.mode == .singleImage
    }
}
