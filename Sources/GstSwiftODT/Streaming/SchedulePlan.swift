import SwiftODT

/// Whether frames wait for their detection, and how many may wait while later ones are already being looked at.
struct SchedulePlan: Equatable {
    /// More would only hold back buffers that the decoder's pool may miss.
    private static let mostWaiting = 32
    private static let usualFrameDuration: Nanoseconds = 33_333_333

    /// Each frame waits for its own result; otherwise no frame waits for anything.
    let waits: Bool
    /// How many frames may wait in the element: what look-ahead costs in latency.
    let depth: Int
    /// What the runtime should strive for.
    let hint: InferenceHint
    /// What the element adds to the stream's. Its work counts for live streams alone, whose frames come when they come.
    let latency: Nanoseconds

    /// - Parameters:
    ///   - capacity: how many detections the detector takes at once.
    ///   - work: what a frame that waits for its result takes beyond waiting for later ones.
    init(
        settings: Settings, isLive: Bool, capacity: Int = 1, frameDuration: Nanoseconds? = nil, work: Nanoseconds = 0
    ) {
        waits = Self.waits(settings, isLive: isLive)
        // Whether a frame is looked at, and where, hangs on what became of the one before, which therefore has to be finished by then:
        // on how many are under way at once a result must not depend.
        let looksAhead = settings.lookAhead != 1 && settings.pace != .auto && !settings.choosesParts
        hint = waits && looksAhead ? .throughput : .latency
        let inFlight = !looksAhead ? 1 : settings.lookAhead == 0 ? capacity : min(settings.lookAhead, capacity)
        depth = waits && inFlight > 1 ? min(inFlight * max(1, settings.inferenceInterval), Self.mostWaiting) : 0
        latency = (frameDuration ?? Self.usualFrameDuration).times(depth).adding(waits && isLive ? work : 0)
    }

    /// Whether another plan lets frames wait alike; latency may differ.
    func schedules(as other: SchedulePlan) -> Bool {
        (waits, depth, hint) == (other.waits, other.depth, other.hint)
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
