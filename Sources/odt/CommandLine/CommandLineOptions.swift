import Playback
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
            if known.contains(name), parts.count == 1 {
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
        let property = String(name.drop { $0 == "-" })
        if options.contains("--set"), PropertySetting.namesOfSwiftodt.contains(property) {
            return "\(rejection); set the property of this name with --set \(property)=VALUE."
        }
        guard let meant = nearestName(to: name, in: options.sorted()) else { return rejection + "." }
        return "\(rejection); did you mean '\(meant)'?"
    }

    func has(_ flag: String) -> Bool { flags.contains(flag) }

    /// Returns the value of an option; the last value if the option is repeated, and `nil` if it is not given.
    func text(_ name: String) -> String? { values[name]?.last }

    func texts(_ name: String) -> [String] { values[name] ?? [] }

    func number(_ name: String, in range: ClosedRange<Double>) throws -> Double? {
        guard let text = text(name) else { return nil }
        guard let value = Double(text), value.isFinite, range.contains(value) else {
            throw CommandLineError(
                "\(name) must be a number from \(range.lowerBound) to \(range.upperBound), not '\(text)'.")
        }
        return value
    }
}

extension CommandLineOptions {
    func wholeNumber(_ name: String, in range: ClosedRange<Int>) throws -> Int? {
        guard let text = text(name) else { return nil }
        guard let value = Int(text), range.contains(value) else {
            throw CommandLineError(
                "\(name) must be a whole number from \(range.lowerBound) to \(range.upperBound), not '\(text)'.")
        }
        return value
    }
}

struct HelpRequest: Error {}

struct CommandLineError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
