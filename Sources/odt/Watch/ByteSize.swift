import Playback

/// Sizes as people write them: `500M`, `2G`, `65536`.
enum ByteSize {
    private static let units: [Character: Int] = ["K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40]

    /// - Throws: ``PlaybackError`` where it is none, or less than `minimum`.
    static func bytes(of name: String, in options: WatchOptions, minimum: Int) throws -> Int? {
        guard let text = options.text(name) else { return nil }
        let option = options.called(name)
        let unit = text.last.flatMap { units[Character($0.uppercased())] }
        guard let number = Int(unit == nil ? text[...] : text.dropLast()), number >= 0,
            case let (bytes, overflow) = number.multipliedReportingOverflow(by: unit ?? 1), !overflow
        else { throw PlaybackError("\(option) is a size such as 500M or 2G, not '\(text)'", isUsage: true) }
        guard bytes >= minimum else {
            throw PlaybackError("\(option) must be \(Self.text(of: minimum)) at least, not '\(text)'", isUsage: true)
        }
        return bytes
    }

    /// In the largest unit that leaves no rest.
    static func text(of bytes: Int) -> String {
        let unit = units.filter { bytes >= $0.value && bytes % $0.value == 0 }.max { $0.value < $1.value }
        return unit.map { "\(bytes / $0.value)\($0.key)" } ?? "\(bytes)"
    }
}
