import ODTPlayback

/// The options of `odt watch` that concern outputs and time limits. They come from the command line or from the group
/// [watch] of a configuration file.
struct WatchOptions: Sendable {
    /// The names, without dashes, of options that have a value.
    static let valued: Set<String> = Set(["json", "timeout", "retry", EventRule.option])
        .union(RecordOptions.names).union(ClipOptions.names).union(AlarmOptions.names).union(MQTTOptions.names).union(
            StoreOptions.names
        )
        .union(PageOptions.names).union(MetricsOptions.names).union(DecodingChoice.names)
    /// The names, without dashes, of options that have no value on the command line. In a configuration file their
    /// value is `true` or `false`.
    static let flags: Set<String> = Set(["quiet"]).union(RecordOptions.flags).union(DecodingChoice.flags)

    /// The names of options whose value is a file name. In a configuration file, a relative name is relative to the
    /// folder of that file. The name `-` is not changed.
    static let files: Set<String> = Set(["json", "record", "clips", "store"]).union(MQTTOptions.files)
        .union(PageOptions.files).union(MetricsOptions.files)

    private var values: [String: String] = [:]
    /// The file and line of each value that comes from a configuration file.
    private var places: [String: String] = [:]

    /// - Parameter entries: The entries of the group [watch] of a configuration file. Options on the command line
    ///   override them.
    init(_ line: CommandLineOptions, _ entries: [KeyFile.Entry]) {
        for entry in entries { (values[entry.key], places[entry.key]) = (entry.value, entry.place) }
        for name in Self.valued {
            guard let value = line.text("--" + name) else { continue }
            (values[name], places[name]) = (value, nil)
        }
        for name in Self.flags where line.has("--" + name) { (values[name], places[name]) = ("true", nil) }
    }

    func text(_ name: String) -> String? { values[name] }

    func has(_ name: String) -> Bool { values[name] == "true" }

    func number(_ name: String, in range: ClosedRange<Double>) throws -> Double? {
        try text(name).map {
            try CommandLineOptions.value(of: $0, in: range, "\(called(name)) must be a number")
        }
    }

    /// - Throws: ``PlaybackError`` if one of the named options is set without the option `owner`, on which they depend.
    func refuse(_ names: Set<String>, without owner: String) throws {
        guard text(owner) == nil, let name = names.sorted().first(where: { text($0) != nil }) else { return }
        throw PlaybackError("\(called(name)) needs \(called(owner))", isUsage: true)
    }

    /// Returns the names of the options whose values differ, for error messages. `--on-event` and the options about
    /// decoding are omitted, because their new values are used without a restart.
    func changes(since other: WatchOptions) -> [String] {
        Set(values.keys).union(other.values.keys).subtracting([EventRule.option]).subtracting(DecodingChoice.names)
            .subtracting(DecodingChoice.flags).filter { values[$0] != other.values[$0] }.sorted()
            .map { values[$0] == nil ? other.called($0) : called($0) }
    }

    /// Checks all options without side effects.
    func check() throws {
        _ = try (RecordOptions(self), ClipOptions(self), MQTTOptions(self), StoreOptions(self))
        _ = try (PageOptions(self), MetricsOptions(self))
    }

    /// Returns the name of an option for error messages. If the option comes from a configuration file, its file and
    /// line precede the name.
    func called(_ name: String) -> String { places[name].map { "\($0): \(name)" } ?? "--" + name }
}

/// Parses and formats sizes in bytes such as `500M`, `2G` or `65536`. Units are powers of 1,024.
enum ByteSize {
    private static let units: [Character: Int] = ["K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40]

    static func bytes(of name: String, in options: WatchOptions, minimum: Int) throws -> Int? {
        guard let text = options.text(name) else { return nil }
        let option = options.called(name)
        let unit = text.last.flatMap { units[Character($0.uppercased())] }
        guard let number = Int(unit == nil ? text[...] : text.dropLast()), number >= 0,
            case let (bytes, overflow) = number.multipliedReportingOverflow(by: unit ?? 1), !overflow
        else { throw PlaybackError("\(option) must be a size such as 500M or 2G, not '\(text)'", isUsage: true) }
        guard bytes >= minimum else {
            throw PlaybackError("\(option) must be at least \(Self.text(of: minimum)), not '\(text)'", isUsage: true)
        }
        return bytes
    }

    /// Formats a size as an integer with the largest possible unit.
    static func text(of bytes: Int) -> String {
        let unit = units.filter { bytes >= $0.value && bytes % $0.value == 0 }.max { $0.value < $1.value }
        return unit.map { "\(bytes / $0.value)\($0.key)" } ?? "\(bytes)"
    }
}
