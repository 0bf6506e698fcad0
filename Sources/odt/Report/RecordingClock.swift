/// Maps the message times of one source to the report's time axis. When message times go back, after a seek or at the
/// start of another recording in the same file, the axis continues from its previous end.
struct RecordingClock {
    /// The index of the recording to which the latest message belongs.
    private(set) var recording = 0
    /// The number of seconds to add to a running time for the time on the axis.
    private(set) var offset = 0.0
    /// The number of seconds to add to a running time for the stream time.
    private(set) var streamOffset = 0.0
    private var latest = -Double.infinity
    private var sequence = 0.0
    /// The highest index of all recordings so far.
    private var latestRecording = 0
    /// The index of the recording of each session id. Sessions overlap if videos are watched faster than real time.
    private var named: [Int64: Int] = [:]

    /// The number of seconds by which message times may go back, because messages of one moment may be out of order. A
    /// larger step starts a new recording.
    private static let tolerance = 1.0

    /// Returns the session id of a recording; `nil` if the recording's messages have none.
    func name(of recording: Int) -> Int64? { named.first { $0.value == recording }?.key }

    /// Returns the time of a message on the report's time axis, in seconds.
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
