/// Maps the message times of one stream to the report's time axis, which never goes back. After a seek or at the
/// start of another recording in the same file, the axis continues at the previous end.
struct RecordingClock {
    /// The index of the recording of the latest message.
    private(set) var recording = 0
    /// Seconds to add to running time for the time on the axis.
    private(set) var offset = 0.0
    /// Seconds to add to running time for the stream time.
    private(set) var streamOffset = 0.0
    private var latest = -Double.infinity
    private var sequence = 0.0
    /// The index of the newest recording.
    private var latestRecording = 0
    /// The recording of each session id. Sessions overlap if videos are watched faster than real time.
    private var named: [Int64: Int] = [:]

    /// Messages of one moment may be out of order by up to this many seconds. A larger step back starts a new
    /// recording.
    private static let tolerance = 1.0

    /// Returns the session id of a recording; `nil` if its messages have none.
    func name(of recording: Int) -> Int64? { named.first { $0.value == recording }?.key }

    /// Returns the time of a message on the axis in seconds.
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
