import SwiftODT

/// Decides whether decoded frames wait in the queue before the analysis, or are dropped while the analysis is busy. The
/// gate before the decoder passes few frames while the picture is calm. When it opens, it releases the frames that it
/// has kept.
///
/// - While the picture is calm, frames wait, so that the gate has the result of a key frame before it receives the next
///   one.
/// - When the gate opens, the decoder delivers the kept frames at once. These frames wait, so that the tracker
///   processes each of them.
/// - When the analysis has caught up with the camera, frames no longer wait. They are dropped while the analysis is
///   busy.
///
/// All times are stream times in nanoseconds. A delay is the time from a frame to the latest frame that has arrived
/// from the camera.
struct AnalysisPace {
    /// If the time between two frames that passed the gate exceeds this, the picture is considered calm.
    private static let rare: Nanoseconds = 400_000_000
    /// Frames begin to wait if their delay exceeds this. The delay of merely reordered frames is smaller.
    private static let late: Nanoseconds = 200_000_000
    /// Below this delay, the analysis has caught up with the camera.
    private static let caughtUp: Nanoseconds = 150_000_000
    /// Above this delay, the analysis is overloaded, and frames are dropped. The delay of the frames that the gate
    /// releases when it opens is smaller: at most 15 s.
    static let overload: Nanoseconds = 20_000_000_000

    /// Whether decoded frames wait until the analysis is free.
    private(set) var waits = false
    private var isOverloaded = false
    private var isCalm = false
    private var passed: Nanoseconds?

    /// Notes a frame that passes the gate. Returns whether ``waits`` has changed.
    mutating func notePassed(at time: Nanoseconds, delay: Nanoseconds) -> Bool {
        isCalm = passed.map { time.since($0) > Self.rare } ?? false
        passed = time
        if delay > Self.overload { isOverloaded = true }
        return set(waits: !isOverloaded && (waits || isCalm || delay > Self.late))
    }

    /// Notes a frame whose analysis begins. Returns whether ``waits`` has changed.
    mutating func noteAnalysed(delay: Nanoseconds) -> Bool {
        guard delay < Self.caughtUp else { return false }
        isOverloaded = false
        return isCalm ? false : set(waits: false)
    }

    private mutating func set(waits new: Bool) -> Bool {
        defer { waits = new }
        return waits != new
    }
}
