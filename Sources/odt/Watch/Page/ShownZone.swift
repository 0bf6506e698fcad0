import Playback
import SwiftODT

/// The state of a zone or line for the page.
struct ShownZone {
    let name: String
    let isLine: Bool
    private var figures: ZoneFigures.Counts?
    /// Whether the camera is connected, so that the current count is known.
    private var isSeen = false
    private var count = CountHistory.Level()
    private var inward = CountHistory.Passages()
    private var outward = CountHistory.Passages()

    init(_ name: String, isLine: Bool) { (self.name, self.isLine) = (name, isLine) }

    /// Updates the counts from a result.
    mutating func note(_ zone: MessageFields, at step: Int) {
        let figures = ZoneFigures.Counts(zone)
        (self.figures, isSeen) = (figures, true)
        if isLine { advance(to: step) } else { count.note(UInt32(clamping: figures.count), at: step) }
    }

    mutating func noteCrossing(isInward: Bool, at step: Int) {
        // Both histories advance, so that their steps stay aligned.
        advance(to: step)
        if isInward { inward.note(at: step) } else { outward.note(at: step) }
    }

    /// The camera was lost.
    mutating func leave(at step: Int) {
        count.note(nil, at: step)
        isSeen = false
    }

    mutating func advance(to step: Int) {
        count.advance(to: step)
        inward.advance(to: step)
        outward.advance(to: step)
    }

    /// The current counts.
    var json: JSONValue {
        var members = figures?.json(isLine: isLine) ?? [:]
        if !isSeen { members["count"] = nil }
        (members["name"], members["kind"]) = (.string(name), .string(kind))
        return .object(members)
    }

    /// The count history.
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
