/// How sure the detector has lately been of an object.
///
/// That changes slowly, and tells two who overlap apart where place and motion do not: who hides the other is seen as
/// well as before, who is half hidden is doubted, and both still are when they part.
struct ScoreAverage: Sendable {
    private var value: Double

    init(_ first: Double) { value = first }

    mutating func follow(_ score: Double, after time: Nanoseconds) {
        let seconds = max(0, Double(time) / 1e9)
        value += (score - value) * (seconds / (seconds + Self.memory))
    }

    @inline(__always)
    func distance(to score: Double) -> Double { abs(score - value) }

    /// Seconds after which an older score counts as much as a newer one.
    private static let memory = 0.1
}
