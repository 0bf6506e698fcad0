import Playback
import SwiftODT

/// What the page tells of an object that is there.
struct ShownObject {
    private let members: [String: JSONValue]

    /// - Parameter time: what the clock said when the picture's running time was `runningTime`.
    init(_ thing: MessageFields, at time: Nanoseconds, runningTime: UInt64?) {
        var members: [String: JSONValue] = [
            "label": .string(thing.text("label") ?? ""), "score": .number(thing.real("score") ?? 0),
            "state": .string(thing.text("state") ?? ""),
            "box": .array(["x-min", "y-min", "x-max", "y-max"].map { .number(thing.real($0) ?? 0) }),
        ]
        if let id = thing.count("tracking-id") { members["id"] = .number(Double(id)) }
        if let category = thing.text("category"), category != "unknown" { members["category"] = .string(category) }
        let age = thing.count("first-seen").flatMap { first in runningTime.map { $0 >= first ? $0 - first : 0 } } ?? 0
        members["since"] = milliseconds(time.since(Nanoseconds(clamping: age)))
        self.members = members
    }

    var json: JSONValue { .object(members) }
}

/// Moments as JavaScript counts them.
func milliseconds(_ time: Nanoseconds) -> JSONValue { .number(Double(time / 1_000_000)) }
