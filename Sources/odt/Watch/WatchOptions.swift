import Playback
import SwiftODT

/// What `odt watch` is told of where things go: by options, or under the same names in the group [watch] of a configuration file.
struct WatchOptions: Sendable {
    /// Options that take a value; their names without dashes.
    static let valued: Set<String> = Set(["json", "timeout", "retry"])
        .union(RecordOptions.names).union(MQTTOptions.names).union(StoreOptions.names)
        .union(PageOptions.names)
    /// Options that stand alone; in a file they are `true` or `false`.
    static let flags: Set<String> = Set(["quiet"]).union(RecordOptions.flags)

    /// Options that name files, which a configuration file names as seen from itself; `-` is none.
    static let files: Set<String> = Set(["json", "record", "store"]).union(MQTTOptions.files)
        .union(PageOptions.files)

    private var values: [String: String] = [:]
    /// Where those stand that stand in a file.
    private var places: [String: String] = [:]

    /// - Parameter entries: of a configuration file; what the command line says outdoes them.
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

    /// - Throws: ``CommandLineError`` where it is no number in the range.
    func number(_ name: String, in range: ClosedRange<Double>) throws -> Double? {
        guard let text = text(name) else { return nil }
        guard let value = Double(text), range.contains(value) else {
            throw CommandLineError(
                "\(called(name)) must be a number from \(range.lowerBound) to \(range.upperBound), not '\(text)'.")
        }
        return value
    }

    /// - Throws: ``PlaybackError`` where one of them is given without that to which they belong.
    func refuse(_ names: Set<String>, without owner: String) throws {
        guard text(owner) == nil, let name = names.sorted().first(where: { text($0) != nil }) else { return }
        throw PlaybackError("\(called(name)) has no use without \(called(owner))", isUsage: true)
    }

    /// What a value is called where it was given.
    func called(_ name: String) -> String { places[name].map { "\($0): \(name)" } ?? "--" + name }
}
