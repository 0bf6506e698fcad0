/// A clock that derives strictly increasing times from the timestamps of a stream's frames, for the tracker.
///
/// The clock follows the timestamps while they increase. A frame advances the clock by one step instead if it has no
/// timestamp, an invalid one (``Nanoseconds/isInRange``), or one that is not later than the previous frame's. Objects
/// can therefore move even if all timestamps are equal or decrease. If the clock is then ahead of the timestamps, it
/// runs at half their rate until they have caught up.
///
///     var clock = SteadyClock()
///     let times = [0, nil, 80_000_000].map { clock.time(of: $0, step: 40_000_000) }
package struct SteadyClock: Sendable {
    private var streamTime: Nanoseconds?
    private var frameTime: Nanoseconds?

    package init() {}

    /// Returns the time of the next frame.
    /// - Parameter step: the expected frame interval, used if the timestamp is unusable.
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

    /// Restarts the clock for another stream or segment.
    package mutating func reset() { self = SteadyClock() }

    private static let minimumStep: Nanoseconds = 1_000
}
