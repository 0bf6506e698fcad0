/// The class names of a network, by class index.
///
///     let labels = try Labels.load(file: "coco.txt", manifest: nil, model: "yolov8n.onnx")
///     print(labels?[0]?.text ?? "no name")
package struct Labels: Sendable {
    private let labels: [Label?]

    /// - Parameter names: the names in the order of the network's class indices. An empty name stands for an unused
    ///   index.
    package init(_ names: [String]) {
        labels = names.enumerated().map { $1.isEmpty ? nil : Label(index: $0, text: $1) }
    }

    /// Includes unused indices.
    package var count: Int { labels.count }

    /// `nil` if the index is unused or out of range.
    package subscript(index: Int) -> Label? { labels.indices.contains(index) ? labels[index] : nil }

    /// The labels in the order of their indices, without unused indices.
    package var all: [Label] { labels.compactMap(\.self) }

    /// The class names of the built-in vocabularies, by the names that manifests use.
    static let vocabularies = ["coco80": COCOVocabulary.names, "coco90": COCOVocabulary.namesByPaperIndex]

    package static func vocabulary(_ name: String) -> Labels? { vocabularies[name].map { Labels($0) } }

    /// Loads the class names of a model from the first of these sources that has names: `file`, the manifest, the model
    /// file, a text file in the folder of the model. The text file for `model.onnx` is `model.txt`, `model_labels.txt`
    /// or `labels.txt`. Returns `nil` if no source has names.
    ///
    /// - Throws: ``ODTError`` if a label file that the caller or the manifest specifies is missing or invalid.
    package static func load(
        file: String? = nil, manifest: ModelManifest?, model: String
    ) throws(ODTError) -> Labels? {
        if let file { return try load(file: file) }
        switch manifest?.labels {
        case .list(let names): return Labels(names)
        case .file(let path): return try load(file: path)
        case .vocabulary(let name): return vocabulary(name)
        case nil: break
        }
        if let labels = try embedded(in: model) { return labels }
        return try beside(model)
    }

    private static func beside(_ model: String) throws(ODTError) -> Labels? {
        let stem = ModelManifest.path(besideModel: model).dropLast(".json".utf8.count)
        let folder = stem[..<(stem.lastIndex(of: "/").map(stem.index(after:)) ?? stem.startIndex)]
        for path in [stem + ".txt", stem + "_labels.txt", folder + "labels.txt"]
        where FileBytes.size(String(path)) != nil {
            return try load(file: String(path))
        }
        return nil
    }

    /// Reads a label file. The file has one name per line, lines of the form `index name`, or a TensorFlow label map
    /// with blocks of the form `item { id: 1 name: 'x' }`.
    ///
    /// - Throws: ``ODTError`` if the file is missing or is not a label file.
    package static func load(file path: String) throws(ODTError) -> Labels {
        guard let labels = Labels(parsing: try FileBytes.read(path, limit: 4 << 20)) else {
            throw ODTError(
                .invalidFile,
                "\(path) is not a list of labels; use a text file with one name per line, in the order of the network's classes"
            )
        }
        return labels
    }

    /// Returns `nil` if the bytes are not text or contain no names.
    init?(parsing bytes: [UInt8]) {
        guard !bytes.contains(0) else { return nil }
        let withoutMark = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
        let text = String(decoding: withoutMark, as: UTF8.self)
        guard !Self.isJSONOrDatasetYAML(text), let names = Self.isLabelMap(text) ? Self.blocks(text) : Self.lines(text),
            names.count - 1 <= Self.largestIndex, names.contains(where: { !$0.isEmpty }),
            names.allSatisfy(Self.isName)
        else { return nil }
        self.init(names)
    }

    /// Returns whether a text is valid as a label.
    static func isName(_ text: String) -> Bool { text.utf8.count <= longestName && !text.unicodeScalars.contains("\0") }

    /// In bytes of UTF-8.
    static let longestName = 4096

    private static let largestIndex = 100_000

    private static func lines(_ text: String) -> [String] {
        var lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map(name(from:))
        while lines.last?.isEmpty == true { lines.removeLast() }
        return numbered(lines) ?? lines
    }

    /// Returns the names if every line begins with its class index. Otherwise the numbers
    /// may be part of names such as "1 euro" and "2 euro". Lists without index 0 are therefore accepted only if the names
    /// differ, or if most names of a list without gaps differ.
    private static func numbered(_ lines: [String]) -> [String]? {
        var names: [(index: Int, name: String)] = []
        for line in lines where !line.isEmpty {
            guard let end = line.firstIndex(where: { !$0.isASCII || !$0.isWholeNumber }),
                line[end].isWhitespace || line[end] == ":" || line[end] == ",",
                let index = Int(line[..<end])
            else { return nil }
            names.append((index, name(from: line[line.index(after: end)...])))
        }
        let used = names.map(\.name).filter { !$0.isEmpty && $0.lowercased() != "n/a" }
        let different = Set(used).count
        guard
            names.contains(where: { $0.index == 0 }) || different == used.count
                || (2 * different > used.count && names.map(\.index) == Array(1...names.count))
        else { return nil }
        return placed(names)
    }

    /// Returns whether a text is JSON, or a YAML file of a data set with the entry `names`. A list of names may begin with
    /// a name such as "[background]".
    private static func isJSONOrDatasetYAML(_ text: String) -> Bool {
        let line = text.drop(while: \.isWhitespace).prefix { !$0.isNewline }
        let isName =
            line.contains(where: \.isLetter) && line.contains { "]}".contains($0) }
            && !line.contains { ",:\"'".contains($0) }
        return (line.hasPrefix("{") || line.hasPrefix("[")) && !isName
            || text.split(whereSeparator: \.isNewline).contains { $0.hasPrefix("names:") }
    }

    private static func isLabelMap(_ text: String) -> Bool {
        text.contains("item") && text.contains("{") && text.contains("id:")
    }

    /// Parses a TensorFlow label map. Returns `nil` if the text is not a label map.
    private static func blocks(_ text: String) -> [String]? {
        var names: [(index: Int, name: String)] = []
        for block in text.split(separator: "{").dropFirst() {
            var (index, name, displayName): (Int?, String?, String?) = (nil, nil, nil)
            var rest = block.prefix { $0 != "}" }
            while let colon = rest.firstIndex(of: ":") {
                let key = rest[..<colon].split { !$0.isLetter && $0 != "_" }.last
                let (value, end) = value(in: rest[rest.index(after: colon)...])
                switch key {
                case "id": index = Int(value)
                case "name": name = Self.name(from: value)
                case "display_name": displayName = Self.name(from: value)
                default: break
                }
                rest = end
            }
            guard let index, index >= 0, let text = displayName ?? name else { return nil }
            names.append((index, text))
        }
        return placed(names)
    }

    /// Returns an array with each name at its index. Returns `nil` if an index occurs twice or is too large.
    static func placed(_ names: [(index: Int, name: String)]) -> [String]? {
        guard let last = names.map(\.index).max(), last <= largestIndex,
            Set(names.map(\.index)).count == names.count
        else { return nil }
        var placed = [String](repeating: "", count: last + 1)
        for (index, name) in names { placed[index] = name }
        return placed
    }

    /// Returns the value with which a text begins, without quotes, and the rest of the text.
    private static func value(in text: Substring) -> (value: Substring, rest: Substring) {
        let text = text.drop(while: \.isWhitespace)
        if let quote = text.first, quote == "'" || quote == "\"", let end = text.dropFirst().firstIndex(of: quote) {
            return (text[..<end].dropFirst(), text[end...].dropFirst())
        }
        let value = text.prefix { !$0.isWhitespace && $0 != "," }
        return (value, text[value.endIndex...])
    }

    /// Removes surrounding white space and control characters. `???` stands for an unused index and becomes an empty
    /// name.
    static func name(from text: some StringProtocol) -> String {
        let visible = text.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F || $0 == "\t" }
        var name = Substring(String(String.UnicodeScalarView(visible)))
        while name.first?.isWhitespace == true { name.removeFirst() }
        while name.last?.isWhitespace == true { name.removeLast() }
        return name == "???" ? "" : String(name)
    }
}

