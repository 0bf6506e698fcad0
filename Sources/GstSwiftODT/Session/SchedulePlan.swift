import SwiftODT

/// Whether frames wait for their detection, and how many may wait while later ones are already being looked at.
struct SchedulePlan: Equatable {
    /// More would only hold back buffers that the decoder's pool may miss.
    private static let mostWaiting = 32

    /// Each frame waits for its own result; otherwise no frame waits for anything.
    let waits: Bool
    /// How many frames may wait in the element: what look-ahead costs in latency.
    let depth: Int
    let latency: Nanoseconds
    /// What the runtime should strive for.
    let hint: InferenceHint

    init(settings: Settings, isLive: Bool, capacity: Int, frameDuration: Nanoseconds?) {
        waits = Self.waits(settings, isLive: isLive)
        hint = waits && settings.lookAhead != 1 ? .throughput : .latency
        let inFlight = settings.lookAhead == 0 ? capacity : min(settings.lookAhead, capacity)
        depth = waits && inFlight > 1 ? min(inFlight * settings.inferenceInterval, Self.mostWaiting) : 0
        latency = Nanoseconds(depth) * (frameDuration ?? 33_333_333)
    }

    private static func waits(_ settings: Settings, isLive: Bool) -> Bool {
        if settings.scene.mode == .singleImage { return true }
        return switch settings.strategy {
        case .auto: !isLive
        case .keepOnlyLatest: false
        case .everyFrame: true
        }
    }
}
