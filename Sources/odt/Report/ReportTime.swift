import Glibc

/// Converts between ISO 8601 text and milliseconds since 1970 (UTC). Accepts local time (`2026-11-22T14:30`), UTC
/// (`2026-11-22T14:30:05Z`), an offset (`2026-11-22T14:30:05.250+01:00`), or a date (`2026-11-22`), which means
/// midnight at its start.
enum WallTime {
    static let form = "2026-11-22T14:30[:05], local time unless Z or +01:00 is appended"

    static func milliseconds(of text: String) -> Int64? {
        var rest = Array(text.utf8)[...]
        guard let year = number(&rest, 4), skip("-", &rest), let month = number(&rest, 2), skip("-", &rest),
            let day = number(&rest, 2), (1...12).contains(month), (1...31).contains(day), year >= 1970
        else { return nil }
        var clock = (hour: 0, minute: 0, second: 0)
        var milliseconds: Int64 = 0
        if skip("T", &rest) || skip("t", &rest) || skip(" ", &rest) {
            guard let hour = number(&rest, 2), skip(":", &rest), let minute = number(&rest, 2), hour < 24, minute < 60
            else { return nil }
            clock = (hour, minute, 0)
            if skip(":", &rest) {
                guard let second = number(&rest, 2), second < 61 else { return nil }
                clock.second = second
                if skip(".", &rest) {
                    guard let part = fraction(&rest) else { return nil }
                    milliseconds = part
                }
            }
        }
        var time = tm()
        (time.tm_year, time.tm_mon, time.tm_mday) = (Int32(year - 1900), Int32(month - 1), Int32(day))
        (time.tm_hour, time.tm_min, time.tm_sec) = (Int32(clock.hour), Int32(clock.minute), Int32(clock.second))
        time.tm_isdst = -1
        let seconds: Int
        if rest.isEmpty {
            seconds = mktime(&time)
        } else {
            guard let ahead = zone(&rest), rest.isEmpty else { return nil }
            seconds = timegm(&time) - ahead
        }
        // `mktime` and `timegm` convert an invalid day, such as 31 April, to another day instead of failing.
        guard time.tm_mday == Int32(day) else { return nil }
        return Int64(seconds) * 1_000 + milliseconds
    }

    /// Formats milliseconds since 1970 as local time, with a precision of one second.
    ///
    /// - Parameter hasOffset: Whether the offset from UTC is appended. When clocks are set back, it distinguishes equal
    ///   local times.
    static func text(of milliseconds: Int64, hasOffset: Bool = false) -> String {
        var seconds = time_t(milliseconds / 1_000)
        var time = tm()
        localtime_r(&seconds, &time)
        var text = [CChar](repeating: 0, count: 32)
        strftime(&text, text.count, hasOffset ? "%Y-%m-%dT%H:%M:%S%z" : "%Y-%m-%dT%H:%M:%S", &time)
        let plain = String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        return hasOffset ? "\(plain.dropLast(2)):\(plain.suffix(2))" : plain
    }

    private static func number(_ text: inout ArraySlice<UInt8>, _ count: Int) -> Int? {
        let digits = text.prefix(count)
        guard digits.count == count, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        text = text.dropFirst(count)
        return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }

    private static func skip(_ character: Unicode.Scalar, _ text: inout ArraySlice<UInt8>) -> Bool {
        guard text.first == UInt8(ascii: character) else { return false }
        text = text.dropFirst()
        return true
    }

    /// Parses the digits of a decimal fraction of a second and returns milliseconds. Digits after the third are
    /// ignored.
    private static func fraction(_ text: inout ArraySlice<UInt8>) -> Int64? {
        let digits = text.prefix { (0x30...0x39).contains($0) }
        guard !digits.isEmpty else { return nil }
        text = text.dropFirst(digits.count)
        return (0..<3).reduce(0) { sum, place in
            sum * 10 + (place < digits.count ? Int64(digits[digits.startIndex + place] - 0x30) : 0)
        }
    }

    /// Parses an offset from UTC, such as `+01:00` or `Z`, and returns seconds.
    private static func zone(_ text: inout ArraySlice<UInt8>) -> Int? {
        if skip("Z", &text) || skip("z", &text) { return 0 }
        let isAhead = skip("+", &text)
        guard isAhead || skip("-", &text), let hours = number(&text, 2) else { return nil }
        _ = skip(":", &text)
        let minutes = number(&text, 2) ?? 0
        guard hours < 24, minutes < 60 else { return nil }
        return (isAhead ? 1 : -1) * (hours * 3600 + minutes * 60)
    }
}

/// Maps the message times of one source to the report's time axis. When message times go back, after a seek or at the
/// start of another recording in the same file, the axis continues from its previous end. A recording of a live stream
/// is instead placed at its wall-clock time. A recording also ends with the element's statistics.
struct RecordingClock {
    /// The index of the recording to which the latest message belongs.
    private(set) var recording = 0
    /// The time on the axis minus the running time, in seconds.
    private(set) var offset = 0.0
    /// The stream time minus the running time, in seconds.
    private(set) var streamOffset = 0.0
    private var latest = -Double.infinity
    private var sequence = 0.0
    private var hasEnded = false
    /// The highest index of all recordings so far.
    private var latestRecording = 0
    /// The index of the recording of each session id. Sessions overlap if videos are watched faster than real time, so
    /// their messages can alternate.
    private var named: [Int64: Int] = [:]
    /// The offset of each recording with a known wall-clock time, by the index of the recording.
    private var liveOffsets: [Int: Double] = [:]

    /// If message times go back by more than this number of seconds, a new recording starts. Times can go back slightly
    /// within a recording, because messages of one moment may be out of order.
    private static let tolerance = 1.0

    /// Returns the session id of a recording; `nil` if the recording's messages have none.
    func name(of recording: Int) -> Int64? { named.first { $0.value == recording }?.key }

    func recording(named name: Int64) -> Int? { named[name] }

    var recordingCount: Int { latestRecording + 1 }

    /// Ends the recording: the next message begins another one.
    mutating func end() { hasEnded = true }

    /// Returns the time of a message on the report's time axis, in seconds.
    ///
    /// - Parameter utc: The Unix time in seconds at the zero of the axis. The first message with a wall-clock time
    ///   determines it.
    mutating func place(_ message: ParsedMessage, _ utc: inout Double?) -> Double {
        let time = message.time ?? max(0, latest)
        let number = message.kind == .result ? message.number("sequence") : nil
        let isAnother = number.map { $0 < sequence } ?? false
        let hasBegun = hasEnded || time < latest - Self.tolerance || (isAnother && time < latest)
        if hasBegun {
            (hasEnded, sequence) = (false, 0)
            latestRecording += 1
            recording = latestRecording
            offset += max(0, latest - time)
            latest = time
        }
        if let number { sequence = number }
        if let name = message.recording { choose(name, hasBegun) }
        if let taken = message.seconds("utc-time"), liveOffsets[recording] == nil {
            utc = utc ?? taken - time - offset
            liveOffsets[recording] = utc.map { taken - time - $0 }
        }
        offset = liveOffsets[recording] ?? offset
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
