import SwiftODT

/// What a detector is made of that may change while the stream runs: when it differs, another one has to be made.
struct DetectionSourceConfiguration: Equatable, CustomStringConvertible {
    let hint: InferenceHint
    /// How many detections may be under way; 0: as many as the runtime asks for.
    let maximumInFlight: Int
    let isForStills: Bool

    var description: String {
        "\(hint), \(maximumInFlight == 0 ? "as many" : "\(maximumInFlight)") under way\(isForStills ? ", for stills" : "")"
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
