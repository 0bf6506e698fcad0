extension Labels {
    /// Reads the class names that a model file contains. A .tflite file has the names in a zip archive at its end, an
    /// .onnx file has them in its metadata, and an .xml file has them in a section that the exporter wrote. Returns
    /// `nil` if the file has no readable names.
    static func embedded(in model: String) throws(ODTError) -> Labels? {
        switch ModelFormat(file: model) {
        case .tflite: ZipArchive(try end(of: model, atMost: 8 << 20)).flatMap(Labels.init(archive:))
        case .onnx: try ONNXProperties.read(model)["names"].flatMap(Labels.init(namesText:))
        case .xml: Labels(notes: try end(of: model, atMost: 1 << 20))
        case .pb, .pdmodel, nil: nil
        }
    }

    fileprivate static func end(of path: String, atMost limit: Int) throws(ODTError) -> [UInt8] {
        try FileBytes.withDescriptor(path) { (file, size) throws(ODTError) in
            let start = max(0, size - limit)
            return try FileBytes.read(file, from: start, count: size - start, path: path)
        }
    }

    /// Chooses one of the label lists of an archive. Lists of names are preferred to lists of machine identifiers such
    /// as `/m/01g317`, and English lists to lists in other languages.
    init?(archive: ZipArchive) {
        func entries(_ ending: String) -> [ZipArchive.Entry] {
            archive.entries.filter { $0.name.lowercased().hasSuffix(ending) }
        }
        // Older exporters of YOLO write `temp_meta.txt`, later ones `metadata.json`.
        let texts = entries(".txt").isEmpty ? entries("metadata.json") : entries(".txt")
        let named = texts.filter { $0.name.lowercased().contains("label") }
        let lists = (named.isEmpty && texts.count == 1 ? texts : named).prefix(Self.maximumLists).compactMap { entry in
            archive.contents(entry).flatMap(Labels.init(listOrMetadata:)).map { (entry.name.lowercased(), $0) }
        }
        let readable = lists.filter { !$1.all.contains { $0.text.hasPrefix("/m/") || $0.text.hasPrefix("/g/") } }
        let english = readable.first { name, _ in
            ["-en.", "_en.", "-en-", "_en-", "_en_"].contains { name.contains($0) }
        }
        let plain = (readable.isEmpty ? lists : readable).min { $0.0.utf8.count < $1.0.utf8.count }
        guard let list = english ?? plain else { return nil }
        self = list.1
    }

    /// YOLO's exporters write a JSON object or a Python dictionary with the entry `names` instead of a list.
    private init?(listOrMetadata text: [UInt8]) {
        let labels: Labels?
        if text.first != UInt8(ascii: "{") {
            labels = Labels(parsing: text)
        } else if let metadata = try? JSONValue(parsing: text) {
            labels = metadata["names"].flatMap(Labels.init(names:))
        } else {
            let metadata = String(decoding: text, as: UTF8.self)
            labels = metadata.firstRange(of: "'names':").flatMap {
                Labels(dictionaryText: String(metadata[$0.upperBound...].prefix { $0 != "}" }))
            }
        }
        guard let labels else { return nil }
        self = labels
    }

    /// Reads the names of the classes as JSON: an array, or an object whose keys are the class indices.
    private init?(names: JSONValue) {
        let entries: [(index: Int?, name: JSONValue)]
        switch names {
        case .array(let names): entries = names.enumerated().map { ($0.offset, $0.element) }
        case .object(let members): entries = members.map { (Int($0.key), $0.value) }
        default: return nil
        }
        let named = entries.compactMap { entry -> (index: Int, name: String)? in
            guard let index = entry.index, index >= 0, let name = entry.name.string else { return nil }
            return (index, Self.name(from: name))
        }
        guard named.count == entries.count, let placed = Self.placed(named) else { return nil }
        self.init(placed)
    }

    /// Parses the names of the classes that exporters write into .onnx files, as JSON or as Python text.
    init?(namesText text: String) {
        let json = (try? JSONValue(parsing: text.utf8)).flatMap(Labels.init(names:))
        guard let labels = json ?? Labels(dictionaryText: text) ?? Labels(listText: text) else { return nil }
        self = labels
    }

    /// Parses the text of a Python list, for example `['person', "bull's eye"]`.
    private init?(listText text: String) {
        var rest = Substring(text).drop { $0 != "[" }.dropFirst()
        var names: [String] = []
        while let quote = rest.first(where: { $0 != " " && $0 != "," }), quote == "'" || quote == "\"" {
            rest = rest.drop { $0 != quote }.dropFirst()
            names.append(Self.name(from: Self.quotedText(&rest, until: quote)))
        }
        guard !names.isEmpty, rest.first(where: { $0 != " " }) == "]" else { return nil }
        self.init(names)
    }

    /// Removes and returns the text up to a quotation mark. A backslash escapes the next character.
    private static func quotedText(_ rest: inout Substring, until quote: Character) -> String {
        var text = ""
        while let character = rest.popFirst(), character != quote {
            text.append(character == "\\" ? rest.popFirst() ?? character : character)
        }
        return text
    }

    /// The maximum number of lists that are read. Bounds the work for a small archive that unpacks to many long lists.
    private static var maximumLists: Int { 32 }

    /// Parses the dictionary text that YOLO's exporter writes into .onnx files, for example `{0: 'person', 1: "bull's
    /// eye"}`.
    init?(dictionaryText text: String) {
        var names: [(index: Int, name: String)] = []
        var rest = Substring(text).drop { $0 != "{" }.dropFirst()
        while let digit = rest.firstIndex(where: { $0.isASCII && $0.isWholeNumber }) {
            rest = rest[digit...]
            let number = rest.prefix { $0.isASCII && $0.isWholeNumber }
            rest = rest.dropFirst(number.count).drop { $0 == " " }
            guard let index = Int(number), rest.popFirst() == ":" else { return nil }
            rest = rest.drop { $0 == " " }
            guard let quote = rest.popFirst(), quote == "'" || quote == "\"" else { return nil }
            names.append((index, Self.name(from: Self.quotedText(&rest, until: quote))))
        }
        guard let placed = Self.placed(names) else { return nil }
        self.init(placed)
    }

    /// Reads the labels that exporters write into .xml files: `labels` is a list such as `person traffic_light`, in which
    /// an underscore stands for a space. `names` is from an .onnx file that OpenVINO converted.
    init?(notes text: [UInt8]) {
        let values = ExportMetadata.values(xml: text)
        let names = (values["labels"] ?? "").split(separator: " ").map { Self.name(from: $0.replacing("_", with: " ")) }
        if names.isEmpty {
            self.init(namesText: values["names"] ?? "")
        } else {
            self.init(names)
        }
    }
}

