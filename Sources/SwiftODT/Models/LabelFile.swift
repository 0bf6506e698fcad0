extension Labels {
    /// Reads a label file: one name per line, lines of the form `index name`, or a TensorFlow label map with
    /// `item { id: 1 name: 'x' }` blocks.
    ///
    /// - Throws: ``ODTError`` if the file is missing or is not a label file.
    public static func load(file path: String) throws -> Labels {
        guard let labels = Labels(parsing: try FileBytes.read(path, limit: 4 << 20)) else {
            throw ODTError(
                .invalidFile,
                "\(path) is not a list of labels; use a text file with one name per line, in the order of the network's classes"
            )
        }
        return labels
    }

    /// Parses the text of a label file. Returns `nil` if it is not text or contains no names.
    init?(parsing bytes: [UInt8]) {
        guard !bytes.contains(0) else { return nil }
        let withoutMark = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
        let text = String(decoding: withoutMark, as: UTF8.self)
        let names = Self.blocks(text) ?? Self.lines(text)
        guard names.count - 1 <= Self.largestIndex, names.contains(where: { !$0.isEmpty }) else { return nil }
        self.init(names)
    }

    /// Larger indices are treated as errors.
    private static let largestIndex = 100_000

    private static func lines(_ text: String) -> [String] {
        var lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map(name(from:))
        while lines.last?.isEmpty == true { lines.removeLast() }
        return numbered(lines) ?? lines
    }

    /// Returns the names if every line begins with its index, otherwise `nil`.
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

    /// Parses a TensorFlow label map. Returns `nil` if the text is not one.
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

    /// Returns an array with each name at its index, or `nil` if an index is duplicated or too large.
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

    /// Removes surrounding white space and all control characters. `???`, which marks an unused index, becomes an empty
    /// name.
    static func name(from text: some StringProtocol) -> String {
        let visible = text.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F || $0 == "\t" }
        var name = Substring(String(String.UnicodeScalarView(visible)))
        while name.first?.isWhitespace == true { name.removeFirst() }
        while name.last?.isWhitespace == true { name.removeLast() }
        return name == "???" ? "" : String(name)
    }
}
