/// Puts the times of one stream's messages on the report's axis, which only goes forward: a stream that is wound back, and a recording that
/// follows another in the same file, go on where the one before them ended.
struct RecordingClock {
    /// Counts how often time began anew.
    private(set) var recording = 0
    /// From running time to the axis.
    private(set) var offset = 0.0
    /// From running time to the video's own time.
    private(set) var streamOffset = 0.0
    private var latest = -Double.infinity
    private var sequence = 0.0

    /// Messages of one moment may come in any order; what goes back further than this begins anew.
    private static let tolerance = 1.0

    /// The time of a message on the axis.
    mutating func place(_ message: SaidMessage) -> Double {
        let time = message.time ?? max(0, latest)
        let number = message.kind == .result ? message.number("sequence") : nil
        let isAnother = number.map { $0 < sequence } ?? false
        if time < latest - Self.tolerance || (isAnother && time < latest) {
            recording += 1
            offset += latest - time
            latest = time
        }
        if let number { sequence = number }
        if let stream = message.seconds("stream-time") { streamOffset = stream - time }
        latest = max(latest, time)
        return time + offset
    }
}
