import Glibc

/// Decodes DETR, RT-DETR and similar networks. For each of a fixed number of queries, the network returns class scores
/// and a box as fractions of the input.
struct DETRDecoder: AssembledDecoder {
    enum Activation: Sendable {
        /// Softmax over all classes. The last class is "no object".
        case softmax
        /// An independent activation for each class.
        case each(ScoreActivation)
    }

    let assembly: DetectionAssembly
    /// Equals `scoresOutput` if the rows of one output have both the box and the scores.
    let boxesOutput: Int
    let scoresOutput: Int
    let firstClass: Int
    let classCount: Int
    let activation: Activation
    /// An output with more rows belongs to a network with a grid of cells.
    let maximumQueries: Int

    func candidates(_ outputs: [TensorView], from floor: Float) throws -> [Candidate] {
        guard outputs.indices.contains(boxesOutput), outputs.indices.contains(scoresOutput),
            let boxStride = outputs[boxesOutput].shape.last, boxStride >= 4,
            let stride = outputs[scoresOutput].shape.last
        else { throw assembly.mismatch(outputs) }
        return try outputs[scoresOutput].withFloats { scores in
            try outputs[boxesOutput].withFloats { boxes -> [Candidate] in
                guard let rows = ScoreRows(scores, stride: stride, firstClass: firstClass, classCount: classCount),
                    boxes.count / boxStride == rows.count, boxes.count % boxStride == 0
                else { throw assembly.mismatch(outputs) }
                guard rows.count <= maximumQueries else {
                    throw assembly.mismatch(
                        outputs,
                        remedy: "a DETR returns at most \(maximumQueries) boxes; export the model with non-maximum "
                            + "suppression, or set its family in a manifest")
                }
                var candidates: [Candidate] = []
                for row in 0..<rows.count {
                    guard let (index, score) = best(rows, row, from: floor) else { continue }
                    let box = boxes.baseAddress! + row * boxStride
                    candidates.append(
                        Candidate(
                            centerX: box[0] * Float(input.width), centerY: box[1] * Float(input.height),
                            width: box[2] * Float(input.width), height: box[3] * Float(input.height),
                            score: score, classIndex: index))
                }
                if case .each(.sigmoid) = activation, candidates.count == rows.count {
                    try assembly.requireLogits([outputs[scoresOutput]])
                }
                return candidates
            }
        }
    }

    private func best(_ rows: ScoreRows, _ row: Int, from floor: Float) -> (Int, Float)? {
        switch activation {
        case .each(let activation):
            return rows.best(inRow: row, from: activation.rawFloor(floor)).map {
                ($0.index, activation.score($0.value))
            }
        case .softmax:
            // Computing the softmax over all classes is slow. The softmax over only the best class and "no object" is
            // an upper bound of the score. Most rows are rejected by this bound.
            let all = rows.values.baseAddress! + row * rows.stride
            let nothing = all[rows.stride - 1]
            guard let (index, value) = rows.best(inRow: row, from: nothing + log(floor / max(1 - floor, 1e-6))) else {
                return nil
            }
            var sum: Float = 0
            for other in 0..<rows.stride { sum += exp(all[other] - value) }
            return sum.isFinite && 1 / sum >= floor ? (index, 1 / sum) : nil
        }
    }
}

extension DETRDecoder {
    static let usual = NetworkInput(
        width: 800, height: 800, mean: SIMD3(123.675, 116.28, 103.53), scale: SIMD3(1 / 58.395, 1 / 57.12, 1 / 57.375))
    /// The input of RT-DETR. The picture is stretched to the input.
    static let usualRealTime = NetworkInput(width: 640, height: 640, scale: SIMD3(repeating: 1 / 255))
    private static let usualMaximumQueries = 1000

