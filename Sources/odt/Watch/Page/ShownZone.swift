import Playback
import SwiftODT

/// What the page knows of a zone or a line.
struct ShownZone {
    let name: String
    let isLine: Bool
    private var figures: ZoneFigures.Counts?
    /// Whether somebody looks, and knows how many are there.
    private var isSeen = false
    private var count = CountHistory.Level()
    private var inward = CountHistory.Passages()
    private var outward = CountHistory.Passages()

    init(_ name: String, isLine: Bool) { (self.name, self.isLine) = (name, isLine) }

    /// Takes in what a result says of it.
    mutating func note(_ zone: MessageFields, at step: Int) {
        let figures = ZoneFigures.Counts(zone)
        (self.figures, isSeen) = (figures, true)
        if isLine { advance(to: step) } else { count.note(UInt32(clamping: figures.count), at: step) }
    }

    mutating func noteCrossing(isInward: Bool, at step: Int) {
        // Both go on, so that a step of the one is the same step of the other.
        advance(to: step)
        if isInward { inward.note(at: step) } else { outward.note(at: step) }
    }

    /// Nobody looks any more.
    mutating func leave(at step: Int) {
        count.note(nil, at: step)
        isSeen = false
    }

    mutating func advance(to step: Int) {
        count.advance(to: step)
        inward.advance(to: step)
        outward.advance(to: step)
    }

    /// As it is now.
    var json: JSONValue {
        var members = figures?.json(isLine: isLine) ?? [:]
        if !isSeen { members["count"] = nil }
        (members["name"], members["kind"]) = (.string(name), .string(kind))
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