/// The object classes of COCO. Most detection networks are trained with these classes.
package enum COCOVocabulary {
    package static let names = namesByPaperIndex.filter { !$0.isEmpty }

    /// The names for networks with 90 class outputs. The index is COCO's category id minus 1. Unused ids have empty
    /// names.
    static let namesByPaperIndex = [
        "person", "bicycle", "car", "motorcycle", "airplane", "bus", "train", "truck", "boat", "traffic light",
        "fire hydrant", "", "stop sign", "parking meter", "bench", "bird", "cat", "dog", "horse", "sheep",
        "cow", "elephant", "bear", "zebra", "giraffe", "", "backpack", "umbrella", "", "",
        "handbag", "tie", "suitcase", "frisbee", "skis", "snowboard", "sports ball", "kite", "baseball bat",
        "baseball glove",
        "skateboard", "surfboard", "tennis racket", "bottle", "", "wine glass", "cup", "fork", "knife", "spoon",
        "bowl", "banana", "apple", "sandwich", "orange", "broccoli", "carrot", "hot dog", "pizza", "donut",
        "cake", "chair", "couch", "potted plant", "bed", "", "dining table", "", "", "toilet",
        "", "tv", "laptop", "mouse", "remote", "keyboard", "cell phone", "microwave", "oven", "toaster",
        "sink", "refrigerator", "", "book", "clock", "vase", "scissors", "teddy bear", "hair drier", "toothbrush",
    ]
}

/// Named groups of COCO's labels. A list of labels can contain the name of a group, for example `@street`.
package enum LabelGroups {
    /// The first character of a group name in a list of labels.
    package static let mark: Character = "@"

    /// The built-in groups: group names without ``mark``, and lower-case labels.
    package static let standard: [String: Set<String>] = [
        "people": ["person"],
        "street": ["person", "bicycle", "car", "motorcycle", "bus", "train", "truck", "traffic light", "stop sign"],
        "animals": ["bird", "cat", "dog", "horse", "sheep", "cow", "elephant", "bear", "zebra", "giraffe"],
        "home": [
            "chair", "couch", "potted plant", "bed", "dining table", "toilet", "tv", "laptop", "mouse", "remote",
            "keyboard", "cell phone", "microwave", "oven", "toaster", "sink", "refrigerator", "book", "clock", "vase",
            "scissors", "teddy bear", "hair drier", "toothbrush", "bottle", "wine glass", "cup", "fork", "knife",
            "spoon", "bowl", "cat", "dog",
        ],
    ]

    /// Returns the built-in groups and a model's own groups. A built-in group has precedence over a group of the same
    /// name.
    package static func withStandard(_ own: [String: Set<String>]) -> [String: Set<String>] {
        standard.merging(own) { standard, _ in standard }
    }

    /// Replaces the name of each group by the labels of the group. Names that are not in `groups` stay unchanged.
    package static func expand(_ labels: Set<String>, groups: [String: Set<String>] = standard) -> Set<String> {
        guard labels.contains(where: { $0.first == mark }) else { return labels }
        return labels.reduce(into: []) { all, label in
            guard label.first == mark, let group = groups[String(label.dropFirst())] else {
                return _ = all.insert(label)
            }
            all.formUnion(group)
        }
    }
}
