extension ModelManifest {
    /// Parses a manifest. Unknown members are ignored, but a member with almost the name of a known one is an error. So
    /// is a known member with a value of another type.
    ///
    /// - Parameter file: the path of the manifest, for error messages and relative paths.
    package init(parsing text: some Collection<UInt8>, file: String) throws {
        let root: JSONValue
        do {
            root = try JSONValue(parsing: text)
        } catch {
            throw ODTError(.invalidFile, "\(file) is not a model manifest: \(error)")
        }
        let fields = try ManifestFields(root, file: file, path: "")
        try fields.refuseMisspelled([
            "name", "task", "family", "labels", "licence", "source", "files", "classes", "background", "logits",
            "score-threshold", "groups", "quantisation", "strides", "known-answers", "input", "anchors",
        ])
        guard let name = try fields.string("name"), !name.isEmpty else {
            throw ODTError(.invalidFile, "\(file) is not a model manifest: it has no \"name\"")
        }
        self.init(name: name)
        task = try fields.choice("task", from: Task.allCases.map { ($0.rawValue, $0) })
        family = try fields.string("family")
        labels = try fields.labels("labels")
        licence = try fields.string("licence")
        source = try fields.string("source")
        files = try fields.files("files")
        classes = try fields.integer("classes", in: 1...100_000)
        hasBackground = try fields.bool("background")
        scoreThreshold = try fields.number("score-threshold", in: 0...1)
        scoresAreLogits = try fields.bool("logits")
        labelGroups = try fields.groups("groups")
        quantisation = try fields.scales("quantisation")
        strides = try fields.numbers("strides", count: 1...16, in: 1...4096)?.map { Int($0) }
        knownAnswers = try fields.objects("known-answers").map(KnownAnswer.init)
        if let input = try fields.object("input") { self.input = try Input(input) }
        if let anchors = try fields.object("anchors") { self.anchors = try AnchorSettings(anchors) }
    }
}

extension ModelManifest.Input {
    fileprivate init(_ fields: ManifestFields) throws {
        try fields.refuseMisspelled(["width", "height", "colour", "mean", "scale", "fill", "fit"])
        width = try fields.integer("width", in: 1...8192)
        height = try fields.integer("height", in: 1...8192)
        channelOrder = try fields.choice("colour", from: [("rgb", .rgb), ("bgr", .bgr)])
        mean = try fields.channels("mean")
        scale = try fields.channels("scale")
        let givenFill = try fields.integer("fill", in: 0...255)
        let fill = UInt8(givenFill ?? 114)
        fit = try fields.choice(
            "fit",
            from: [
                ("stretch", .stretch), ("letterbox", .letterboxTopLeft(fill: fill)),
                ("letterbox-centred", .letterboxCentered(fill: fill)),
            ])
        if givenFill != nil, fit == nil { throw fields.error("fill", "has no effect without \"fit\"") }
    }
}

extension ModelManifest.AnchorSettings {
    fileprivate init(_ fields: ManifestFields) throws {
        if let ends = try fields.numbers("levels", count: 2...2, in: 0...12) {
            guard ends[0] <= ends[1] else { throw fields.error("levels", "is not in ascending order") }
            levels = Int(ends[0])...Int(ends[1])
        }
        scalesPerLevel = try fields.integer("scales-per-level", in: 1...16)
        aspectRatios = try fields.numbers("aspect-ratios", count: 1...32, in: 0.01...100)
        scale = try fields.number("scale", in: 0.01...100)
        minScale = try fields.number("min-scale", in: 0.001...2)
        maxScale = try fields.number("max-scale", in: 0.001...2)
        boxCoderScales = try fields.numbers("box-coder-scales", count: 4...4, in: 0.001...1000)
    }
}

extension KnownAnswer {
    fileprivate init(_ fields: ManifestFields) throws {
        guard let picture = try fields.string("picture"),
            let size = try fields.numbers("input", count: 2...2, in: 1...8192)
        else {
            throw fields.error("picture", "or \"input\" is missing: the name of the test picture, and width and height")
        }
        self.init(
            picture: picture, width: Int(size[0]), height: Int(size[1]),
            objects: try fields.objects("objects").map(Object.init))
        if objects.isEmpty { throw fields.error("objects", "is empty: nothing could be compared") }
    }
}

extension KnownAnswer.Object {
    fileprivate init(_ fields: ManifestFields) throws {
        guard let score = try fields.number("score", in: 0...1) else { throw fields.error("score", "is missing") }
        let box = try fields.numbers("box", count: 4...4, in: 0...8192)
        self.init(
            label: try fields.string("label"), score: score,
            box: box.map { Box(x: $0[0], y: $0[1], width: $0[2], height: $0[3]) })
    }
}

/// Typed access to the members of a JSON object. A missing member is `nil`. A value of another type is an error.
private struct ManifestFields {
    let members: JSONValue
    let file: String
    let path: String

