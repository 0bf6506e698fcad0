import ODTPlayback
import SwiftODT

struct CommandLineOptions {
    private var values: [String: [String]] = [:]
    private var flags: Set<String> = []
    private(set) var operands: [String] = []

    /// - Parameters:
    ///   - valued: The options that take a value, as `--name value` or `--name=value`.
    ///   - flags: The options without a value.
    /// - Throws: ``HelpRequest`` for `--help` or `-h`; ``CommandLineError`` for an unknown option or a missing value.
    init(_ words: [String], valued: Set<String>, flags known: Set<String>) throws {
        var rest = words[...]
        while let word = rest.popFirst() {
            guard word.hasPrefix("-"), word != "-" else {
                operands.append(word)
                continue
            }
            if word == "--help" || word == "-h" { throw HelpRequest() }
            if word == "--" {
                operands.append(contentsOf: rest)
                return
            }
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(parts[0])
            if known.contains(name) {
                guard parts.count == 1 else { throw CommandLineError("\(name) takes no value.") }
                flags.insert(name)
            } else if valued.contains(name) {
                if parts.count == 2 {
                    values[name, default: []].append(String(parts[1]))
                } else if let value = rest.popFirst() {
                    values[name, default: []].append(value)
                } else {
                    throw CommandLineError("\(name) needs a value.")
                }
            } else {
                throw CommandLineError(Self.rejection(of: name, knowing: valued.union(known)))
            }
        }
    }

    private static func rejection(of name: String, knowing options: Set<String>) -> String {
        let rejection = "unknown option '\(name)'"
        let word = String(name.drop { $0 == "-" })
        if options.contains("--set"),
            let property = PropertySetting.namesOfSwiftodt.first(where: { [word, "\(word)-file"].contains($0) })
        {
            return "\(rejection); set the property with --set \(property)=VALUE."
        }
        return rejection + (spellingSuggestion(for: name, in: options.sorted()).map { "; \($0)" } ?? ".")
    }

    func has(_ flag: String) -> Bool { flags.contains(flag) }

    /// Returns the value of an option; the last value if the option is repeated, and `nil` if it is not given.
    func text(_ name: String) -> String? { values[name]?.last }

    func texts(_ name: String) -> [String] { values[name] ?? [] }

    func number(_ name: String, in range: ClosedRange<Double>) throws -> Double? {
        try text(name).map { try Self.value(of: $0, in: range, "\(name) must be a number") }
    }

    func wholeNumber(_ name: String, in range: ClosedRange<Int>) throws -> Int? {
        try text(name).map { try Self.value(of: $0, in: range, "\(name) must be a whole number") }
    }

    /// - Parameter demand: The start of the error message, before the range.
    static func value<Number: Comparable & LosslessStringConvertible>(
        of text: String, in range: ClosedRange<Number>, _ demand: String
    ) throws -> Number {
        guard let value = Number(text), range.contains(value) else {
            throw CommandLineError("\(demand) from \(range.lowerBound) to \(range.upperBound), not '\(text)'.")
        }
        return value
    }

    /// Returns the only operand, a video.
    func video() throws -> String {
        guard operands.count == 1 else {
            throw CommandLineError(operands.isEmpty ? "name a VIDEO." : "name one VIDEO.")
        }
        return operands[0]
    }

    /// The properties of `--set` as NAME=VALUE.
    var properties: [String] { texts("--set").map(PropertySetting.canonical) }

    /// Returns the properties of `--zones` and `--set` as NAME=VALUE. Those of `--set` come last, so that they override
    /// the zones.
    func settings() throws -> [String] {
        guard let zones = text("--zones") else { return properties }
        _ = try Zone.list(named: zones)
        return ["zones=\(zones)"] + properties
    }
}

struct HelpRequest: Error {}
