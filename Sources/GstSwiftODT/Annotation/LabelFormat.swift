/// The pattern of a label's text, for example `{label} {confidence} #{id}`.
///
/// If a value is absent, the text that belongs to the value is omitted, too. This is text attached to the value (`#`),
/// words before it (`id: `), brackets around it, and the blank or punctuation between it and its neighbour. The pattern
/// above yields `person 87% #3`, `person` or `#3`, but never `person  #`. Text that belongs to no value is never
/// omitted.
struct LabelFormat: Sendable {
    enum Placeholder: String, CaseIterable, Sendable {
        case label, category, confidence, score, id
    }

    /// A value or a bracket, together with the text that belongs to it. The parts of a pattern form a flat list, in
    /// which each bracket is an element. The list is processed without recursion, so nested brackets cannot overflow
    /// the stack.
    private struct Part: Sendable {
        enum Content: Sendable {
            case value(Placeholder)
            case opening(Character)
            case closing(Character)
        }

        /// The text between the previous part and this part. It is written only if both are present.
        var separator = ""
        var prefix = ""
        let content: Content
        var suffix = ""
    }

    private var parts: [Part] = []
    /// The text of a pattern that has no placeholders.
    private let constant: String

    init(_ pattern: String) {
        constant = pattern
        var text = ""
        for piece in LabelFormat.pieces(of: pattern) {
            switch piece {
            case .text(let character): text.append(character)
            case .part(let content):
                append(content, after: text)
                text = ""
            }
        }
        // The text after the last value belongs to that value.
        if !parts.isEmpty { parts[parts.count - 1].suffix += text }
    }

    /// Returns the words in braces that are not placeholders. The pattern treats them as plain text.
    static func unknownWords(in pattern: String) -> [String] {
        pattern.split(separator: "{", omittingEmptySubsequences: false).dropFirst()
            .compactMap { $0.firstIndex(of: "}").map($0.prefix(upTo:)) }
            .filter { !$0.isEmpty && $0.allSatisfy { $0.isLetter || $0 == "-" || $0 == "_" } }
            .map(String.init).filter { Placeholder(rawValue: $0) == nil }
    }

    func contains(_ placeholder: Placeholder) -> Bool {
        parts.contains { if case .value(placeholder) = $0.content { true } else { false } }
    }

    /// Returns the text for the given values. It is empty if the pattern has placeholders and all of their values are
    /// absent.
    func text(_ value: (Placeholder) -> String?) -> String {
        if parts.isEmpty { return constant }
        var text = ""
        var separator = ""
        /// Whether the next value is the first one inside the innermost open bracket or, outside of brackets, the first
        /// one of the text. The first value has no separator.
        var isFirst = true
        /// The opening brackets that have not been written yet. They are written before the next value that is present.
        /// If brackets are closed before that, they contain no value and are omitted.
        var waiting: [(separator: String, text: String, isFirst: Bool)] = []
        for part in parts {
            if !part.separator.isEmpty { separator = part.separator }
            switch part.content {
            case .opening(let bracket):
                waiting.append((separator, part.prefix + String(bracket), isFirst))
                (separator, isFirst) = ("", true)
            case .closing(let bracket):
                if let empty = waiting.popLast() {
                    (separator, isFirst) = (empty.separator, empty.isFirst)
                } else {
                    text += String(bracket) + part.suffix
                    separator = ""
                }
            case .value(let placeholder):
                guard let content = value(placeholder), !content.isEmpty else { continue }
                for bracket in waiting { text += (bracket.isFirst ? "" : bracket.separator) + bracket.text }
                waiting.removeAll()
                text += (isFirst ? "" : separator) + part.prefix + content + part.suffix
                (separator, isFirst) = ("", false)
            }
        }
        return text
    }
}

// MARK: - Parsing

extension LabelFormat {
    private enum Piece {
        case text(Character)
        case part(Part.Content)
    }

    private static let separators: Set<Character> = [" ", "\t", "\n", ",", ";", ":", "|", "/", "-", "–", "—", "·", "•"]
    private static let brackets: [Character: Character] = ["(": ")", "[": "]", "<": ">"]

    /// Splits a pattern into values, brackets and characters of plain text. A pair of brackets without a value between
    /// them is plain text.
    private static func pieces(of pattern: String) -> [Piece] {
        var pieces: [Piece] = []
        var values = 0
        /// The open brackets. `place` is the index of the opening bracket, and `values` is the number of values before
        /// it.
        var open: [(place: Int, closing: Character, values: Int)] = []
        var rest = pattern[...]
        while let next = rest.first {
            if let placeholder = Placeholder.allCases.first(where: { rest.hasPrefix("{\($0.rawValue)}") }) {
                pieces.append(.part(.value(placeholder)))
                values += 1
                rest = rest.dropFirst(placeholder.rawValue.count + 2)
                continue
            }
            rest.removeFirst()
            if let closing = brackets[next] {
                open.append((pieces.count, closing, values))
            } else if let match = open.lastIndex(where: { $0.closing == next }) {
                let (place, _, before) = open[match]
                // The brackets that were opened after the matching bracket can no longer be closed, so they are plain
                // text.
                open.removeSubrange(match...)
                if values > before {
                    if case .text(let bracket) = pieces[place] { pieces[place] = .part(.opening(bracket)) }
                    pieces.append(.part(.closing(next)))
                    continue
                }
            }
            pieces.append(.text(next))
        }
        return pieces
    }

    /// Adds a part. `text` is the text before it, which is divided between the new part and the previous one.
    private mutating func append(_ content: Part.Content, after text: String) {
        var part = Part(content: content)
        defer { parts.append(part) }
        guard let last = parts.indices.last else { return part.prefix = text.trimmingPrefix(\.isWhitespace) }
        if case .opening = parts[last].content { return part.prefix = text.trimmingPrefix(\.isWhitespace) }
        if case .closing = content { return parts[last].suffix += text }
        var rest = text[...]
        // A word attached to the previous part belongs to the previous part, unless the word is also attached to this
        // part.
        let word = rest.prefix { !Self.separators.contains($0) }
        if word.count < rest.count {
            parts[last].suffix += word
            rest = rest.dropFirst(word.count)
        }
        let separator = rest.prefix { Self.separators.contains($0) }
        part.separator = String(separator)
        part.prefix = String(rest.dropFirst(separator.count))
    }
}

extension String {
    fileprivate func trimmingPrefix(_ drop: (Character) -> Bool) -> String { String(self.drop(while: drop)) }
}