    init(_ value: JSONValue, file: String, path: String) throws {
        guard case .object = value else {
            throw ODTError(
                .invalidFile, "\(file) is not a model manifest: \(path.isEmpty ? "it" : "\"\(path)\"") is not an object"
            )
        }
        members = value
        self.file = file
        self.path = path
    }

    func error(_ key: String, _ problem: String) -> ODTError {
        ODTError(.invalidFile, "\(file): \"\(path)\(key)\" \(problem)")
    }

    /// - Throws: ``ODTError`` if a member has almost one of the known names. It would have no effect.
    func refuseMisspelled(_ known: [String]) throws {
        guard case .object(let values) = members else { return }
        for key in values.keys.sorted() where !known.contains(key) {
            guard let name = nearestName(to: key, in: known, within: 2) else { continue }
            throw error(key, "is unknown; did you mean \"\(name)\"?")
        }
    }

    private func find<Kind>(_ key: String, _ kind: String, _ pick: (JSONValue) -> Kind?) throws -> Kind? {
        guard let value = members[key], value != .null else { return nil }
        guard let picked = pick(value) else { throw error(key, "is not \(kind)") }
        return picked
    }

    func string(_ key: String) throws -> String? { try find(key, "a text") { $0.string } }

    func bool(_ key: String) throws -> Bool? { try find(key, "true or false") { $0.bool } }

    func object(_ key: String) throws -> ManifestFields? {
        guard let value = members[key], value != .null else { return nil }
        return try ManifestFields(value, file: file, path: path + key + ".")
    }

    /// Returns an empty list if the member is missing.
    func objects(_ key: String) throws -> [ManifestFields] {
        guard let values = try find(key, "a list", { $0.array }) else { return [] }
        return try values.enumerated().map { try ManifestFields($1, file: file, path: "\(path)\(key)[\($0)].") }
    }

    func integer(_ key: String, in range: ClosedRange<Int>) throws -> Int? {
        try find(key, "a whole number from \(range.lowerBound) to \(range.upperBound)") {
            $0.integer.flatMap { range.contains($0) ? $0 : nil }
        }
    }

    func number(_ key: String, in range: ClosedRange<Double>) throws -> Double? {
        try find(key, "a number from \(range.lowerBound) to \(range.upperBound)") {
            $0.number.flatMap { range.contains($0) ? $0 : nil }
        }
    }

    func numbers(_ key: String, count: ClosedRange<Int>, in range: ClosedRange<Double>) throws -> [Double]? {
        let amount = count.lowerBound == count.upperBound ? "\(count.lowerBound)" : "up to \(count.upperBound)"
        return try find(key, "a list of \(amount) numbers from \(range.lowerBound) to \(range.upperBound)") {
            guard let values = $0.array?.map(\.number), count.contains(values.count) else { return nil }
            let numbers = values.compactMap { $0.flatMap { range.contains($0) ? $0 : nil } }
            return numbers.count == values.count ? numbers : nil
        }
    }

    func choice<Value>(_ key: String, from choices: [(name: String, value: Value)]) throws -> Value? {
        try find(key, "one of \(choices.map(\.name).joined(separator: ", "))") { value in
            choices.first { $0.name == value.string }?.value
        }
    }

    /// A single number applies to all three channels.
    func channels(_ key: String) throws -> SIMD3<Float>? {
        try find(key, "a number or a list of three numbers") { value in
            let list = value.number.map { [$0, $0, $0] } ?? value.array?.map(\.number) ?? []
            let numbers = list.compactMap { $0.flatMap { abs($0) < 1e6 ? Float($0) : nil } }
            return list.count == 3 && numbers.count == 3 ? SIMD3(numbers) : nil
        }
    }

    /// Returns the model files with their sizes and checksums. The list is empty if the member is missing.
    func files(_ key: String) throws -> [ModelManifest.File] {
        guard let files = try object(key), case .object(let known) = files.members else { return [] }
        return try known.keys.sorted().map { name in
            guard !name.isEmpty, !name.contains("/"), let about = try files.object(name),
                let bytes = try about.integer("bytes", in: 0...Int(1) << 50), let sha256 = try about.string("sha256")
            else { throw files.error(name, "is not a file's name with its bytes and sha256") }
            return ModelManifest.File(name: name, bytes: bytes, sha256: sha256)
        }
    }

    /// Returns the lower-case labels of each group, by the lower-case name of the group.
    func groups(_ key: String) throws -> [String: Set<String>] {
        guard let groups = try object(key), case .object(let known) = groups.members else { return [:] }
        return try known.reduce(into: [:]) { groups, group in
            guard let names = group.value.array?.map(\.string), !names.isEmpty, names.allSatisfy({ $0 != nil }) else {
                throw error(key, "is not an object of lists of labels")
            }
            groups[group.key.lowercased(), default: []].formUnion(names.compactMap { $0?.lowercased() })
        }
    }

    /// Returns the quantisation of each tensor, by tensor name.
    func scales(_ key: String) throws -> [String: QuantisationScale] {
        guard let tensors = try object(key), case .object(let known) = tensors.members else { return [:] }
        return try known.keys.reduce(into: [:]) { scales, name in
            guard let about = try tensors.object(name), let step = try about.number("step", in: 1e-30...1e30),
                let zero = try about.number("zero", in: -128...255)
            else { throw tensors.error(name, "is not a tensor's name with its step and zero") }
            scales[name] = QuantisationScale(step: Float(step), zero: Float(zero))
        }
    }

    /// Returns a list of names, a built-in vocabulary, or a file whose path is relative to the folder of the manifest.
    func labels(_ key: String) throws -> ModelManifest.LabelSource? {
        let vocabularies = Labels.vocabularies.keys.sorted().joined(separator: ", ")
        return try find(key, "a list of names, a vocabulary (\(vocabularies)) or a file") { value in
            if let names = value.array {
                let texts = names.compactMap(\.string)
                guard texts.count == names.count, !texts.isEmpty, texts.allSatisfy(Labels.isName) else { return nil }
                return .list(texts)
            }
            guard let text = value.string, !text.isEmpty else { return nil }
            if Labels.vocabularies[text] != nil { return .vocabulary(text) }
            let folder = file.lastIndex(of: "/").map { file[...$0] } ?? ""
            return .file(text.hasPrefix("/") ? text : folder + text)
        }
    }
}
