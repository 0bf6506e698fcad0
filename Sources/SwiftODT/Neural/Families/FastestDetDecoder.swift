import Glibc

/// Decodes FastestDet. The output is one grid of cells. Its planes are the objectness, the four values of a box
/// relative to the cell, and one probability per class.
struct FastestDetDecoder: AssembledDecoder {
    let assembly: DetectionAssembly
    let classCount: Int

    func candidates(_ outputs: [TensorView], from floor: Float) throws -> [Candidate] {
        guard let output = outputs.first, output.shape.count == 4, output.shape[0] == 1,
            output.shape[1] == 5 + classCount
        else { throw assembly.mismatch(outputs) }
        let (rows, columns) = (output.shape[2], output.shape[3])
        let count = rows * columns
        let (width, height) = (Float(input.width), Float(input.height))
        return try output.withFloats { values -> [Candidate] in
            guard let planes = ScorePlanes(values, count: count, firstClass: 5, classCount: classCount) else {
                throw assembly.mismatch(outputs)
            }
            var candidates: [Candidate] = []
            // The score is objectness^0.6 * class^0.4. The objectness is at most 1, so the score is below the floor if
            // the class value is below floor^2.5.
            planes.forEachBest(from: pow(floor, 2.5)) { cell, index, value in
                let score = pow(values[cell], 0.6) * pow(value, 0.4)
                guard score >= floor else { return }
                let (column, row) = (Float(cell % columns), Float(cell / columns))
                candidates.append(
                    Candidate(
                        centerX: (column + tanh(values[count + cell])) / Float(columns) * width,
                        centerY: (row + tanh(values[2 * count + cell])) / Float(rows) * height,
                        width: logistic(values[3 * count + cell]) * width,
                        height: logistic(values[4 * count + cell]) * height, score: score, classIndex: index))
            }
            return candidates
        }
    }
}

extension FastestDetDecoder {
    static let usual = NetworkInput(width: 352, height: 352, channelOrder: .bgr, scale: SIMD3(repeating: 1 / 255))

    init?(_ inspection: NetworkInspection) throws {
        guard inspection.outputs.count == 1 else { return nil }
        let shape = inspection.outputs[0].shape
        guard shape.count == 4, let planes = shape[1], planes > 5, shape[2] != 1, shape[3] != 7 else { return nil }
        let input = try inspection.input(Self.usual)
        // Other networks have a single output of this form, too, for example segmentation networks.
        guard
            inspection.namedFamily != nil
                || (shape[2] ?? input.height / 16) == input.height / 16
                    && (shape[3] ?? input.width / 16) == input.width / 16
        else { return nil }
        self.init(assembly: try inspection.assembly(input, classes: planes - 5), classCount: planes - 5)
    }
}
