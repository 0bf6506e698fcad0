/// What a detector is to be made of: the names a user gives, turned into a ``Detector``.
///
///     var configuration = DetectorConfiguration(.neural)
///     configuration.modelFile = "yolov8n.onnx"
///     let detector = try configuration.makeDetector()
public struct DetectorConfiguration: Hashable, Sendable {
    /// The detectors that look at the picture themselves.
    public enum Kind: Int, Sendable {
        /// A detection network.
        case neural
        /// A saliency network.
        case salient
        /// What moves before a fixed camera.
        case motion
    }

    public var kind: Kind
    /// A path or a name in the ``ModelSearchPath``; `nil` for the installed default.
    public var modelFile: String?
    public var labelFile: String?
    /// The runtime's name for what computes.
    public var device = "CPU"
    /// 0 leaves it to the runtime.
    public var threads = 0
    /// Whether one answer should come soon, or many should come fast.
    public var hint = InferenceHint.latency
    /// Whether pictures stand alone: then the fit of a box counts for more than time and than calm from frame to frame.
    public var isForStills = false
    /// How many detections may be under way at once; 0 for as many as the runtime asks for.
    public var maximumInFlight = 0

    public init(_ kind: Kind) { self.kind = kind }

    /// The installed saliency network for the prominent thing of single pictures, on the same device.
    public var salientConfiguration: DetectorConfiguration {
        var configuration = self
        (configuration.kind, configuration.modelFile, configuration.labelFile) = (.salient, nil, nil)
        (configuration.isForStills, configuration.hint, configuration.maximumInFlight) = (true, .latency, 1)
        return configuration
    }

    /// Makes it. Compiling a network may take seconds the first time.
    ///
    /// - Throws: ``ODTError`` that says what is missing and how to get it.
    public func makeDetector() throws -> any Detector {
        if kind == .motion { return MotionDetector() }
        let file = try locate()
        return try NeuralDetector(
            modelFile: file, device: device, threads: threads, hint: hint, maximumInFlight: maximumInFlight,
            knownAnswers: ModelManifest.load(model: file)?.knownAnswers ?? [], comparesLabels: labelFile == nil
        ) { try decoder(for: $0, in: file) }
    }

    /// Reads and loads all that ``makeDetector()`` is going to need, but compiles nothing: who has inspected may make it on another
    /// thread, and end the process meanwhile.
    ///
    /// - Throws: ``ODTError`` that says what is missing and how to get it.
    public func inspect() throws {
        if kind == .motion { return }
        let file = try locate()
        _ = try decoder(for: Network.inspect(file: file), in: file)
        try Network.loadLibrary(of: device)
    }

    /// The names that objects may get, as far as files tell without the network being made; `nil` where they do not.
    public var knownLabels: [String]? {
        guard kind == .neural,
            let file = try? modelFile.map(ModelSearchPath.locate(named:)) ?? ModelSearchPath.locate(.detector),
            let labels = try? Labels.load(file: labelFile, manifest: ModelManifest.load(model: file), model: file)
        else { return nil }
        return labels.all.map(\.text)
    }

    /// What its answers hang on besides the pictures, for those who keep them: names and values. Reads the network's files, but
    /// compiles nothing.
    ///
    /// - Throws: ``ODTError`` as ``makeDetector()`` does.
    public func origin() throws -> [(name: String, value: JSONValue)] {
        if kind == .motion { return [("detector", .string("motion"))] }
        let file = try locate()
        let manifest = try ModelManifest.load(model: file)
        let network = try Network.inspect(file: file)
        var facts: [(name: String, value: JSONValue)] = [
            ("detector", .string(kind == .salient ? "salient" : "neural")),
            ("model", .string(String(file[(file.lastIndex(of: "/").map(file.index(after:)) ?? file.startIndex)...]))),
            ("model-sum", .string(try ModelFile(file).contentSum)),
        ]
        if kind == .neural {
            let labels = try Labels.load(file: labelFile, manifest: manifest, model: file)
            let names = Array((labels?.all.map(\.text) ?? []).joined(separator: "\n").utf8)
            let found = try DetectionFamily.recognise(network, manifest: manifest, labels: labels, file: file)
            facts += [
                ("labels-sum", .string(String(names.withUnsafeBytes(FileBlock.sum), radix: 16))),
                ("family", .string(found.family.rawValue)), ("input", .string(found.decoder.input.summary)),
            ]
        }
        return facts + [
            ("device", .string(device)), ("runtime", .string("OpenVINO \(try OpenVINO.shared().version)")),
        ]
    }

    private func locate() throws -> String {
        try modelFile.map(ModelSearchPath.locate(named:))
            ?? ModelSearchPath.locate(kind == .salient ? .salient : .detector)
    }

    /// Who reads the network's outputs.
    private func decoder(for network: NetworkDescription, in file: String) throws -> any DetectionDecoder {
        let manifest = try ModelManifest.load(model: file)
        if kind == .salient {
            return try Salient.decoder(for: network, manifest: manifest, file: file, isForStills: isForStills)
        }
        let labels = try Labels.load(file: labelFile, manifest: manifest, model: file)
        return try DetectionFamily.decoder(for: network, manifest: manifest, labels: labels, file: file)
    }
}
