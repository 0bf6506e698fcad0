/// The time of a stream's frames as tracking wants it: it goes forward with every frame, whatever the frames say of theirs.
///
/// It shows the times that frames tell, as long as these go forward. A frame without a time, with one that cannot be one
/// (``Nanoseconds/isReckonable``), or with one that is not later than that of the frame before it, comes one step after that frame, so
/// that something is seen to move even where all times are equal or run backwards. A clock that is ahead of the times
/// after this goes on at half their pace until they have caught up with it.
///
///     var clock = SteadyClock()
///     let times = [0, nil, 80_000_000].map { clock.time(of: $0, step: 40_000_000) }
public struct SteadyClock: Sendable {
    private var shown: Nanoseconds?
    private var told: Nanoseconds?

    public init() {}

    /// - Parameter step: from one frame to the next, as far as anybody knows: what counts where frames do not tell.
    public mutating func time(of told: Nanoseconds?, step: Nanoseconds) -> Nanoseconds {
        let told = told.flatMap { $0.isReckonable ? $0 : nil }
        let before = self.told
        if let told { self.told = told }
        guard let shown else {
            shown = told ?? 0
            return told ?? 0
        }
        let next: Nanoseconds
        if let told, told > before ?? .min {
            let pace = before.map { told.since($0) / 2 } ?? 0
            next = max(told, shown.adding(max(pace, Self.leastStep)))
        } else {
            next = shown.adding(max(step, Self.leastStep))
        }
        let time = next.reckonable
        self.shown = time
        return time
    }

    /// What comes next is another stream, or another part of it.
    public mutating func reset() { self = SteadyClock() }

    private static let leastStep: Nanoseconds = 1_000
}
