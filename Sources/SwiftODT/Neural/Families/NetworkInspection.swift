/// The description, manifest and labels of a network. The decoders use this type to recognise the networks of their
/// family.
struct NetworkInspection {
    let network: NetworkDescription
    let manifest: ModelManifest?
    let labels: Labels?
    /// The model's path, for error messages.
    let file: String

    /// The parameters of the TFLite post-processing operation that was removed from the model.
    var postProcess: TFLitePostProcess?

    /// By tensor name, from the manifest and from a .tflite file. The manifest has priority.
    var quantisation: [String: QuantisationScale]

    /// The metadata that the exporter wrote into the file or beside it, for example the entries `task` and
    /// `description` of Ultralytics.
    private(set) var exportMetadata: [String: String] = [:]

    /// The anchors in the metadata of a .tflite file: centre y, centre x, height and width as fractions of the input.
    private(set) var fixedAnchors: [Float] = []

    /// See ``FlatBuffer/endsWithLogistic``.
    private(set) var endsWithLogistic: Bool?

    /// The family that the manifest specifies.
    let namedFamily: DetectionFamily?

    init(_ network: NetworkDescription, manifest: ModelManifest?, labels: Labels?, file: String) throws {
        self.network = network
        self.manifest = manifest
        self.labels = labels
        self.file = file
        quantisation = manifest?.quantisation ?? [:]
        namedFamily = try manifest?.family.map { name in
            guard let family = DetectionFamily(rawValue: name) else {
                throw ODTError(
                    .invalidFile,
                    "the manifest of \(file) has the unknown family \"\(name)\"; use one of "
                        + DetectionFamily.allCases.map(\.rawValue).joined(separator: ", "))
            }
            return family
        }
    }

    var outputs: [TensorDescription] { network.outputs }

    /// Reads the metadata of the file, and the last operation and the quantisation of a .tflite file.
    mutating func readFile() throws {
        guard FileBytes.size(file) != nil else { return }
        exportMetadata = try ExportMetadata.read(file)
        guard let model = try FlatBuffer.read(tflite: file) else { return }
        postProcess = TFLitePostProcess(model: model)
        endsWithLogistic = model.endsWithLogistic
        fixedAnchors = TFLiteMetadata(model: model)?.anchors ?? []
        quantisation.merge([String: QuantisationScale](tflite: model) ?? [:]) { given, _ in given }
    }

    /// Returns the decoder, or, if the network has quantised outputs, a decoder that dequantises them first.
    func dequantising(_ decoder: any DetectionDecoder) -> any DetectionDecoder {
        QuantisedDecoder(decoder, outputs: outputs, scales: quantisation) ?? decoder
    }

    /// Returns the shape of an output without the batch dimension, or `nil` if the output is not a matrix. Dynamic
    /// dimensions are `nil`.
    func matrix(_ output: Int) -> (rows: Int?, columns: Int?)? {
        guard outputs.indices.contains(output) else { return nil }
        let shape = outputs[output].shape
        switch shape.count {
        case 3 where shape[0] == nil || shape[0] == 1: return (shape[1], shape[2])
        case 4 where (shape[0] == nil || shape[0] == 1) && shape[2] == 1: return (shape[1], shape[3])
        default: return nil
        }
    }

    /// Returns the index of the output with this name. The tensor number (`name:0`) and the scopes (`scope/name`) in
    /// the names of outputs are ignored.
    func output(named name: String) -> Int? {
        outputs.firstIndex { output in
            let leaf = output.name.split(separator: "/").last ?? ""
            return leaf == name || leaf.split(separator: ":").first.map { $0 == name } == true
        }
    }

    /// Returns the output with the boxes, from outputs whose shapes fit. If a network has as many scores per row as box
    /// values, only the names of the outputs distinguish boxes from scores.
    func boxes(of outputs: [Int]) -> Int? {
        outputs.first { self.outputs[$0].name.lowercased().contains("box") } ?? outputs.first
    }

    /// Returns whether the network can have this number of classes. The number must be equal to the number in the
    /// manifest. If the manifest has no number, it must match the number of labels. Without labels, it must be 80 or
    /// 90, as for COCO.
    func isPlausible(_ classes: Int) -> Bool {
        if let manifestValue = manifest?.classes { return classes == manifestValue }
        guard let labels else { return classes == 80 || classes == 90 }
        return classes == labels.count || (labels.beginsWithBackground && classes == labels.count - 1)
    }

    /// Returns the first grid with the given number of cells. The grid has the strides of the manifest. If the manifest
    /// specifies no strides, the grid has one of the lists in `usual`.
    ///
    /// - Parameter cells: the number of cells of all levels. `nil` for any number.
    func grid(_ input: NetworkInput, cells: Int?, usual: [[Int]] = usualStrides) -> CellGrid? {
        let all = grids(input, usual: usual)
        return cells == nil ? all.first : all.first { $0.count == cells }
    }

    func grids(_ input: NetworkInput, usual: [[Int]] = usualStrides) -> [CellGrid] {
        (manifest?.strides.map { [$0] } ?? usual).map {
            CellGrid(width: input.width, height: input.height, strides: $0)
        }
    }

    /// The strides of most networks. If every number of cells fits, the first list applies.
    static let usualStrides = [[8, 16, 32], [8, 16, 32, 64]]

