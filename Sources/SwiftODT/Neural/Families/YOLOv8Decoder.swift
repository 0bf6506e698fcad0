/// Decodes YOLOv8, v9, v11 and v12. The output has boxes in input pixels and class scores, without objectness. Usually,
/// it has one plane for each value of a box.
struct YOLOv8Decoder: AssembledDecoder {
    let assembly: DetectionAssembly
    /// The index of the network's output that has the boxes.
    let output: Int
    let classCount: Int
    /// Whether the output is transposed, with one row for each box.
    let rowwise: Bool

    func candidates(_ outputs: [TensorView], from floor: Float) throws -> [Candidate] {
        guard outputs.indices.contains(output), case let output = outputs[output], output.shape.count >= 3,
            output.shape[0] == 1, let last = output.shape.last
        else {
            throw assembly.mismatch(outputs)
        }
        let (numbers, count) = rowwise ? (last, output.shape[1]) : (output.shape[1], last)
        let candidates = try output.withFloats { values -> [Candidate] in
            var candidates: [Candidate] = []
            if rowwise {
                guard let rows = ScoreRows(values, stride: numbers, firstClass: 4, classCount: classCount) else {
                    throw assembly.mismatch(outputs)
                }
                for row in 0..<rows.count {
                    guard let (index, score) = rows.best(inRow: row, from: floor) else { continue }
                    let box = values.baseAddress! + row * numbers
                    candidates.append(Candidate(centered: box, score: score, classIndex: index))
                }
            } else {
                guard let planes = ScorePlanes(values, count: count, firstClass: 4, classCount: classCount) else {
                    throw assembly.mismatch(outputs)
                }
                planes.forEachBest(from: floor) { cell, index, score in
                    candidates.append(
                        Candidate(
                            centerX: values[cell], centerY: values[count + cell], width: values[2 * count + cell],
                            height: values[3 * count + cell], score: score, classIndex: index))
                }
            }
            return candidates
        }
        return assembly.inPixels(candidates)
    }
}

extension YOLOv8Decoder {
    static let usual = NetworkInput(
        width: 640, height: 640, scale: SIMD3(repeating: 1 / 255), fit: .letterboxCentered(fill: 114))

    init?(_ inspection: NetworkInspection) throws {
        guard let (output, matrix, masks) = inspection.yolo else { return nil }
        let input = try inspection.input(Self.usual)
        let named = inspection.namedFamily == .yolov8
        if let numbers = matrix.rows, numbers > 4 + masks,
            inspection.grid(input, cells: matrix.columns) != nil,
            matrix.columns != nil || named || inspection.isPlausible(numbers - 4 - masks)
        {
            let classes = numbers - 4 - masks
            self.init(
                assembly: try inspection.assembly(input, classes: classes), output: output, classCount: classes,
                rowwise: false)
        } else if let numbers = matrix.columns, case .plain(let classes) = BoxEncoding(numbers - masks, in: inspection),
            inspection.grid(input, cells: matrix.rows) != nil, !inspection.isLikelyEndToEnd
        {
            self.init(
                assembly: try inspection.assembly(input, classes: classes), output: output, classCount: classes,
                rowwise: true)
        } else {
            return nil
        }
    }
}

extension NetworkInspection {
    /// The output of a YOLO network that has the boxes, its shape without the batch dimension, and the number of mask
    /// coefficients per box. Segmentation networks have another output with one mask prototype per coefficient. Older
    /// exports of YOLOv5 also have the outputs of the three levels, which have five dimensions and are not used. `nil`
    /// for networks with other outputs.
    var yolo: (output: Int, matrix: (rows: Int?, columns: Int?), masks: Int)? {
        let matrices = outputs.indices.filter { matrix($0) != nil }
        guard matrices.count == 1, let matrix = matrix(matrices[0]) else { return nil }
        let others = outputs.indices.filter { $0 != matrices[0] }.map { outputs[$0].shape }
        let prototypes = others.filter { $0.count != 5 }
        guard !prototypes.isEmpty else { return (matrices[0], matrix, 0) }
        guard prototypes.count == 1, case let shape = prototypes[0], shape.count == 4 else { return nil }
        // In TensorFlow's layout, channels are the last dimension. Prototypes of a square picture show their layout, and
        // others mostly have that of the picture.
        let picture = network.pictureInput.map { network.inputs[$0].shape } ?? []
        let isSquare = Set(picture.dropFirst().filter { $0 != 3 }).count == 1
        let isTensorFlow =
            (shape[1] == shape[2]) != (shape[2] == shape[3]) && isSquare
            ? shape[1] == shape[2]
            : picture.last == 3
        guard let masks = shape[isTensorFlow ? 3 : 1], (2...1024).contains(masks) else { return nil }
        return (matrices[0], matrix, masks)
    }

    /// Whether the output with the boxes can have the rows of ``YOLOEndToEndDecoder`` and any number of them. A network
    /// of YOLOv5 with one class has rows of the same length. The exporter of YOLOv5 writes no description.
    var isLikelyEndToEnd: Bool {
        guard namedFamily == nil, let yolo, yolo.matrix.rows == nil, yolo.matrix.columns == 6 + yolo.masks else {
            return false
        }
        return !isPlausible(1) || exportMetadata["description"] != nil
    }
}

/// Decodes YOLOv10 and end-to-end exports. A row has two corners of the box, the score and the class. The network has
/// already applied non-maximum suppression.
struct YOLOEndToEndDecoder: AssembledDecoder {
    let assembly: DetectionAssembly
    /// The index of the network's output that has the boxes.
    let output: Int
    var isSuppressed: Bool { true }

    func candidates(_ outputs: [TensorView], from floor: Float) throws -> [Candidate] {
        guard outputs.indices.contains(output), case let output = outputs[output], let stride = output.shape.last,
            stride >= 6
        else {
            throw assembly.mismatch(outputs)
        }
        let candidates = try output.withFloats { values -> [Candidate] in
            Swift.stride(from: 0, to: values.count, by: stride).compactMap { row in
                guard values[row + 4] >= floor, let index = Int32(exactly: values[row + 5].rounded()) else {
                    return nil
                }
                return Candidate(
                    minX: values[row], minY: values[row + 1], maxX: values[row + 2], maxY: values[row + 3],
                    score: values[row + 4], classIndex: index)
            }
        }
        return assembly.inPixels(candidates)
    }
}

extension YOLOEndToEndDecoder {
    init?(_ inspection: NetworkInspection) throws {
        guard let (output, matrix, masks) = inspection.yolo, matrix.columns == 6 + masks else { return nil }
        // The names that the exporter wrote into the file have one entry per class.
        let classes = inspection.manifest?.classes ?? (try? Labels.embedded(in: inspection.file))?.count
        // YOLO counts classes from 0 and has no background class. A list without a name for index 0 counts from 1.
        if classes == nil, let labels = inspection.labels, labels.beginsWithBackground, let first = labels[0] {
            throw ODTError(
                .unsupported,
                "\(inspection.file) has an unknown number of classes, and its first label is \"\(first.text)\"; remove "
                    + "this label if it stands for the background, or set \"classes\" in its manifest to \(labels.count) if it "
                    + "is the name of a class")
        }
        self.init(
            assembly: try inspection.assembly(inspection.input(YOLOv8Decoder.usual), classes: classes), output: output)
    }
}
