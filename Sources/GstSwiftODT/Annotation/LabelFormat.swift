/// The pattern of a label's text, such as `{label} {confidence} #{id}`.
///
/// A value that is absent takes what belongs to it away: the text written on to it (`#`), words that lead up to it
/// (`id: `), the brackets around it, and the blank or mark between it and its neighbour. So the pattern above gives
/// `person 87% #3`, `person`, or `#3`, never `person  #`. Text that belongs to no value is always there.
struct LabelFormat: Sendable {
    enum Placeholder: String, CaseIterable, Sendable {
        case label, category, confidence, score, id
    }

    /// What a pattern is made of: a value or a bracketed group of them, with the text that lives and dies with it.
    fileprivate struct Item: Sendable {
        enum Content: Sendable {
            case value(Placeholder)
            case group([Item])
        }

        /// Stands between this item and the one before, if both are there.
        var separator: String
        var prefix: String
        var content: Content
        var suffix = ""
    }

    private let items: [Item]
    /// The whole text, in a pattern without placeholders.
    private let constant: String

    init(_ pattern: String) {
        var parser = LabelFormatParser(pattern)
        (items, constant) = parser.parse(upTo: nil)
    }

    /// The words in braces that stand for no value: plain text.
    static func unknownWords(in pattern: String) -> [String] {
        pattern.split(separator: "{", omittingEmptySubsequences: false).dropFirst()
            .compactMap { $0.firstIndex(of: "}").map($0.prefix(upTo:)) }
            .filter { !$0.isEmpty && $0.allSatisfy { $0.isLetter || $0 == "-" || $0 == "_" } }
            .map(String.init).filter { Placeholder(rawValue: $0) == nil }
    }

    func contains(_ placeholder: Placeholder) -> Bool {
        LabelFormat.contains(placeholder, in: items)
    }

    private static func contains(_ placeholder: Placeholder, in items: [Item]) -> Bool {
        items.contains { item in
            switch item.content {
            case .value(let other): other == placeholder
            case .group(let inner): contains(placeholder, in: inner)
            }
        }
    }

    /// The text for the given values; empty where none of them is there.
    func text(_ value: (Placeholder) -> String?) -> String {
        items.isEmpty ? constant : LabelFormat.text(items, value)
    }

    private static func text(_ items: [Item], _ value: (Placeholder) -> String?) -> String {
        var text = ""
        var separator = ""
        for item in items {
            if !item.separator.isEmpty { separator = item.separator }
            let content =
                switch item.content {
                case .value(let placeholder): value(placeholder) ?? ""
                case .group(let inner): LabelFormat.text(inner, value)
                }
            guard !content.isEmpty else { continue }
            if !text.isEmpty { text += separator }
            text += item.prefix + content + item.suffix
            separator = ""
        }
        return text
    }
}

/// Takes a pattern apart, once.
private struct LabelFormatParser {
    private var rest: Substring

    init(_ pattern: String) {
        rest = pattern[...]
    }

    private static let separators: Set<Character> = [" ", "\t", "\n", ",", ";", ":", "|", "/", "-", "–", "—", "·", "•"]
    private static let brackets: [Character: Character] = ["(": ")", "[": "]", "<": ">"]

    /// Takes the items up to a closing bracket or the end; where there are none, the text alone.
    mutating func parse(upTo closing: Character?) -> (items: [LabelFormat.Item], text: String) {
        var items: [LabelFormat.Item] = []
        var separator = ""
        var text = ""

        func add(_ content: LabelFormat.Item.Content) {
            // A mark before the very first item separates nothing: it is the item's own.
            let own = items.isEmpty ? separator.trimmingPrefix { $0.isWhitespace } : ""
            items.append(.init(separator: items.isEmpty ? "" : separator, prefix: own + text, content: content))
            (separator, text) = ("", "")
        }

        while let next = rest.first, next != closing {
            if let placeholder = takePlaceholder() {
                add(.value(placeholder))
            } else if let end = LabelFormatParser.brackets[next], encloses(end) {
                rest.removeFirst()
                let inner = parse(upTo: end)
                rest.removeFirst()
                if inner.items.isEmpty {
                    text += "\(next)\(inner.text)\(end)"
                } else {
                    text.append(next)
                    add(.group(inner.items))
                    items[items.count - 1].suffix = String(end)
                }
            } else if LabelFormatParser.separators.contains(next) {
                if text.isEmpty { separator.append(next) } else { text.append(next) }
                rest.removeFirst()
            } else if text.isEmpty, separator.isEmpty, !items.isEmpty, let word = takeTrailingWord(closing) {
                items[items.count - 1].suffix += word
            } else {
                text.append(next)
                rest.removeFirst()
            }
        }
        if items.isEmpty { return ([], separator + text) }
        // What follows the last item belongs to it.
        items[items.count - 1].suffix += separator + text
        return (items, "")
    }

    private mutating func takePlaceholder() -> LabelFormat.Placeholder? {
        for placeholder in LabelFormat.Placeholder.allCases where rest.hasPrefix("{\(placeholder.rawValue)}") {
            rest = rest.dropFirst(placeholder.rawValue.count + 2)
            return placeholder
        }
        return nil
    }

    /// Whether the bracket that stands next is closed further on.
    private func encloses(_ closing: Character) -> Bool {
        rest.dropFirst().contains(closing)
    }

    /// The text written on to the item before, if a separator or the end comes after it rather than another item.
    private mutating func takeTrailingWord(_ closing: Character?) -> String? {
        let word = rest.prefix { $0 != "{" && $0 != closing && !LabelFormatParser.separators.contains($0) }
        let after = rest.dropFirst(word.count).first
        guard after != "{", !word.contains(where: { LabelFormatParser.brackets[$0] != nil }) else { return nil }
        rest = rest.dropFirst(word.count)
        return String(word)
    }
}

extension String {
    fileprivate func trimmingPrefix(while drop: (Character) -> Bool) -> String {
        String(self.drop(while: drop))
    }
}
