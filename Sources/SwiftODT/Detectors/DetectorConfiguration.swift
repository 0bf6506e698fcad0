/// The options of a detector.
///
///     var configuration = DetectorConfiguration(.neural)
///     configuration.modelFile = "yolov8n.onnx"
///     let detector = try configuration.makeDetector()
package struct DetectorConfiguration: Hashable, Sendable {
    /// The kinds of detectors that analyse pixels. Detections can also be read from metadata or recordings, but these
    /// sources are not detectors.
    package typealias Kind = ObjectDetector.Method

    package var kind: Kind
    /// A path or a name in the ``ModelSearchPath``. `nil` selects the installed default model.
    package var modelFile: String?
    /// `nil` uses the labels of the model.
    package var labelFile: String?
    /// The OpenVINO device name. The default is `CPU`.
    package var device = "CPU"
    /// The maximum number of inference threads. The default of 0 lets the runtime decide.
    package var threads = 0
    /// Whether the runtime optimises for low latency or for high throughput.
    package var hint = InferenceHint.latency
    /// Whether frames are independent pictures. If `true`, boxes are as accurate as possible. If `false`, speed and
    /// boxes that are stable from frame to frame are more important.
    package var isForStills = false
    /// The maximum number of inferences in flight. The default of 0 uses the number that the runtime recommends, plus
    /// one if that number is greater than 1.
    package var maximumInFlight = 0

    package init(_ kind: Kind) { self.kind = kind }

    /// The configuration of the default saliency network on the same device, for single pictures. A saliency network
    /// finds the most prominent objects of a picture, regardless of their class.
    package var salientConfiguration: DetectorConfiguration {
        var configuration = self
        (configuration.kind, configuration.modelFile, configuration.labelFile) = (.salient, nil, nil)
        (configuration.isForStills, configuration.hint, configuration.maximumInFlight) = (true, .latency, 1)
        return configuration
    }

    /// Creates the detector. The first compilation of a network can take seconds.
    ///
    /// - Throws: ``ODTError`` that names the missing file or library and the remedy.
    package func makeDetector() throws -> any Detector {
        if kind == .motion { return MotionDetector() }
        let file = try locate()
        let manifest = try ModelManifest.load(model: file)
        let traits = try DetectorTraits(file: file, manifest: manifest)
        return try NeuralDetector(
            modelFile: file, device: device, threads: threads, hint: hint, maximumInFlight: maximumInFlight,
            knownAnswers: manifest?.knownAnswers ?? [], comparesLabels: labelFile == nil, traits: traits
        ) { try decoder(for: $0, in: file, manifest) }
    }

    /// Returns the checksum of the contents of a network's files, as written to messages and recordings.
    package static func sum(of file: String) throws -> String { try ModelFile(file).contentSum }

    /// The score threshold of the network's manifest, or the general default. The network is not loaded.
    package var scoreThreshold: Double {
        let manifest = kind == .motion ? nil : try? ModelManifest.load(model: locate())
        return manifest?.scoreThreshold ?? DetectorTraits.usualScoreThreshold
    }

    /// Reads the files and loads the libraries that ``makeDetector()`` needs, without compiling the network. After this
    /// call, ``makeDetector()`` can safely run on another thread, even if the process exits while it runs.
    ///
    /// - Throws: ``ODTError`` that names the missing file or library and the remedy.
    package func inspect() throws {
        if kind == .motion { return }
        let file = try locate()
        _ = try decoder(for: Network.inspect(file: file), in: file, ModelManifest.load(model: file))
        try Network.loadLibrary(of: device)
    }

    /// The class names that detections can have, read from files without compiling the network. `nil` if the files
    /// contain no class names, or if the detector does not classify.
    package var knownLabels: [String]? {
        guard kind == .neural, let file = try? locate(),
            let labels = try? Labels.load(file: labelFile, manifest: ModelManifest.load(model: file), model: file)
        else { return nil }
        return labels.all.map(\.text)
    }

    /// The label groups of the network's manifest, read without compiling the network.
    package var labelGroups: [String: Set<String>] {
        (try? ModelManifest.load(model: locate()))?.labelGroups ?? [:]
    }

    /// Returns the fields of a recording's header that describe the detector. They contain everything that determines
    /// the detector's results for a given frame. The model files are read but not compiled.
    ///
    /// - Throws: the same errors as ``makeDetector()``.
    package func recordingFields() throws -> [RecordingHeader.Field] {
        if kind == .motion { return [.init("detector", .string("motion"))] }
        let file = try locate()
        let manifest = try ModelManifest.load(model: file)
        let network = try Network.inspect(file: file)
        var fields: [RecordingHeader.Field] = [
            .init("detector", .string(kind == .salient ? "salient" : "neural")),
            .init("model", .string(FilePath.name(of: file))),
            .init("model-sum", .string(try Self.sum(of: file))),
        ]
        if kind == .neural {
            let labels = try Labels.load(file: labelFile, manifest: manifest, model: file)
            let names = Array((labels?.all.map(\.text) ?? []).joined(separator: "\n").utf8)
            let found = try DetectionFamily.recognise(network, manifest: manifest, labels: labels, file: file)
            fields += [
                .init("labels-sum", .string(String(names.withUnsafeBytes(FileBlock.sum), radix: 16))),
                .init("family", .string(found.family.rawValue)), .init("input", .string(found.decoder.input.summary)),
            ]
        }
        if let threshold = manifest?.scoreThreshold { fields.append(.init("score-threshold", .number(threshold))) }
        if let groups = RecordingHeader.Field(labelGroups: manifest?.labelGroups ?? [:]) { fields.append(groups) }
        return fields + [
            .init("device", .string(device)), .init("runtime", .string("OpenVINO \(try OpenVINO.shared().version)")),
        ]
    }

    private func locate() throws -> String {
        try modelFile.map(ModelSearchPath.locate(named:))
            ?? ModelSearchPath.locate(kind == .salient ? .salient : .detector)
    }

    private func decoder(
        for network: NetworkDescription, in file: String, _ manifest: ModelManifest?
    ) throws -> any DetectionDecoder {
        if kind == .salient {
            return try Salient.decoder(for: network, manifest: manifest, file: file, isForStills: isForStills)
        }
        let labels = try Labels.load(file: labelFile, manifest: manifest, model: file)
        return try DetectionFamily.decoder(for: network, manifest: manifest, labels: labels, file: file)
    }
}

extension DetectorTraits {
    /// - Parameter file: the path of the model file; `nil` if it is unknown.
    package init(file: String?, manifest: ModelManifest?) throws {
        self.init()
        scoreThreshold = manifest?.scoreThreshold
        labelGroups = manifest?.labelGroups ?? [:]
        model = try file.map {
            Model(name: FilePath.name(of: $0), sum: try DetectorConfiguration.sum(of: $0))
        }
    }
}
