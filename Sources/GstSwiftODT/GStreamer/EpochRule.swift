import SwiftODT

/// Decides where a new epoch begins, which ends all tracks: where the picture's time really breaks, and nowhere else.
///
/// It breaks at a flush, at a seek, where time goes backwards, at a gap, and where the picture has another size or
/// orientation. It does not break where a buffer is marked as discontinuous, which leaky queues and filters that drop frames do
/// at every drop, nor at segments, caps or tags that leave time and picture as they are: the tracker bridges gaps by time.
///
/// Times are running times. Two frames in the wrong order are no break: time may step back by up to three frames. A stream
/// whose every frame steps back a little runs on, too. A gap is longer than tracks live unseen, and longer than two of the stream's
/// own frames, so that a picture every ten seconds is a slow stream and not one break after the other.
struct EpochRule {
    /// Why an epoch begins.
    enum Break: String {
        case flush = "a flush"
        case seek = "a seek"
        case backwards = "time goes backwards"
        case gap = "a gap longer than tracks live unseen"
        case size = "a picture of another size"
        case orientation = "a picture of another orientation"
    }

    /// What counts of a frame.
    struct FrameInfo {
        /// Its running time; `nil` where it has none that can be reckoned with.
        var time: Nanoseconds?
        /// How long it is shown, as far as anybody knows.
        var duration: Nanoseconds
        var width: Int
        var height: Int
        var orientation: Orientation
    }

    private var last: FrameInfo?
    private var hasSeeked = false
    /// From the latest frame but one to the latest, where time went forward.
    private var rhythm: Nanoseconds = 0

    /// All before is void.
    ///
    /// - Returns: why an epoch begins; `nil` where there was no frame since the last one began.
    mutating func flush() -> Break? {
        defer { self = EpochRule() }
        return last == nil ? nil : .flush
    }

    /// A segment that a seek asked for has come: the next frame is from elsewhere, though time may go on.
    mutating func noteSeek() { hasSeeked = true }

    /// A frame has come.
    ///
    /// - Parameter maxAge: how long tracks live unseen.
    /// - Returns: why an epoch begins with it; `nil` where none does.
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
