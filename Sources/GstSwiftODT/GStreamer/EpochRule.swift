import SwiftODT

/// Decides at which frames a new epoch begins. An epoch is a part of the stream without discontinuities. All tracks end
/// with their epoch, so a new epoch must begin only at a real discontinuity.
///
/// A new epoch begins at a flush, a seek, another stream, a step backwards in time, a gap, and a change of the frame
/// size or orientation. Buffers with the flag DISCONT do not begin an epoch, because leaky queues and filters set this
/// flag at every dropped frame. The tracker continues across dropped frames. Segments, caps and tags that change neither
/// time nor picture do not begin an epoch, either.
///
/// All times are running times. A step backwards of up to three frame durations, but at most 1 s, begins no epoch,
/// because two frames may arrive in the wrong order. This applies to each step separately. A gap is
/// longer than `track-max-age` and longer than two frame durations. A stream with one frame every ten seconds thus does
/// not begin an epoch at each frame. After a `still-frame` event, the picture does not change until the next frame, so
/// the time between the two frames is not a gap.
struct EpochRule {
    enum Break: String {
        case flush = "a flush"
        case seek = "a seek"
        case stream = "another stream"
        case backwards = "a step backwards in time"
        case gap = "a gap longer than track-max-age"
        case size = "a change of the frame size"
        case orientation = "a change of the orientation"
    }

    struct FrameInfo {
        /// The running time in nanoseconds; `nil` if it is unknown or out of range.
        var time: Nanoseconds?
        /// The duration of the frame in nanoseconds, or an estimate.
        var duration: Nanoseconds
        var width: Int
        var height: Int
        var orientation: Orientation
    }

    private var last: FrameInfo?
    /// The reason for which the next frame begins an epoch.
    private var announced: Break?
    /// Whether the latest frame is a still picture.
    private(set) var isStill = false
    /// The latest frame interval in nanoseconds, measured between consecutive frames whose time increased.
    private var rhythm: Nanoseconds = 0

    /// Whether there was no frame since the latest flush.
    var isFresh: Bool { last == nil }

    /// - Returns: The reason for a new epoch; `nil` if there was no frame since the latest flush.
    mutating func flush() -> Break? {
        defer { self = EpochRule() }
        return last == nil ? nil : .flush
    }

    /// Makes the next frame begin an epoch, even if its time directly follows the time of the previous frame.
    mutating func announce(_ reason: Break) { announced = reason }

    mutating func noteStill(_ isStill: Bool) { self.isStill = isStill }

    /// - Parameter maxAge: The maximum time in nanoseconds for which a track without detections is kept
    ///   (`track-max-age`).
    /// - Returns: The reason why a new epoch begins at the frame; `nil` if none begins.
    mutating func check(at frame: FrameInfo, maxAge: Nanoseconds) -> Break? {
        defer { remember(frame) }
        guard let last else { return nil }
        if let announced { return announced }
        if (frame.width, frame.height) != (last.width, last.height) { return .size }
        if frame.orientation != last.orientation { return .orientation }
        guard let now = frame.time, let then = last.time else { return nil }
        let (step, usual) = (now.since(then), max(last.duration, rhythm))
        if step < -min(usual.times(3), Self.disorderLimits) { return .backwards }
        return !isStill && step > maxAge && step > usual.times(2) ? .gap : nil
    }

    private mutating func remember(_ frame: FrameInfo) {
        isStill = false
        let step = frame.time.flatMap { now in last?.time.map { now.since($0) } } ?? 0
        if step > 0 { rhythm = step }
        let expected = last.flatMap { last in last.time.map { $0.adding(last.duration).clampedToRange } }
        last = frame
        last?.time = frame.time ?? expected
        announced = nil
    }

    private static let disorderLimits: Nanoseconds = 1_000_000_000
}
