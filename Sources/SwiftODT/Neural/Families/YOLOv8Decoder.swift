/// Decodes YOLOv8, v9, v11 and v12. The output has boxes in input pixels and class scores, without objectness. Usually,
/// it has one plane for each value of a box.
struct YOLOv8Decoder: AssembledDecoder {
    let assembly: DetectionAssembly
    let classCount: Int
    /// Whether the output is transposed, with one row for each box.
    let rowwise: Bool

    func candidates(_ outputs: [TensorView], from floor: Float) throws -> [Candidate] {
        guard let output = outputs.first, output.shape.count == 3, output.shape[0] == 1 else {
            throw assembly.mismatch(outputs)
        }
        let (numbers, count) = rowwise ? (output.shape[2], output.shape[1]) : (output.shape[1], output.shape[2])
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
        let masks = inspection.maskCount
        guard let matrix = inspection.matrix(0), inspection.outputs.count == 1 || masks > 0 else { return nil }
        let input = try inspection.input(Self.usual)
        let strides = [[8, 16, 32], [8, 16, 32, 64]]
        let named = inspection.namedFamily == .yolov8
        if let numbers = matrix.rows, numbers > 4 + masks,
            inspection.grid(input, cells: matrix.columns, usual: strides) != nil,
            matrix.columns != nil || named || inspection.isPlausible(numbers - 4 - masks)
        {
            let classes = numbers - 4 - masks
            self.init(assembly: try inspection.assembly(input, classes: classes), classCount: classes, rowwise: false)
        } else if let numbers = matrix.columns, case .plain(let classes) = BoxEncoding(numbers - masks, in: inspection),
            inspection.grid(input, cells: matrix.rows, usual: strides) != nil
        {
            self.init(assembly: try inspection.assembly(input, classes: classes), classCount: classes, rowwise: true)
        } else {
            return nil
        }
    }
}

extension NetworkInspection {
    /// The number of mask coefficients per box of a YOLO segmentation network: the number of planes of its second
    /// output. 0 for other networks.
    var maskCount: Int {
        guard outputs.count == 2, outputs[1].shape.count == 4, let planes = outputs[1].shape[1],
            (2...1024).contains(planes)
        else { return 0 }
        return planes
    }
}

/// Decodes YOLOv10 and end-to-end exports. A row has two corners of the box, the score and the class. The network has
/// already applied non-maximum suppression.
struct YOLOEndToEndDecoder: AssembledDecoder {
    let assembly: DetectionAssembly
    var isSuppressed: Bool { true }

    func candidates(_ outputs: [TensorView], from floor: Float) throws -> [Candidate] {
        guard let output = outputs.first, let stride = output.shape.last, stride >= 6 else {
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
        guard let matrix = inspection.matrix(0), matrix.columns == 6 + inspection.maskCount,
            inspection.outputs.count == 1 || inspection.maskCount > 0
        else { return nil }
        self.init(
            assembly: try inspection.assembly(
                inspection.input(YOLOv8Decoder.usual), classes: inspection.manifest?.classes, hasBackground: false))
    }
}
