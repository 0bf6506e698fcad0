import CGStreamer
import SwiftODT

/// Where detections come from: a detector that looks at frames, metadata that an element upstream attached, or a recording.
enum DetectionSource {
    case detector(any Detector)
    /// A detector in the place of the network that would be better and cannot be had.
    case substitute(any Detector)
    case upstream
    case recorded(RecordingPlayback)

    private var detector: (any Detector)? {
        switch self {
        case .detector(let detector), .substitute(let detector): detector
        case .upstream, .recorded: nil
        }
    }

    /// The names that detections can have; empty where they have none, `nil` where that is not known.
    var labels: [String]? { detector?.labels }

    var isSubstitute: Bool { if case .substitute = self { true } else { false } }

    /// How often it is asked. Where nobody says how often, what learns from frame to frame, or costs nothing, is to see each frame, and of a
    /// recording that was made so each look counts.
    func intervalPolicy(_ settings: Settings) -> InferencePolicy.Interval {
        let isForEachFrame =
            switch self {
            case .upstream: true
            case .recorded(let played): played.recordsInferenceSchedule
            case .detector(let detector), .substitute(let detector): detector is MotionDetector
            }
        return isForEachFrame && settings.intervalPolicy == .auto ? .every(1) : settings.intervalPolicy
    }

    /// How many detections may usefully be under way at once.
    var capacity: Int { detector?.capacity ?? 1 }

    var timings: StageTimings? { detector?.timings }

    /// How much of a picture it takes in at once; `nil` where it looks at no parts.
    var inputSize: InputSize? { detector?.inputSize }

    func start(
        _ frame: Frame, of buffer: UnsafeMutablePointer<GstBuffer>, options: DetectionOptions
    ) throws -> DetectionPromise {
        switch self {
        case .detector(let detector), .substitute(let detector): try detector.start(frame, options: options)
        case .upstream: DetectionPromise(RegionReader.detections(of: buffer, options: options))
        // Has foreseen it.
        case .recorded: DetectionPromise([])
        }
    }

    /// What is known of a frame before anybody looks at it.
    ///
    /// - Parameter warn: told what is doubtful.
    /// - Throws: where what is known does not fit the frame.
    func precomputedResult(_ context: FrameContext, warn: (ElementProblem) -> Void) throws -> PrecomputedResult {
        guard case .recorded(let played) = self else { return .open }
        return try played.detections(of: context, warn: warn).map { .answered($0.detections, region: $0.region) } ?? .notInferred
    }

    /// The stream is over.
    ///
    /// - Parameter warn: told what does not fit it.
    func finishStream(warn: (ElementProblem) -> Void) {
        if case .recorded(let played) = self { played.finishStream(warn: warn) }
    }

    /// For any thread.
    var cancel: @Sendable () -> Void {
        let detector = detector
        return { detector?.cancel() }
    }

    func reset() { detector?.reset() }
}

/// What is known of a frame before anybody looks at it.
enum PrecomputedResult {
    /// Nothing: somebody has to look.
    case open
    /// That nobody is going to look: nothing in it counts as missed.
    case notInferred
    /// - Parameter region: what was looked at; `nil` for the whole picture.
    case answered([Detection], region: Box?)

    var isNotInferred: Bool { if case .notInferred = self { true } else { false } }
}

extension DetectionSource {
    /// How a source is made; tests put in detectors of their own.
    typealias Maker = @Sendable (Settings, InferenceHint, _ warn: (ElementProblem) -> Void) throws -> DetectionSource

    /// Makes what the settings ask for.
    ///
    /// - Parameter warn: told where something else is used instead.
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

    /// Whether all that the settings name for a network can be read, so that it may be compiled later.
    static func isValid(_ settings: Settings) -> Bool {
        (try? configuration(for: settings, hint: .latency).inspect()) != nil
    }

    /// What the detector's answers hang on besides the pictures and what the settings say of all detectors.
    ///
    /// - Throws: ``ODTError`` where what is named cannot be used.
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
