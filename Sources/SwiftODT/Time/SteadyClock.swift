/// The time of a stream's frames as tracking wants it: it goes forward with every frame, whatever the frames say of theirs.
///
/// It shows the times that frames tell, as long as these go forward. A frame without a time, with one that cannot be one
/// (``Nanoseconds/isInRange``), or with one that is not later than that of the frame before it, comes one step after that frame, so
/// that something is seen to move even where all times are equal or run backwards. A clock that is ahead of the times
/// after this goes on at half their pace until they have caught up with it.
///
///     var clock = SteadyClock()
///     let times = [0, nil, 80_000_000].map { clock.time(of: $0, step: 40_000_000) }
public struct SteadyClock: Sendable {
    private var streamTime: Nanoseconds?
    private var frameTime: Nanoseconds?

    public init() {}

    /// - Parameter step: from one frame to the next, as far as anybody knows: what counts where frames do not tell.
    public mutating func time(of frameTime: Nanoseconds?, step: Nanoseconds) -> Nanoseconds {
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

    /// What comes next is another stream, or another part of it.
    public mutating func reset() { self = SteadyClock() }

    private static let minimumStep: Nanoseconds = 1_000
}
