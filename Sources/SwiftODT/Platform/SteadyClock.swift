/// A clock that derives strictly increasing times for the tracker from the timestamps of a stream's frames.
///
/// While the timestamps increase, the clock returns them unchanged. If a frame has no timestamp or an invalid one
/// (``Nanoseconds/isInRange``), the clock advances by one frame interval instead. It does the same if a timestamp is
/// not later than the previous frame's timestamp. If the clock is ahead of the timestamps, it runs at half their speed
/// until the timestamps have caught up.
///
///     var clock = SteadyClock()
///     let times = [0, nil, 80_000_000].map { clock.time(of: $0, step: 40_000_000) }
package struct SteadyClock: Sendable {
    /// The clock's time of the previous frame.
    private var streamTime: Nanoseconds?
    /// The last valid timestamp.
    private var frameTime: Nanoseconds?

    package init() {}

    /// - Parameters:
    ///   - frameTime: the timestamp of the frame, or `nil`.
    ///   - step: the expected frame interval.
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

    /// Prepares the clock for another stream or segment.
    package mutating func reset() { self = SteadyClock() }

    private static let minimumStep: Nanoseconds = 1_000
}