/// The metadata that the exporter of a model writes into the file or beside it.
enum ExportMetadata {
    /// Returns the entries by name. Returns no entries for formats without metadata.
    static func read(_ model: String) throws(ODTError) -> [String: String] {
        switch ModelFormat(file: model) {
        case .onnx: return try ONNXProperties.read(model)
        case .xml:
            let values = Self.values(xml: try Labels.end(of: model, atMost: 1 << 20))
            // The exporter of Ultralytics writes only some of the entries into the file.
            guard values["model_type"]?.hasPrefix("YOLO") == true,
                let text = try? FileBytes.read(FilePath.folder(of: model) + "/metadata.yaml", limit: 1 << 20)
            else { return values }
            return values.merging(Self.values(yaml: String(decoding: text, as: UTF8.self))) { inFile, _ in inFile }
        case .tflite:
            let archive = ZipArchive(try Labels.end(of: model, atMost: 8 << 20))
            let text = archive?.entries.first { entry in
                ["metadata.json", "temp_meta.txt"].contains { entry.name.lowercased().hasSuffix($0) }
            }.flatMap { archive?.contents($0) }
            guard let text else { return [:] }
            guard case .object(let members)? = try? JSONValue(parsing: text) else { return values(python: text) }
            return members.compactMapValues(\.string)
        case .pb, .pdmodel, nil: return [:]
        }
    }

