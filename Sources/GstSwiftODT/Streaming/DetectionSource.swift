import CGStreamer
import SwiftODT

/// Where detections come from: a detector that looks at frames, metadata that an element upstream attached, or a recording.
enum DetectionSource {
    case detector(any Detector)
    /// A detector in the place of the network that would be better and cannot be had.
    case substitute(any Detector)
    case upstream
    case recorded(PlayedDetections)

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
    func pace(_ settings: Settings) -> Attention.Pace {
        let isForEachFrame =
            switch self {
            case .upstream: true
            case .recorded(let played): played.tellsWhenToLook
            case .detector(let detector), .substitute(let detector): detector is MotionDetector
            }
        return isForEachFrame && settings.pace == .auto ? .every(1) : settings.pace
    }

    /// How many detections may usefully be under way at once.
    var capacity: Int { detector?.capacity ?? 1 }

    var timings: StageTimings? { detector?.timings }

    /// How much of a picture it takes in at once; `nil` where it looks at no parts.
    var inputSize: InputSize? { detector?.inputSize }

    func start(
        _ frame: Frame, of buffer: UnsafeMutablePointer<GstBuffer>, options: DetectionOptions
    ) throws -> DetectionTicket {
        switch self {
        case .detector(let detector), .substitute(let detector): try detector.start(frame, options: options)
        case .upstream: DetectionTicket(RegionReader.detections(of: buffer, options: options))
        // Has foreseen it.
        case .recorded: DetectionTicket([])
        }
    }

    /// What is known of a frame before anybody looks at it.
    ///
    /// - Parameter warn: told what is doubtful.
    /// - Throws: where what is known does not fit the frame.
    func foresee(_ glance: FrameGlance, warn: (ElementProblem) -> Void) throws -> Foresight {
        guard case .recorded(let played) = self else { return .open }
        return try played.detections(of: glance, warn: warn).map { .answered($0.detections, part: $0.part) } ?? .unseen
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
enum Foresight {
    /// Nothing: somebody has to look.
    case open
    /// That nobody is going to look: nothing in it counts as missed.
    case unseen
    /// - Parameter part: what was looked at; `nil` for the whole picture.
    case answered([Detection], part: Box?)

    var isUnseen: Bool { if case .unseen = self { true } else { false } }
}

extension DetectionSource {
    /// How a source is made; tests put in detectors of their own.
    typealias Maker = @Sendable (Settings, InferenceHint, _ warn: (ElementProblem) -> Void) throws -> DetectionSource

    /// Makes what the settings ask for.
    ///
    /// - Parameter warn: told where something else is used instead.
    static let make: Maker = { settings, hint, warn in
        var recipe = recipe(for: settings, hint: hint)
        switch settings.detector {
        case .upstream: return .upstream
        case .recorded: return .recorded(try PlayedDetections(settings))
        case .motion, .salient, .neural: break
        case .auto:
            do {
                return .detector(try recipe.makeDetector())
            } catch  where !settings.namesDetectorParts {
                warn(ElementProblem(error, doing: "only moving objects are found (detector=motion)"))
                recipe.kind = .motion
                return .substitute(try recipe.makeDetector())
            }
        }
        return .detector(try recipe.makeDetector())
    }

    /// Whether all that the settings name for a network can be read, so that it may be compiled later.
    static func isSound(_ settings: Settings) -> Bool {
        (try? recipe(for: settings, hint: .latency).inspect()) != nil
    }

    /// What the detector's answers hang on besides the pictures and what the settings say of all detectors.
    ///
    /// - Throws: ``ODTError`` where what is named cannot be used.
    static func origin(_ settings: Settings) throws -> [RecordingHeader.Fact] {
        switch settings.detector {
        case .upstream: [RecordingHeader.Fact("detector", .string("upstream"))]
        case .recorded: [RecordingHeader.Fact("detector", .string("recorded"))]
        case .auto where !settings.namesDetectorParts:
            ((try? recipe(for: settings, hint: .latency).origin()) ?? []).map(RecordingHeader.Fact.init)
        case .auto, .neural, .salient, .motion:
            try recipe(for: settings, hint: .latency).origin().map(RecordingHeader.Fact.init)
        }
    }

    private static func recipe(for settings: Settings, hint: InferenceHint) -> DetectorRecipe {
        let kind: DetectorRecipe.Kind =
            switch settings.detector {
            case .motion: .motion
            case .salient: .salient
            case .neural, .auto, .upstream, .recorded: .neural
            }
        var recipe = DetectorRecipe(kind)
        recipe.modelFile = settings.modelFile
        recipe.labelFile = settings.labelFile
        recipe.device = settings.device
        recipe.threads = settings.threads
        recipe.hint = hint
        recipe.isForStills = settings.scene.mode == .singleImage
        recipe.maximumInFlight = settings.mostUnderWay(for: hint)
        return recipe
    }
}
