import Glibc

/// Decodes YOLOX, and YOLOv5, v6 and v7. Each row has a box, the objectness, and one score per class.
struct YOLOXDecoder: AssembledDecoder {
    let assembly: DetectionAssembly
    /// The cells to which the boxes of YOLOX are relative. `nil` for YOLOv5, v6 and v7, which decode the boxes
    /// themselves.
    let grid: CellGrid?
    let classCount: Int
    /// The number of values after the class scores in a row, for example mask coefficients. They are ignored.
    var extraCount = 0
    /// The index of the network's output that has the boxes.
    var output = 0
    /// The possible grids of YOLOv5, v6 and v7. They have three boxes per cell, or one decoded box (v6). `nil` for any
    /// number of rows.
    var boxGrids: [CellGrid]?
    private let givesPixels = ModelHeuristic()

    func candidates(_ outputs: [TensorView], from floor: Float) throws -> [Candidate] {
        let length = 5 + classCount + extraCount
        guard outputs.indices.contains(output), case let output = outputs[output], output.shape.last == length else {
            throw assembly.mismatch(outputs)
        }
        let candidates = try output.withFloats { values -> [Candidate] in
            guard let rows = ScoreRows(values, stride: length, firstClass: 5, classCount: classCount),
                grid == nil || rows.count == grid?.count
            else { throw assembly.mismatch(outputs) }
            guard
                boxGrids?.contains(where: {
                    rows.count == 3 * $0.count || rows.count == $0.count && isDecoded(values, in: $0)
                }) != false
            else {
                throw assembly.mismatch(
                    outputs,
                    remedy: "YOLOv5 returns another number of boxes for an input of \(input.width)x\(input.height); "
                        + "set \"family\": \"yolox\" or \"family\": \"yolo-end-to-end\" in a manifest, or "
                        + "\"family\": \"yolov5\" to accept any number of boxes")
            }
            let cells = isDecoded(values, in: grid) ? nil : grid
            var candidates: [Candidate] = []
            for row in 0..<rows.count {
                let box = values.baseAddress! + row * length
                // Most rows are rejected by their objectness alone.
                let objectness = box[4]
                guard objectness >= floor, let (index, value) = rows.best(inRow: row, from: floor / objectness) else {
                    continue
                }
                let score = objectness * value
                guard let (column, line, stride) = cells?.cell(row) else {
                    candidates.append(Candidate(centered: box, score: score, classIndex: index))
                    continue
                }
                candidates.append(
                    Candidate(
                        centerX: (column + box[0]) * stride, centerY: (line + box[1]) * stride,
                        width: exp(box[2]) * stride, height: exp(box[3]) * stride, score: score, classIndex: index))
            }
            return candidates
        }
        return grid == nil ? assembly.inPixels(candidates) : candidates
    }

    /// Returns whether a network with a grid decodes the boxes itself, as some exported networks do. The boxes of the
    /// last row of cells in the first level show this. Decoded boxes have their centres near the bottom of the input.
    /// Centres that are not decoded are relative to the cell and thus near 0.
    private func isDecoded(_ values: UnsafeBufferPointer<Float>, in grid: CellGrid?) -> Bool {
        guard let level = grid?.levels[0], level.columns >= 8, level.rows >= 8 else { return false }
        let half = Float((level.rows - 1) * level.stride) / 2
        let first = level.columns * (level.rows - 1)
        let centers = (first..<first + level.columns).lazy.map { values[$0 * (5 + classCount + extraCount) + 1] }
        let far = centers.count { $0 > half }
        return givesPixels.isLikely(votesFor: far, against: centers.count { $0.isFinite } - far)
    }
}

extension YOLOXDecoder {
    static let usual = NetworkInput(
        width: 640, height: 640, channelOrder: .bgr, fit: .letterboxTopLeft(fill: 114))

    init?(_ inspection: NetworkInspection) throws {
        guard let matrix = inspection.matrix(0), inspection.outputs.count == 1, let numbers = matrix.columns,
            case .objectness(let classes) = BoxEncoding(numbers, in: inspection),
            matrix.rows != nil || inspection.namedFamily == .yolox
        else { return nil }
        let input = try inspection.input(Self.usual)
        guard let grid = inspection.grid(input, cells: matrix.rows) else { return nil }
        self.init(assembly: try inspection.assembly(input, classes: classes), grid: grid, classCount: classes)
    }

    /// Creates the decoder for YOLOv5, v6 or v7.
    init?(yolov5 inspection: NetworkInspection) throws {
        // A segmentation network has mask coefficients after the class scores of each row.
        guard let (output, matrix, masks) = inspection.yolo, let columns = matrix.columns,
            case .objectness(let classes) = BoxEncoding(columns - masks, in: inspection), !inspection.isLikelyEndToEnd
        else { return nil }
        let input = try inspection.input(YOLOv8Decoder.usual)
        var boxGrids: [CellGrid]?
        if inspection.namedFamily != .yolov5 {
            // Each cell has three boxes. Dynamic rows may also be one decoded box per cell (YOLOv6).
            let grids = inspection.grids(input)
            if let rows = matrix.rows, !grids.contains(where: { 3 * $0.count == rows }) { return nil }
            boxGrids = grids
        }
        self.init(
            assembly: try inspection.assembly(input, classes: classes), grid: nil, classCount: classes,
            extraCount: masks, output: output, boxGrids: boxGrids)
    }
}
