import SwiftODT

/// The result of examining one part of the installation.
struct Finding {
    enum Verdict: String {
        case fine
        /// The part works, but with restrictions.
        case limited
        case missing
    }

    /// The name of the examined part.
    let part: String
    let verdict: Verdict
    let detail: String
    /// The action that solves the problem; `nil` if there is no problem.
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
