/// All that is known of a network before its family is: outside, manifest and labels, with the questions that families ask.
struct NetworkInspection {
    let network: NetworkDescription
    let manifest: ModelManifest?
    let labels: Labels?
    /// The model's path, for messages.
    let file: String

    /// What the .tflite would have done to the outputs at its end, had it not been cut off.
    var postProcess: TFLitePostProcess?

    /// What the whole numbers of inputs and outputs stand for, by their names: as the manifest says, or else a .tflite.
    var quantisation: [String: QuantisationScale]

    /// The family that the manifest names.
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
                    "the manifest of \(file) names the family \"\(name)\"; known are "
                        + DetectionFamily.allCases.map(\.rawValue).joined(separator: ", "))
            }
            return family
        }
    }

    var outputs: [TensorDescription] { network.outputs }

    /// Rows and columns of an output that is a matrix, the batch left aside; `nil` within where the file leaves it open.
    func matrix(_ output: Int) -> (rows: Int?, columns: Int?)? {
        guard outputs.indices.contains(output) else { return nil }
        let shape = outputs[output].shape
        switch shape.count {
        case 3 where shape[0] == nil || shape[0] == 1: return (shape[1], shape[2])
        case 4 where (shape[0] == nil || shape[0] == 1) && shape[2] == 1: return (shape[1], shape[3])
        default: return nil
        }
    }

    /// Whether an output goes by this name, the tensor's number and enclosing scopes left aside.
    func output(named name: String) -> Int? {
        outputs.firstIndex { output in
            let leaf = output.name.split(separator: "/").last ?? ""
            return leaf == name || leaf.split(separator: ":").first.map { $0 == name } == true
        }
    }

    /// Whether it is likely that the network tells so many classes apart: as many as there are labels, or as COCO has.
    func believes(_ classes: Int) -> Bool {
        if let manifestValue = manifest?.classes { return classes == manifestValue }
        guard let labels else { return classes == 80 || classes == 90 }
        return classes == labels.count || (labels.beginsWithBackground && classes == labels.count - 1)
    }

    /// The anchor-free grid that the manifest's strides make, or the first of the usual ones with so many cells.
    func grid(_ input: NetworkInput, cells: Int?, usual: [[Int]]) -> CellGrid? {
        let all = (manifest?.strides.map { [$0] } ?? usual).map {
            CellGrid(width: input.width, height: input.height, strides: $0)
        }
        return cells == nil ? all.first : all.first { $0.count == cells }
    }

    func assembly(_ input: NetworkInput, classes: Int?) throws -> DetectionAssembly {
        DetectionAssembly(input: input, names: try ClassNames(labels, count: classes, file: file), file: file)
    }
}

/// What the numbers of one box are, in families that give a row (or a plane) of them.
enum BoxEncoding: Equatable {
    /// Box, objectness, classes.
    case objectness(classes: Int)
    /// Box, classes.
    case plain(classes: Int)
    /// Classes, a distribution for each side of the box.
    case distributions(classes: Int, bins: Int)

    /// The reading that gives a number of classes that one can believe in; objectness where none does.
    init?(_ numbers: Int, in inspection: NetworkInspection) {
        guard numbers > 5 else { return nil }
        let readings: [(BoxEncoding, Int)] =
            [(.objectness(classes: numbers - 5), numbers - 5), (.plain(classes: numbers - 4), numbers - 4)]
            + [8, 16, 17].map { (.distributions(classes: numbers - 4 * $0, bins: $0), numbers - 4 * $0) }
        self = readings.first { $0.1 > 0 && inspection.believes($0.1) }?.0 ?? readings[0].0
    }
}
