/// Decodes SSD and other networks with built-in post-processing, in one of the layouts of ``PostprocessedLayout``.
struct SSDPostprocessedDecoder: DetectionDecoder {
    let assembly: DetectionAssembly
    let form: PostprocessedLayout
    /// The number of the first class that is not the background.
    let firstClass: Int
    var input: NetworkInput { assembly.input }
    var labels: [String]? { assembly.names.all }

    func decode(
        _ outputs: [TensorView], placement: InputPlacement, options: DetectionOptions
    ) throws -> [Detection] {
        let floor = assembly.floor(options)
        let candidates =
            switch form {
            case .rows(let output): try rows(outputs, output, floor)
            case .separate(let boxes, let classes, let scores, let certain, let topFirst):
                try separate(outputs, boxes, classes, scores, certain: certain, topFirst: topFirst, floor)
            case .classFirst(let output): try classFirst(outputs, output, floor)
            case .pixels(let boxes, let classes): try pixels(outputs, boxes: boxes, classes: classes, floor)
            }
        return assembly.detections(
            from: assembly.inPixels(candidates, areFractions: form.hasFractions), placement: placement,
            options: options, suppressed: true)
    }

    /// - Parameter corners: left, top, right and bottom, as fractions or in input pixels.
    private func candidate(
        _ corners: (Float, Float, Float, Float), score: Float, classNumber: Float, floor: Float
    ) -> Candidate? {
        guard score >= floor, let number = Int32(exactly: classNumber.rounded()), number >= firstClass else {
            return nil
        }
        return Candidate(
            minX: corners.0, minY: corners.1, maxX: corners.2, maxY: corners.3, score: score,
            classIndex: number - Int32(firstClass))
    }

    private func rows(_ outputs: [TensorView], _ output: Int, _ floor: Float) throws -> [Candidate] {
        guard outputs.indices.contains(output), outputs[output].shape.last == 7 else {
            throw assembly.mismatch(outputs)
        }
        return try outputs[output].withFloats { values in
            var candidates: [Candidate] = []
            for row in stride(from: 0, to: values.count, by: 7) {
                if !(values[row] >= 0) { break }
                let corners = (values[row + 3], values[row + 4], values[row + 5], values[row + 6])
                if let found = candidate(corners, score: values[row + 2], classNumber: values[row + 1], floor: floor) {
                    candidates.append(found)
                }
            }
            return candidates
        }
    }

    private func separate(
        _ outputs: [TensorView], _ boxes: Int, _ classes: Int, _ scores: Int, certain: Bool, topFirst: Bool,
        _ floor: Float
    ) throws -> [Candidate] {
        guard max(boxes, classes, scores) < outputs.count, outputs[boxes].shape.last == 4 else {
            throw assembly.mismatch(outputs)
        }
        return try outputs[boxes].withFloats { boxes in
            try outputs[classes].withFloats { first in
                try outputs[scores].withFloats { second in
                    guard first.count == second.count, boxes.count == 4 * first.count else {
                        throw assembly.mismatch(outputs)
                    }
                    // Class numbers are integers and may exceed 1; scores are fractions up to 1.
                    let swapped =
                        !certain && second.contains { $0 > 1 } && !first.contains { $0 > 1 }
                        || !certain && first.contains { $0 != $0.rounded() }
                    let (classes, scores) = swapped ? (second, first) : (first, second)
                    return scores.indices.compactMap { row in
                        let box = boxes.baseAddress! + 4 * row
                        let corners = topFirst ? (box[1], box[0], box[3], box[2]) : (box[0], box[1], box[2], box[3])
                        return candidate(corners, score: scores[row], classNumber: classes[row], floor: floor)
                    }
                }
            }
        }
    }

    private func pixels(_ outputs: [TensorView], boxes: Int, classes: Int, _ floor: Float) throws -> [Candidate] {
        guard max(boxes, classes) < outputs.count, outputs[boxes].shape.last == 5 else {
            throw assembly.mismatch(outputs)
        }
        return try outputs[boxes].withFloats { boxes in
            try outputs[classes].withFloats { classes in
                guard boxes.count == 5 * classes.count else { throw assembly.mismatch(outputs) }
                return classes.indices.compactMap { row in
                    let box = boxes.baseAddress! + 5 * row
                    return candidate(
                        (box[0], box[1], box[2], box[3]), score: box[4], classNumber: classes[row], floor: floor)
                }
            }
        }
    }

    private func classFirst(_ outputs: [TensorView], _ output: Int, _ floor: Float) throws -> [Candidate] {
        guard outputs.indices.contains(output), outputs[output].shape.last == 6 else {
            throw assembly.mismatch(outputs)
        }
        return try outputs[output].withFloats { values in
            stride(from: 0, to: values.count, by: 6).compactMap { row in
                candidate(
                    (values[row + 2], values[row + 3], values[row + 4], values[row + 5]), score: values[row + 1],
                    classNumber: values[row], floor: floor)
            }
        }
    }
}

extension SSDPostprocessedDecoder {
    static let usual = FamilyInput(width: 300, height: 300)
    /// The defaults for models from PyTorch or PaddlePaddle.
    static let usualPlanar = FamilyInput(width: 640, height: 640, scale: SIMD3(repeating: 1 / 255))

    init?(_ inspection: NetworkInspection) throws {
        guard let (form, numbersFrom) = PostprocessedLayout.recognise(inspection) else { return nil }
        let usual =
            switch form {
            case .rows, .pixels, .separate(_, _, _, _, topFirst: true): Self.usual
            case .classFirst, .separate: Self.usualPlanar
            }
        let firstClass = inspection.manifest?.hasBackground.map { $0 ? 1 : 0 } ?? numbersFrom
        self.init(
            assembly: try inspection.assembly(inspection.input(usual), classes: inspection.manifest?.classes),
            form: form,
            firstClass: firstClass)
    }
}
