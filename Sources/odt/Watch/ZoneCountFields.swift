import ODTPlayback
import SwiftODT

extension ZoneCount {
    init(_ fields: MessageFields) {
        self.init(name: fields.text("name") ?? "", kind: fields.text("kind") == "line" ? .line : .area)
        all = Counts(fields)
        let counts = fields.list("by-label").map { ($0.text("label") ?? "", Counts($0)) }
        byLabel = Dictionary(counts, uniquingKeysWith: { first, _ in first })
    }

    var isLine: Bool { kind == .line }

    /// The counts as JSON in the format of the element's messages, sorted by label.
    var json: JSONValue {
        let labels = byLabel.sorted { $0.key < $1.key }.map { label, counts in
            JSONValue.object(counts.json(isLine: isLine).merging(["label": .string(label)]) { first, _ in first })
        }
        return .object(
            all.json(isLine: isLine).merging(
                ["name": .string(name), "kind": .string(kind.rawValue), "by-label": .array(labels)]
            ) { first, _ in first })
    }
}

extension ZoneCount.Counts {
    init(_ fields: MessageFields) {
        func figure(_ name: String) -> Int { Int(clamping: fields.count(name) ?? 0) }
        self.init(
            count: figure("count"), entered: figure("entered"), left: figure("left"), in: figure("in"),
            out: figure("out"))
    }

    func json(isLine: Bool) -> [String: JSONValue] {
        let counts = isLine ? [("in", `in`), ("out", out)] : [("count", count), ("entered", entered), ("left", left)]
        return Dictionary(uniqueKeysWithValues: counts.map { ($0, .number(Double($1))) })
    }
}
