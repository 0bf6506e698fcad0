import CGStreamer
import SwiftODT

/// Where detections come from: a detector that looks at frames, or metadata that an element upstream attached.
enum DetectionSource {
    case detector(any Detector)
    /// A detector in the place of the network that would be better and cannot be had.
    case substitute(any Detector)
    case upstream

    private var detector: (any Detector)? {
        switch self {
        case .detector(let detector), .substitute(let detector): detector
        case .upstream: nil
        }
    }

    var isSubstitute: Bool { if case .substitute = self { true } else { false } }

    /// How many detections may usefully be under way at once.
    var capacity: Int { detector?.capacity ?? 1 }

    var timings: StageTimings? { detector?.timings }

    func start(
        _ frame: Frame, of buffer: UnsafeMutablePointer<GstBuffer>, options: DetectionOptions
    ) throws -> DetectionTicket {
        try detector?.start(frame, options: options)
            ?? DetectionTicket(RegionReader.detections(of: buffer, options: options))
    }

    /// For any thread.
    var cancel: @Sendable () -> Void {
        let detector = detector
        return { detector?.cancel() }
    }

    func reset() { detector?.reset() }
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

    private static func recipe(for settings: Settings, hint: InferenceHint) -> DetectorRecipe {
        let kind: DetectorRecipe.Kind =
            switch settings.detector {
            case .motion: .motion
            case .salient: .salient
            case .neural, .auto, .upstream: .neural
            }
        var recipe = DetectorRecipe(kind)
        recipe.modelFile = settings.modelFile
        recipe.labelFile = settings.labelFile
        recipe.device = settings.device
        recipe.threads = settings.threads
        recipe.hint = hint
        recipe.isForStills = settings.scene.mode == .singleImage
        recipe.maximumInFlight = hint == .latency ? 1 : settings.lookAhead
        return recipe
    }
}
