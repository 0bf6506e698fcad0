import SwiftODT

/// Decides where a new epoch begins, which ends all tracks. It does so only at real discontinuities.
///
/// An epoch begins at a flush, a seek, a step backwards in time, a gap, and a change of the frame size or orientation.
/// It does not begin at buffers that are flagged DISCONT, which leaky queues and filters set at every drop, nor at
/// segments, caps or tags that leave time and picture unchanged: the tracker bridges dropped frames by their times.
///
/// All times are running times. Two frames in the wrong order are tolerated: time may step back by up to three frames,
/// and at most 1 s. The same holds for a stream whose every frame steps back slightly. A gap is longer than
/// `track-max-age` and longer than two frames of the stream, so that a stream with one frame every ten seconds is not
/// broken at each frame.
struct EpochRule {
    /// The reason for a new epoch.
    enum Break: String {
        case flush = "a flush"
        case seek = "a seek"
        case backwards = "a step backwards in time"
        case gap = "a gap longer than track-max-age"
        case size = "a change of the frame size"
        case orientation = "a change of the orientation"
    }

    /// The properties of a frame that the rule depends on.
    struct FrameInfo {
        /// The running time; `nil` if the frame has none in the valid range.
        var time: Nanoseconds?
        /// How long the frame is shown, or an estimate.
        var duration: Nanoseconds
        var width: Int
        var height: Int
        var orientation: Orientation
    }

    private var last: FrameInfo?
    private var hasSeeked = false
    /// The interval between the two latest frames whose time increased.
    private var rhythm: Nanoseconds = 0

    /// Discards all state.
    ///
    /// - Returns: the reason for a new epoch; `nil` if there was no frame since the last one began.
    mutating func flush() -> Break? {
        defer { self = EpochRule() }
        return last == nil ? nil : .flush
    }

    /// Notes the segment of a seek. The next frame begins an epoch even if its time continues.
    mutating func noteSeek() { hasSeeked = true }

    /// Checks the next frame.
    ///
    /// - Parameter maxAge: the maximum age of tracks without detections.
    /// - Returns: the reason why an epoch begins at the frame; `nil` if none does.
    mutating func check(at frame: FrameInfo, maxAge: Nanoseconds) -> Break? {
        defer { remember(frame) }
        guard let last else { return nil }
        if hasSeeked { return .seek }
        if (frame.width, frame.height) != (last.width, last.height) { return .size }
        if frame.orientation != last.orientation { return .orientation }
        guard let now = frame.time, let then = last.time else { return nil }
        let (step, usual) = (now.since(then), max(last.duration, rhythm))
        if step < -min(usual.times(3), Self.maximumDisorder) { return .backwards }
        return step > maxAge && step > usual.times(2) ? .gap : nil
    }

    private mutating func remember(_ frame: FrameInfo) {
        let step = frame.time.flatMap { now in last?.time.map { now.since($0) } } ?? 0
        if step > 0 { rhythm = step }
        let expected = last.flatMap { last in last.time.map { $0.adding(last.duration).clampedToRange } }
        last = frame
        last?.time = frame.time ?? expected
        hasSeeked = false
    }

    private static let maximumDisorder: Nanoseconds = 1_000_000_000
}
