import SwiftODT

/// What was found out about one part of an installation.
struct Finding {
    enum Verdict: String {
        case fine
        /// It works, but for something.
        case limited
        case missing
    }

    /// A word for the part.
    let part: String
    let verdict: Verdict
    let detail: String
    /// What to do about it.
    let remedy: String?

    static func fine(_ part: String, _ detail: String) -> Finding {
        Finding(part: part, verdict: .fine, detail: detail, remedy: nil)
    }

    static func limited(_ part: String, _ detail: String, remedy: String) -> Finding {
        Finding(part: part, verdict: .limited, detail: detail, remedy: remedy)
    }

    static func missing(_ part: String, _ detail: String, remedy: String) -> Finding {
        Finding(part: part, verdict: .missing, detail: detail, remedy: remedy)
    }

    var text: String {
        let line = padded(verdict.rawValue, to: 9) + padded(part, to: 11) + detail
        return remedy.map { line + "\n" + padded("", to: 20) + $0 } ?? line
    }

    var json: JSONValue {
        .object([
            "part": .string(part), "verdict": .string(verdict.rawValue), "detail": .string(detail),
            "remedy": remedy.map(JSONValue.string) ?? .null,
        ])
    }
}
