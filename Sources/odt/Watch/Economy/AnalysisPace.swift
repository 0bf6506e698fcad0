import SwiftODT

/// Decides whether decoded frames wait for the analysis or are dropped while it is busy.
///
/// When the gate opens, the decoder delivers the kept frames at once. They wait, so that the tracker processes each of
/// them. When the analysis has caught up with the camera, frames do not wait any longer, as without a gate.
struct AnalysisPace {
    /// The delays in nanoseconds at which frames begin and cease to wait.
    private static let late: Nanoseconds = 500_000_000
    private static let caughtUp: Nanoseconds = 250_000_000
    /// The delay in nanoseconds at which the analysis is overloaded. It exceeds the duration of the kept frames.
    static let overload: Nanoseconds = 20_000_000_000

    /// Whether frames wait.
    private(set) var waits = false
    private var isOverloaded = false

    /// - Parameter delay: The stream time in nanoseconds between a decoded frame and the latest encoded frame.
    /// - Returns: Whether ``waits`` has changed.
    mutating func note(delay: Nanoseconds) -> Bool {
        if delay < Self.caughtUp { isOverloaded = false }
        if delay > Self.overload { isOverloaded = true }
        let before = waits
        waits = !isOverloaded && delay > (before ? Self.caughtUp : Self.late)
        return waits != before
    }
}