    /// - Parameter hasBackground: whether the labels can begin with a background class that the classes do not contain.
    func assembly(_ input: NetworkInput, classes: Int?, hasBackground: Bool = true) throws -> DetectionAssembly {
        DetectionAssembly(
            input: input,
            names: try .ofClasses(labels, count: classes, hasBackground: hasBackground, file: file), file: file)
    }

    /// Whether the file's name, or the description of the exporter, names a DETR.
    var isNamedDETR: Bool {
        [FilePath.stem(of: file), exportMetadata["description"] ?? ""].contains { $0.lowercased().contains("detr") }
    }
}

/// The meaning of the values that a network returns for one box, for families with one row per box or one plane per
/// value.
enum BoxEncoding: Equatable {
    /// Four box values, the objectness and class scores.
    case objectness(classes: Int)
    /// Four box values and class scores.
    case plain(classes: Int)
    /// Class scores, and a discrete distribution of the distance from the cell to each of the four sides of the box.
    case distributions(classes: Int, bins: Int)

    /// Chooses the first encoding for which the number of classes is plausible. If there is none, chooses `objectness`.
    /// Returns `nil` if there are too few values.
    ///
    /// - Parameter numbers: the number of values per box.
    init?(_ numbers: Int, in inspection: NetworkInspection) {
        guard numbers > 4 else { return nil }
        let readings: [(BoxEncoding, Int)] =
            [(.objectness(classes: numbers - 5), numbers - 5), (.plain(classes: numbers - 4), numbers - 4)]
            + [8, 16, 17].map { (.distributions(classes: numbers - 4 * $0, bins: $0), numbers - 4 * $0) }
        let usual = readings.first { $0.1 > 0 && inspection.isPlausible($0.1) } ?? readings[0]
        guard usual.1 > 0 else { return nil }
        self = usual.0
    }
}

extension NetworkInspection {
    /// Returns the input format of the network. The file has priority over the manifest, and the manifest has priority
    /// over the family's defaults.
    ///
    /// - Parameter usual: the family's defaults. Its layout and element type are not used.
    /// - Throws: ``ODTError`` if the input is not a single three-channel picture of a supported element type.
    func input(_ usual: NetworkInput) throws -> NetworkInput {
        guard let picture = network.pictureInput else {
            let inputs = network.inputs.map { "\($0.name) \($0.shapeText)" }.joined(separator: ", ")
            throw ODTError(
                .unsupported,
                "\(file) has \(network.inputs.count) inputs (\(inputs)); only networks with one picture input, "
                    + "and optionally an input for its size, are supported: export it without its post-processing")
        }
        let input = network.inputs[picture]
        // Some networks have no batch dimension.
        let shape = input.shape.count == 3 ? [1] + input.shape : input.shape
        guard shape.count == 4, shape[0] == nil || shape[0] == 1 else { throw unsuitableInput(input) }
        let layout: NetworkInput.Layout
        switch (shape[1], shape[3]) {
        case (3, _): layout = .nchw
        case (_, 3): layout = .nhwc
        case (nil, nil): layout = .nchw
        default: throw unsuitableInput(input)
        }
        let (fixedHeight, fixedWidth) = layout == .nchw ? (shape[2], shape[3]) : (shape[1], shape[2])
        let manifestValue = manifest?.input
        let width = fixedWidth ?? manifestValue?.width ?? usual.width
        let height = fixedHeight ?? manifestValue?.height ?? usual.height
        guard (1...8192).contains(width), (1...8192).contains(height) else { throw unsuitableInput(input) }
        var fed = NetworkInput(
            width: width, height: height, layout: layout,
            channelOrder: manifestValue?.channelOrder ?? usual.channelOrder,
            fit: manifestValue?.fit ?? usual.fit)
        switch input.element {
        // Networks with an unsigned input usually take grey levels.
        case .uint8 where manifestValue?.mean == nil && manifestValue?.scale == nil: fed.element = .uint8
        case .uint8
        where quantisation[input.name] == nil && manifestValue?.mean ?? .zero == .zero
            && manifestValue?.scale ?? .one == .one:
            fed.element = .uint8
        case .float32, .float16:
            fed.mean = manifestValue?.mean ?? usual.mean
            fed.scale = manifestValue?.scale ?? usual.scale
        case .uint8, .int8:
            // The input is filled with whole floats, and the runtime converts them to bytes. The mean and the scale
            // must therefore include the quantisation of the input.
            guard let quantised = quantisation[input.name] else {
                guard input.element == .uint8 else { throw unsuitableInput(input) }
                throw ODTError(
                    .invalidFile,
                    "the manifest of \(file) sets the mean or the scale, but the input \(input.name) takes unsigned bytes; "
                        + "remove them, or set the quantisation of the input")
            }
            fed.element = input.element
            let scale = manifestValue?.scale ?? usual.scale
            fed.mean = (manifestValue?.mean ?? usual.mean) - quantised.zero * quantised.step / scale
            fed.scale = scale / quantised.step
        case .int32, .int64: throw unsuitableInput(input)
        }
        return fed
    }

    private func unsuitableInput(_ input: TensorDescription) -> ODTError {
        ODTError(
            .unsupported,
            "\(file) has an input of \(input.element) and shape \(input.shapeText); only one picture with three channels "
                + "as float or unsigned byte is supported: export the model with this input")
    }
}
