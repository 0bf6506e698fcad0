import Playback
import SwiftODT

/// An object for the page. It is stored as values and converted to JSON on request.
struct ShownObject {
    private let id: UInt64?
    private let label: String
    private let category: String?
    private let score: Double
    private let state: String
    private let box: [Double]
    private let since: Nanoseconds

    /// - Parameter time: The wall time of the frame whose running time is `runningTime`.
    init(_ thing: MessageFields, at time: Nanoseconds, runningTime: UInt64?) {
        (id, label, category) = (thing.count("tracking-id"), thing.text("label") ?? "", thing.text("category"))
        (score, state) = (thing.real("score") ?? 0, thing.text("state") ?? "")
        box = ["x-min", "y-min", "x-max", "y-max"].map { thing.real($0) ?? 0 }
        let age = thing.count("first-seen").flatMap { first in runningTime.map { $0 >= first ? $0 - first : 0 } } ?? 0
        since = time.since(Nanoseconds(clamping: age))
    }

    var json: JSONValue {
        var members: [String: JSONValue] = [
            "label": .string(label), "score": .number(score), "state": .string(state),
            "box": .array(box.map { .number($0) }), "since": milliseconds(since),
        ]
        if let id { members["id"] = .number(Double(id)) }
        if let category, category != "unknown" { members["category"] = .string(category) }
        return .object(members)
    }
}

/// Converts to milliseconds, JavaScript's unit of time.
func milliseconds(_ time: Nanoseconds) -> JSONValue { .number(Double(time / 1_000_000)) }
