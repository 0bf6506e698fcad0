import SwiftODT

/// Decides whether decoded frames wait for the analysis or are dropped while it is busy.
///
/// - While the gate is calm, frames are rare. They wait, so that the result of a key frame is known before the next one.
/// - When the gate opens, the decoder delivers the kept frames at once. They wait, so that the tracker processes each of
///   them.
/// - When the analysis has caught up with the camera, frames do not wait any longer, as without a gate.
///
/// All times are stream times in nanoseconds. A delay is the time from a frame to the latest frame that has arrived from
/// the camera.
struct AnalysisPace {
    /// The time between two frames from which frames are rare.
    private static let rare: Nanoseconds = 400_000_000
    /// The delay at which frames begin to wait. Reordered frames are late by less.
    private static let late: Nanoseconds = 200_000_000
    /// The delay at which the analysis has caught up.
    private static let caughtUp: Nanoseconds = 150_000_000
    /// The delay at which the analysis is overloaded. It exceeds the duration of the kept frames.
    static let overload: Nanoseconds = 20_000_000_000

    /// Whether frames wait.
    private(set) var waits = false
    private var isOverloaded = false
    private var isCalm = false
    private var passed: Nanoseconds?

    /// Notes a frame that passes the gate.
    ///
    /// - Returns: Whether ``waits`` has changed.
    mutating func notePassed(at time: Nanoseconds, delay: Nanoseconds) -> Bool {
        isCalm = passed.map { time.since($0) > Self.rare } ?? false
        passed = time
        if delay > Self.overload { isOverloaded = true }
        return set(waits: !isOverloaded && (waits || isCalm || delay > Self.late))
    }

    /// Notes a frame whose analysis begins.
    ///
    /// - Returns: Whether ``waits`` has changed.
    mutating func noteAnalysed(delay: Nanoseconds) -> Bool {
        guard delay < Self.caughtUp, !isCalm else { return false }
        isOverloaded = false
        return set(waits: false)
    }

    private mutating func set(waits new: Bool) -> Bool {
        defer { waits = new }
        return waits != new
    }
}
