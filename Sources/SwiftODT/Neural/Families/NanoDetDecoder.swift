import Glibc

/// Decodes NanoDet and NanoDet-Plus. For each side of a box, the network returns a discrete distribution of the
/// distance between the cell and the side. The decoder uses the mean of the distribution. The unit of the distance is
/// the side of the cell.
struct NanoDetDecoder: AssembledDecoder {
    let assembly: DetectionAssembly
    let grid: CellGrid
    let classCount: Int
    /// Bins per distribution.
    let binCount: Int
    /// The position within a cell from which distances are measured. 0 is the upper left corner of the cell, 0.5 its
    /// centre.
    let origin: Float
    let activation: ScoreActivation

    func candidates(_ outputs: [TensorView], from floor: Float) throws -> [Candidate] {
        let stride = classCount + 4 * binCount
        guard let output = outputs.first, output.shape.last == stride else { throw assembly.mismatch(outputs) }
        let floor = activation.rawFloor(floor)
        return try output.withFloats { values -> [Candidate] in
            guard let rows = ScoreRows(values, stride: stride, firstClass: 0, classCount: classCount),
                rows.count == grid.count
            else { throw assembly.mismatch(outputs) }
            var candidates: [Candidate] = []
            for row in 0..<rows.count {
                guard let (index, value) = rows.best(inRow: row, from: floor) else { continue }
                let sides = values.baseAddress! + row * stride + classCount
                let (column, line, size) = grid.cell(row)
                let (x, y) = ((column + origin) * size, (line + origin) * size)
                candidates.append(
                    Candidate(
                        minX: x - mean(sides) * size, minY: y - mean(sides + binCount) * size,
                        maxX: x + mean(sides + 2 * binCount) * size, maxY: y + mean(sides + 3 * binCount) * size,
                        score: activation.score(value), classIndex: Int32(truncatingIfNeeded: index)))
            }
            return candidates
        }
    }

    /// Returns the mean of a distribution over the integers 0 to ``binCount`` - 1.
    private func mean(_ logits: UnsafePointer<Float>) -> Float {
        var highest = -Float.infinity
        for bin in 0..<binCount { highest = max(highest, logits[bin]) }
        var (sum, weighted) = (Float(0), Float(0))
        for bin in 0..<binCount {
            let weight = exp(logits[bin] - highest)
            sum += weight
            weighted += weight * Float(bin)
        }
        return weighted / sum
    }
}

extension NanoDetDecoder {
    static let usual = NetworkInput(
        width: 416, height: 416, channelOrder: .bgr, mean: SIMD3(103.53, 116.28, 123.675),
        scale: SIMD3(1 / 57.375, 1 / 57.12, 1 / 58.395))

    init?(_ inspection: NetworkInspection) throws {
        guard let matrix = inspection.matrix(0), inspection.outputs.count == 1, let numbers = matrix.columns,
            case .distributions(let classes, let bins) = BoxEncoding(numbers, in: inspection)
        else { return nil }
        var input = try inspection.input(Self.usual)
        guard let grid = inspection.grid(input, cells: matrix.rows, usual: [[8, 16, 32, 64], [8, 16, 32]]) else {
            return nil
        }
        // NanoDet-Plus has four levels and measures distances from the corner of a cell. NanoDet has three levels and
        // measures distances from the centre of a cell. Its input keeps the aspect ratio of the picture.
        let plus = grid.levels.count > 3
        if !plus && inspection.manifest?.input.fit == nil { input.fit = .letterboxCentered(fill: 0) }
        self.init(
            assembly: try inspection.assembly(input, classes: classes), grid: grid, classCount: classes, binCount: bins,
            origin: plus ? 0 : 0.5, activation: inspection.manifest?.scoresAreLogits == true ? .sigmoid : .none)
    }
}
