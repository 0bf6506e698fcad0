import Playback
import SwiftODT

/// What the page knows of a zone or a line.
struct ShownZone {
    let name: String
    let isLine: Bool
    private var figures: [String: UInt64] = [:]
    private var count = CountHistory.Level()
    private var inward = CountHistory.Passages()
    private var outward = CountHistory.Passages()

    init(_ name: String, isLine: Bool) { (self.name, self.isLine) = (name, isLine) }

    private static let names = ["count", "entered", "left", "in", "out"]

    /// Takes in what a result says of it.
    mutating func note(_ zone: MessageFields, at step: Int) {
        for name in Self.names { figures[name] = zone.count(name) }
        if !isLine { count.note(UInt32(clamping: figures["count"] ?? 0), at: step) }
        if isLine { advance(to: step) }
    }

    mutating func noteCrossing(isInward: Bool, at step: Int) {
        if isInward { inward.note(at: step) } else { outward.note(at: step) }
    }

    /// Nobody looks any more.
    mutating func leave(at step: Int) {
        count.note(nil, at: step)
        figures["count"] = nil
    }

    mutating func advance(to step: Int) {
        count.advance(to: step)
        inward.advance(to: step)
        outward.advance(to: step)
    }

    /// As it is now.
    var json: JSONValue {
        var members: [String: JSONValue] = ["name": .string(name), "kind": .string(kind)]
        for (name, figure) in figures { members[name] = .number(Double(figure)) }
        return .object(members)
    }

    /// As it was.
    var historyJSON: JSONValue {
        var members: [String: JSONValue] = ["name": .string(name), "kind": .string(kind)]
        if isLine {
            (members["in"], members["out"]) = (inward.json, outward.json)
        } else {
            members["counts"] = count.json
        }
        return .object(members)
    }

    private var kind: String { isLine ? "line" : "zone" }
}
