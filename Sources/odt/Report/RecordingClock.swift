/// Puts the times of one stream's messages on the report's axis, which only goes forward: a stream that is wound back, and a recording that
/// follows another in the same file, go on where the one before them ended.
struct RecordingClock {
    /// Which recording the latest message is of.
    private(set) var recording = 0
    /// From running time to the axis.
    private(set) var offset = 0.0
    /// From running time to the video's own time.
    private(set) var streamOffset = 0.0
    private var latest = -Double.infinity
    private var sequence = 0.0
    /// How many there have been besides the first.
    private var latestRecording = 0
    /// The latest of each that messages name themselves: they may overlap where videos are watched faster than they last.
    private var named: [Int64: Int] = [:]

    /// Messages of one moment may come in any order; what goes back further than this begins anew.
    private static let tolerance = 1.0

    /// What messages call a recording; `nil` where they do not name it.
    func name(of recording: Int) -> Int64? { named.first { $0.value == recording }?.key }

    /// The time of a message on the axis.
    mutating func place(_ message: ParsedMessage) -> Double {
        let time = message.time ?? max(0, latest)
        let number = message.kind == .result ? message.number("sequence") : nil
        let isAnother = number.map { $0 < sequence } ?? false
        let hasBegun = time < latest - Self.tolerance || (isAnother && time < latest)
        if hasBegun {
            latestRecording += 1
            recording = latestRecording
            offset += latest - time
            latest = time
        }
        if let number { sequence = number }
        if let name = message.recording { choose(name, hasBegun) }
        if let stream = message.seconds("stream-time") { streamOffset = stream - time }
        latest = max(latest, time)
        return time + offset
    }

    private mutating func choose(_ name: Int64, _ hasBegun: Bool) {
        if hasBegun { return named[name] = recording }
        if named[name] == nil {
            if !named.isEmpty { latestRecording += 1 }
            named[name] = latestRecording
        }
        recording = named[name] ?? recording
    }
}
