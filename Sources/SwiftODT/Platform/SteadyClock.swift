/// A clock that derives strictly increasing times from the timestamps of a stream's frames. The tracker uses these
/// times.
///
/// While the timestamps increase, the clock returns them unchanged. The clock advances by one frame interval instead if
/// a frame has no timestamp, an invalid timestamp (``Nanoseconds/isInRange``), or a timestamp that is not later than
/// the previous frame's timestamp. The tracker thus gets a positive time between any two frames. If the clock is ahead
/// of the timestamps, it runs at half their speed until the timestamps have caught up.
///
///     var clock = SteadyClock()
///     let times = [0, nil, 80_000_000].map { clock.time(of: $0, step: 40_000_000) }
package struct SteadyClock: Sendable {
    /// The time that the clock has returned for the previous frame.
    private var streamTime: Nanoseconds?
    /// The last valid timestamp of a frame.
    private var frameTime: Nanoseconds?

    package init() {}

    /// Returns the clock's time for the next frame. `frameTime` is the timestamp of the frame, or `nil`.
    /// - Parameter step: the expected frame interval, by which the clock advances if the timestamp cannot be used.
    package mutating func time(of frameTime: Nanoseconds?, step: Nanoseconds) -> Nanoseconds {
        let frameTime = frameTime.flatMap { $0.isInRange ? $0 : nil }
        let before = self.frameTime
        if let frameTime { self.frameTime = frameTime }
        guard let streamTime else {
            streamTime = frameTime ?? 0
            return frameTime ?? 0
        }
        let next: Nanoseconds
        if let frameTime, frameTime > before ?? .min {
            let pace = before.map { frameTime.since($0) / 2 } ?? 0
            next = max(frameTime, streamTime.adding(max(pace, Self.minimumStep)))
        } else {
            next = streamTime.adding(max(step, Self.minimumStep))
        }
        let time = next.clampedToRange
        self.streamTime = time
        return time
    }

    /// Restarts the clock for another stream or another segment.
    package mutating func reset() { self = SteadyClock() }

    private static let minimumStep: Nanoseconds = 1_000
}
