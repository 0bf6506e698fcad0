import CGStreamer
import SwiftODT

/// The source of detections: a detector, metadata attached by an upstream element, or a recording.
enum DetectionSource {
    case detector(any Detector)
    /// A detector that replaces a network that is not available.
    case substitute(any Detector)
    case upstream
    case recorded(RecordingPlayback)

    private var detector: (any Detector)? {
        switch self {
        case .detector(let detector), .substitute(let detector): detector
        case .upstream, .recorded: nil
        }
    }

    /// The labels that detections may have; empty if they have none, `nil` if they are unknown.
    var labels: [String]? { detector?.labels }

    /// The traits of the detector, or those of the network that a recording was made with.
    var traits: DetectorTraits {
        if case .recorded(let played) = self { return played.traits }
        return detector?.traits ?? DetectorTraits()
    }

    var isSubstitute: Bool { if case .substitute = self { true } else { false } }

    /// Returns the interval between inferences. If the interval is automatic, inference runs on every frame for sources
    /// that cost nothing, for detectors that adapt from frame to frame, and for recordings whose results are already
    /// limited to the frames of such a schedule.
    func intervalPolicy(_ settings: Settings) -> InferencePolicy.Interval {
        let isForEachFrame =
            switch self {
            case .upstream: true
            case .recorded(let played): played.recordsInferenceSchedule
            case .detector(let detector), .substitute(let detector): detector is MotionDetector
            }
        return isForEachFrame && settings.intervalPolicy == .auto ? .every(1) : settings.intervalPolicy
    }

    /// The maximum number of detections that may usefully be in flight.
    var capacity: Int { detector?.capacity ?? 1 }

    var timings: StageTimings? { detector?.timings }

    /// The network's input size; `nil` if the source does not support regions.
    var inputSize: InputSize? { detector?.inputSize }

    func start(
        _ frame: Frame, of buffer: UnsafeMutablePointer<GstBuffer>, options: DetectionOptions
    ) throws -> DetectionPromise {
        switch self {
        case .detector(let detector), .substitute(let detector): try detector.start(frame, options: options)
        case .upstream: DetectionPromise(UpstreamObject.detections(of: buffer, options: options))
        // A recording supplies its detections as a precomputed result.
        case .recorded: DetectionPromise([])
        }
    }

    /// Returns the detections of a frame that are known without inference.
    ///
    /// - Parameter warn: receives warnings about inconsistencies.
    /// - Throws: an error if the recording does not fit the frame.
    func precomputedResult(_ context: FrameContext, warn: (ElementProblem) -> Void) throws -> PrecomputedResult {
        guard case .recorded(let played) = self else { return .open }
        return try played.detections(of: context, warn: warn).map { .answered($0.detections, region: $0.region) }
            ?? .notInferred
    }

    /// Finishes the stream.
    ///
    /// - Parameter warn: receives warnings if the recording does not fit the stream.
    func finishStream(warn: (ElementProblem) -> Void) {
        if case .recorded(let played) = self { played.finishStream(warn: warn) }
    }

    /// Returns a function that cancels detections in flight and may be called from any thread.
    var cancel: @Sendable () -> Void {
        let detector = detector
        return { detector?.cancel() }
    }

    func reset() { detector?.reset() }
}

/// What is known of a frame before inference.
enum PrecomputedResult {
    /// Nothing: the frame requires inference.
    case open
    /// The frame has no result, and tracks do not count it as a missed detection.
    case notInferred
    /// - Parameter region: the region of the inference; `nil` for the full frame.
    case answered([Detection], region: Box?)

    var isNotInferred: Bool { if case .notInferred = self { true } else { false } }
}

extension DetectionSource {
    /// A function that creates a source. Tests inject their own.
    typealias Maker = @Sendable (Settings, InferenceHint, _ warn: (ElementProblem) -> Void) throws -> DetectionSource

    /// Creates the source that the settings specify.
    ///
    /// - Parameter warn: receives a warning if a substitute is used.
    static let make: Maker = { settings, hint, warn in
        var configuration = configuration(for: settings, hint: hint)
        switch settings.detector {
        case .upstream: return .upstream
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

    /// Returns whether all network files that the settings specify can be read, so that compilation can be deferred.
    static func isValid(_ settings: Settings) -> Bool {
        (try? configuration(for: settings, hint: .latency).inspect()) != nil
    }

    /// Returns the properties that determine the detector's output, in addition to the frames and the settings common
    /// to all detectors.
    ///
    /// - Throws: ``ODTError`` if a specified file cannot be used.
    static func origin(_ settings: Settings) throws -> [RecordingHeader.Field] {
        switch settings.detector {
        case .upstream: [RecordingHeader.Field("detector", .string("upstream"))]
        case .recorded: [RecordingHeader.Field("detector", .string("recorded"))]
        case .auto where !settings.namesDetectorParts:
            ((try? configuration(for: settings, hint: .latency).origin()) ?? []).map(RecordingHeader.Field.init)
        case .auto, .neural, .salient, .motion:
            try configuration(for: settings, hint: .latency).origin().map(RecordingHeader.Field.init)
        }
    }

    private static func configuration(for settings: Settings, hint: InferenceHint) -> DetectorConfiguration {
        let kind: DetectorConfiguration.Kind =
            switch settings.detector {
            case .motion: .motion
            case .salient: .salient
            case .neural, .auto, .upstream, .recorded: .neural
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

/// The properties of a detector that may change while the stream is running. If they differ, a new detector is
/// required.
struct DetectionSourceConfiguration: Equatable, CustomStringConvertible {
    let hint: InferenceHint
    /// The maximum number of detections in flight; 0 uses the runtime's recommendation.
    let maximumInFlight: Int
    let isForStills: Bool

    var description: String {
        "\(hint), \(maximumInFlight == 0 ? "any number" : "\(maximumInFlight)") in flight"
            + (isForStills ? ", for still images" : "")
    }

    init(_ settings: Settings, isLive: Bool) {
        switch settings.detector {
        case .motion, .upstream, .recorded:
            (hint, maximumInFlight, isForStills) = (.latency, 1, false)
            return
        case .auto, .neural, .salient: break
        }
        hint = SchedulePlan(settings: settings, isLive: isLive).hint
        maximumInFlight = settings.inFlightLimit(for: hint)
        isForStills = settings.detector == .salient && settings.scene.mode == .singleImage
    }
}
