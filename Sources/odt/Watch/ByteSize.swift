import Playback

/// Parses and formats sizes in bytes such as `500M`, `2G` or `65536`. Units are powers of 1,024.
enum ByteSize {
    private static let units: [Character: Int] = ["K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40]

    /// - Throws: ``PlaybackError`` if the value is not a size or less than `minimum` bytes.
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

    /// Formats a size in the largest unit that divides it.
    static func text(of bytes: Int) -> String {
        let unit = units.filter { bytes >= $0.value && bytes % $0.value == 0 }.max { $0.value < $1.value }
        return unit.map { "\(bytes / $0.value)\($0.key)" } ?? "\(bytes)"
    }
}
