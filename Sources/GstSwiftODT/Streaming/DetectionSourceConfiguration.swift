import SwiftODT

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