    /// Returns the values of elements such as `<task value="detect" />`.
    static func values(xml text: [UInt8]) -> [String: String] {
        var values: [String: String] = [:]
        for element in text.split(separator: UInt8(ascii: "<")) {
            let parts = element.split(separator: UInt8(ascii: "\""), maxSplits: 2, omittingEmptySubsequences: false)
            guard parts.count == 3, parts[0].suffix(7).elementsEqual(" value=".utf8) else { continue }
            var value = String(decoding: parts[1], as: UTF8.self)
            for (entity, character) in XMLEntities.all { value.replace(entity, with: character) }
            // Other tools append entries of the same name to those of the exporter.
            let name = String(decoding: parts[0].dropLast(7), as: UTF8.self)
            values[name] = values[name] ?? value
        }
        return values
    }

    /// Returns the entries of a Python dictionary that are used here.
    private static func values(python text: [UInt8]) -> [String: String] {
        let text = String(decoding: text, as: UTF8.self)
        var values: [String: String] = [:]
        for name in ["task", "description"] {
            guard let start = text.firstRange(of: "'\(name)': '") else { continue }
            values[name] = String(text[start.upperBound...].prefix { $0 != "'" })
        }
        return values
    }

    /// Returns the entries of the outermost level that have their value in the same line.
    private static func values(yaml text: String) -> [String: String] {
        var values: [String: String] = [:]
        for line in text.split(whereSeparator: \.isNewline) where line.first?.isWhitespace == false {
            let parts = line.split(separator: ":", maxSplits: 1)
            if parts.count == 2 { values[String(parts[0])] = Labels.name(from: parts[1]) }
        }
        return values
    }
}

/// The predefined entities of XML, and the numeric entity of the apostrophe.
package enum XMLEntities {
    /// The entities and their characters. The ampersand is last, because `&amp;lt;` stands for `&lt;`.
    package static let all: [(String, String)] = [
        ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&#39;", "'"), ("&amp;", "&"),
    ]
}

/// The metadata properties of an .onnx file, by name.
struct ONNXProperties {
    /// Reads the properties without reading the weights. A malformed field ends the search without an error, because
    /// loading the damaged file later fails with a better message of the runtime.
    static func read(_ path: String) throws(ODTError) -> [String: String] {
        try FileBytes.withDescriptor(path) { (file, size) throws(ODTError) in
            var properties: [String: String] = [:]
            var position = 0
            for _ in 0..<maximumFields where position < size {
                let head = try FileBytes.read(file, from: position, count: min(20, size - position), path: path)
                var fields = ProtobufFields(head[...])
                guard let tag = fields.varint() else { break }
                guard tag & 7 == 2 else {
                    guard fields.skip(wireType: tag & 7) else { break }
                    position += fields.position
                    continue
                }
                guard let length = fields.varint(), length <= UInt64(size - position - fields.position) else { break }
                position += fields.position
                if tag >> 3 == propertyField, length <= largestProperty {
                    let entry = try FileBytes.read(file, from: position, count: Int(length), path: path)
                    // The entry is a `StringStringEntryProto`.
                    let entryFields = ProtobufFields.all(of: entry[...])
                    if let key = entryFields?.text(1), let value = entryFields?.text(2) { properties[key] = value }
                }
                position += Int(length)
            }
            return properties
        }
    }

    private static let maximumFields = 10_000
    private static let propertyField: UInt64 = 14
    private static let largestProperty: UInt64 = 1 << 20
}
