extension Labels {
    /// Reads a list of names: one a line, or `index name` lines, or the `item { id: 1 name: 'x' }` blocks of a TensorFlow
    /// label map.
    ///
    /// - Throws: ``ODTError`` where the file is missing or is not such a list.
    public static func load(file path: String) throws -> Labels {
        guard let labels = Labels(parsing: try FileBytes.read(path, limit: 4 << 20)) else {
            throw ODTError(
                .invalidFile,
                "\(path) is not a list of labels; it should be a text with one name a line, in the order of the network's classes"
            )
        }
        return labels
    }

    /// Understands the text of a label file; `nil` where it is not a text or has no names.
    init?(parsing bytes: [UInt8]) {
        guard !bytes.contains(0) else { return nil }
        let withoutMark = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
        let text = String(decoding: withoutMark, as: UTF8.self)
        let names = Self.blocks(text) ?? Self.lines(text)
        guard names.count - 1 <= Self.largestIndex, names.contains(where: { !$0.isEmpty }) else { return nil }
        self.init(names)
    }

    /// Indices beyond this are taken for a mistake, not for a vocabulary.
    private static let largestIndex = 100_000

    private static func lines(_ text: String) -> [String] {
        var lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map(name(from:))
        while lines.last?.isEmpty == true { lines.removeLast() }
        return numbered(lines) ?? lines
    }

    /// Names whose every line says its index first; `nil` where that is not so.
    private static func numbered(_ lines: [String]) -> [String]? {
        var names: [(index: Int, name: String)] = []
        for line in lines where !line.isEmpty {
            guard let end = line.firstIndex(where: { !$0.isASCII || !$0.isWholeNumber }),
                line[end].isWhitespace || line[end] == ":" || line[end] == ",",
                let index = Int(line[..<end])
            else { return nil }
            names.append((index, name(from: line[line.index(after: end)...])))
        }
        return placed(names)
    }

    /// A TensorFlow label map; `nil` where the text is none.
    private static func blocks(_ text: String) -> [String]? {
        guard text.contains("item"), text.contains("{"), text.contains("id:") else { return nil }
        var names: [(index: Int, name: String)] = []
        for block in text.split(separator: "{").dropFirst() {
            var (index, name, displayName): (Int?, String?, String?) = (nil, nil, nil)
            for line in block.prefix(while: { $0 != "}" }).split(whereSeparator: { $0.isNewline }) {
                guard let colon = line.firstIndex(of: ":") else { continue }
                let value = Self.name(from: line[line.index(after: colon)...])
                switch Self.name(from: line[..<colon]) {
                case "id": index = Int(value)
                case "name": name = unquoted(value)
                case "display_name": displayName = unquoted(value)
                default: break
                }
            }
            guard let index, index >= 0, let text = displayName ?? name else { return nil }
            names.append((index, text))
        }
        return placed(names)
    }

    /// The names at their indices; `nil` where two claim the same, or one claims an index that is no vocabulary's.
    static func placed(_ names: [(index: Int, name: String)]) -> [String]? {
        guard let last = names.map(\.index).max(), last <= largestIndex,
            Set(names.map(\.index)).count == names.count
        else { return nil }
        var placed = [String](repeating: "", count: last + 1)
        for (index, name) in names { placed[index] = name }
        return placed
    }

    private static func unquoted(_ text: String) -> String {
        guard let quote = text.first, quote == "'" || quote == "\"", text.count >= 2, text.last == quote else {
            return text
        }
        return String(text.dropFirst().dropLast())
    }

    /// Without space around it and without control characters, which no label shows. `???` marks an index that means nothing.
    static func name(from text: some StringProtocol) -> String {
        let visible = text.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F || $0 == "\t" }
        var name = Substring(String(String.UnicodeScalarView(visible)))
        while name.first?.isWhitespace == true { name.removeFirst() }
        while name.last?.isWhitespace == true { name.removeLast() }
        return name == "???" ? "" : String(name)
    }
}
