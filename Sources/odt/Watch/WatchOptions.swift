import Playback
import SwiftODT

/// What `odt watch` is told of where things go: by options, or under the same names in the group [watch] of a configuration file.
struct WatchOptions: Sendable {
    /// Options that take a value; their names without dashes.
    static let valued: Set<String> = Set(["json", "timeout", "retry"]).union(
        RecordOptions.names)
    /// Options that stand alone; in a file they are `true` or `false`.
    static let flags: Set<String> = Set(["quiet"]).union(RecordOptions.flags)

    private var values: [String: String] = [:]

    init(_ line: CommandLineOptions) {
        for name in Self.valued { values[name] = line.text("--" + name) }
        for name in Self.flags where line.has("--" + name) { values[name] = "true" }
    }

    func text(_ name: String) -> String? { values[name] }

    func has(_ name: String) -> Bool { values[name] == "true" }

    /// - Throws: ``CommandLineError`` where it is no number in the range.
    func number(_ name: String, in range: ClosedRange<Double>) throws -> Double? {
        guard let text = text(name) else { return nil }
        guard let value = Double(text), range.contains(value) else {
            throw CommandLineError(
                "\(called(name)) must be a number from \(range.lowerBound) to \(range.upperBound), not '\(text)'.")
        }
        return value
    }

    /// What a value is called where it was given.
    func called(_ name: String) -> String { "--" + name }
}