    init?(_ inspection: NetworkInspection) throws {
        let maximumQueries: Int = inspection.namedFamily == .detr ? .max : Self.usualMaximumQueries
        let matrices = inspection.outputs.indices.map { inspection.matrix($0) }
        if matrices.count == 1, let row = matrices[0], let columns = row.columns, columns > 4 {
            // Two classes have as many columns as the rows of ``YOLOEndToEndDecoder``, which is more frequent.
            if columns == 6, inspection.namedFamily == nil, !inspection.isNamedDETR { return nil }
            guard
                inspection.namedFamily == .detr
                    || ((row.rows ?? .max) <= maximumQueries && inspection.isPlausible(columns - 4))
            else {
                return nil
            }
            let input = try inspection.input(Self.usualRealTime)
            guard
                inspection.namedFamily == .detr
                    || inspection.grid(input, cells: row.rows) == nil
            else { return nil }
            self.init(
                assembly: try inspection.assembly(input, classes: columns - 4), boxesOutput: 0, scoresOutput: 0,
                firstClass: 4,
                classCount: columns - 4,
                activation: .each(inspection.manifest?.scoresAreLogits == true ? .sigmoid : .none),
                maximumQueries: maximumQueries)
            return
        }
        // For a network with three classes and "no object", the scores have four columns like the boxes. In this case,
        // only the names of the outputs distinguish boxes from scores.
        guard let boxes = inspection.boxes(of: matrices.indices.filter { matrices[$0]?.columns == 4 }),
            let scores = matrices.indices.first(where: { $0 != boxes && matrices[$0] != nil }),
            let numbers = matrices[scores]?.columns, numbers > 1 || inspection.isPlausible(1),
            matrices[boxes]?.rows == matrices[scores]?.rows
        else { return nil }
        if inspection.namedFamily != .detr, let rows = matrices[boxes]?.rows {
            // YOLO-NAS and others return decoded boxes and scores for the cells of a grid.
            guard rows <= maximumQueries,
                inspection.grid(try inspection.input(Self.usual), cells: rows) == nil
            else { return nil }
        }
        // RF-DETR names its box output "dets". Its class scores are independent logits and not a softmax.
        let isRoboflow = inspection.output(named: "dets") == boxes
        let (classes, competing, firstClass) = Self.reading(
            inspection, numbers: numbers, competing: !isRoboflow)
        if isRoboflow, numbers != 91, classes < numbers, inspection.manifest?.hasBackground == nil {
            throw ODTError(
                .unsupported,
                "\(inspection.file) has \(numbers) scores for \(classes) classes, and versions of RF-DETR differ in which "
                    + "score is unused; set \"background\" in its manifest to false if classes count from 0 (rfdetr 1.6 "
                    + "and later), or to true if they count from 1")
        }
        let realTime =
            !competing && firstClass == 0 && numbers != 91 && !isRoboflow && matrices[boxes]?.rows == 300
        let activation: Activation =
            competing ? .softmax : .each(inspection.manifest?.scoresAreLogits == false ? .none : .sigmoid)
        self.init(
            assembly: try inspection.assembly(
                inspection.input(realTime ? Self.usualRealTime : Self.usual), classes: classes),
            boxesOutput: boxes, scoresOutput: scores, firstClass: firstClass, classCount: classes,
            activation: activation, maximumQueries: maximumQueries)
    }

    /// Determines the meaning of the scores of a query. Either each class has an independent logit (`competing` in the
    /// result is `false`), or all classes share a softmax with "no object" as the last class (`competing` is `true`).
    /// In both cases, index 0 may be unused, as in COCO's original category ids. `firstClass` is then 1. RF-DETR has
    /// independent logits, and either index 0 or the last one is unused.
    ///
    /// - Parameters:
    ///   - numbers: the number of scores per query.
    ///   - competing: whether a softmax is possible.
    private static func reading(
        _ inspection: NetworkInspection, numbers: Int, competing: Bool
    ) -> (classes: Int, competing: Bool, firstClass: Int) {
        var readings = [
            (numbers, false, 0), (numbers - 1, competing, 0), (numbers - 1, false, 1), (numbers - 2, true, 1),
        ]
        // Some networks with independent class scores use COCO's original category ids 1 to 90. They have 91 scores,
        // and index 0 is unused.
        if numbers == 91 { readings.swapAt(1, 2) }
        return readings.first {
            $0.0 > 0 && inspection.isPlausible($0.0) && (competing || !$0.1)
                && (inspection.manifest?.hasBackground ?? ($0.2 == 1)) == ($0.2 == 1)
        } ?? (numbers, false, 0)
    }
}
