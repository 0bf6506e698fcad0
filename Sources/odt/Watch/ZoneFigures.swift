import Playback
import SwiftODT

/// The counts of a zone or line in a result message.
struct ZoneFigures: Equatable {
    /// The counts of a zone (`count`, `entered`, `left`) or line (`in`, `out`), for all objects or for one label.
    struct Counts: Equatable, Sendable {
        let count: Int
        let entered: Int
        let left: Int
        let `in`: Int
        let out: Int

        init(_ fields: MessageFields) {
            func figure(_ name: String) -> Int { Int(clamping: fields.count(name) ?? 0) }
            (count, entered, left) = (figure("count"), figure("entered"), figure("left"))
            (`in`, out) = (figure("in"), figure("out"))
        }

        func json(isLine: Bool) -> [String: JSONValue] {
            isLine
                ? ["in": .number(Double(`in`)), "out": .number(Double(out))]
                : [
                    "count": .number(Double(count)), "entered": .number(Double(entered)),
                    "left": .number(Double(left)),
                ]
        }
    }

    let name: String
    let isLine: Bool
    let all: Counts
    let byLabel: [String: Counts]

    init(_ fields: MessageFields) {
        name = fields.text("name") ?? ""
        isLine = fields.text("kind") == "line"
        all = Counts(fields)
        let counts = fields.list("by-label").map { ($0.text("label") ?? "", Counts($0)) }
        byLabel = Dictionary(counts, uniquingKeysWith: { first, _ in first })
    }

    /// The counts as JSON in the format of the element's messages, sorted by label.
    var json: JSONValue {
        let labels = byLabel.sorted { $0.key < $1.key }.map { label, counts in
            JSONValue.object(counts.json(isLine: isLine).merging(["label": .string(label)]) { first, _ in first })
        }
        return .object(
            all.json(isLine: isLine).merging(
                ["name": .string(name), "kind": .string(isLine ? "line" : "zone"), "by-label": .array(labels)]
            ) { first, _ in first })
    }
}
