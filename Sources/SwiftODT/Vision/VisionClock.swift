/// The time of a stream's images, which always goes forward.
struct VisionClock {
    private var time: Nanoseconds?
    private var instant = ContinuousClock.now

    /// Two images are so far apart at least.
    private static let leastStep: Nanoseconds = 1_000_000
    /// Later than this is no time but a mistake.
    private static let latest = Nanoseconds.max / 4

    /// The time that is told where it goes forward, else the last one and what has gone by since.
    mutating func time(of told: Nanoseconds?) -> Nanoseconds {
        let now = ContinuousClock.now
        let gone = instant.duration(to: now).components
        let told = told.flatMap { (0...Self.latest).contains($0) ? $0 : nil }
        instant = now
        guard let before = time else {
            time = told ?? 0
            return told ?? 0
        }
        let passed = max(Self.leastStep, gone.seconds * 1_000_000_000 + gone.attoseconds / 1_000_000_000)
        let next = told.flatMap { $0 > before ? $0 : nil } ?? before + passed
        time = next
        return next
    }
}
