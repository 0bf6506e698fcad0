/// SSD whose network decodes and suppresses by itself and gives finished detections, in one of the forms in use.
struct SSDPostprocessedDecoder: DetectionDecoder {
    enum Form: Sendable {
        /// One list of rows: picture, class, score, two corners as fractions. A negative picture ends the list.
        case rows(output: Int)
        /// Separate outputs, corners as top, left, bottom, right fractions. Where two outputs may be the scores, the figures tell.
        case separate(boxes: Int, classes: Int, scores: Int, certain: Bool)
        /// Corners in input pixels and score in one output, classes in another.
        case pixels(boxes: Int, classes: Int)
    }

    let assembly: DetectionAssembly
    let form: Form
    /// What the network calls its first class.
    let firstClass: Int
    var input: NetworkInput { assembly.input }

    func decode(
        _ outputs: [TensorView], placement: InputPlacement, options: DetectionOptions
    ) throws -> [Detection] {
        let floor = assembly.floor(options)
        let candidates =
            switch form {
            case .rows(let output): try rows(outputs, output, floor)
            case .separate(let boxes, let classes, let scores, let certain):
                try separate(outputs, boxes: boxes, classes: classes, scores: scores, certain: certain, floor)
            case .pixels(let boxes, let classes): try pixels(outputs, boxes: boxes, classes: classes, floor)
            }
        return assembly.detections(from: candidates, placement: placement, options: options, suppressed: true)
    }

    private func candidate(
        _ corners: (Float, Float, Float, Float), score: Float, classNumber: Float, floor: Float
    ) -> Candidate? {
        guard score >= floor, let number = Int32(exactly: classNumber.rounded()), number >= firstClass else {
            return nil
        }
        let (width, height) = (Float(input.width), Float(input.height))
        return Candidate(
            minX: corners.0 * width, minY: corners.1 * height, maxX: corners.2 * width, maxY: corners.3 * height,
            score: score, classIndex: number - Int32(firstClass))
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
        _ outputs: [TensorView], boxes: Int, classes: Int, scores: Int, certain: Bool, _ floor: Float
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
                    // Class numbers are whole and may exceed 1; scores are neither.
                    let swapped =
                        !certain && second.contains { $0 > 1 } && !first.contains { $0 > 1 }
                        || !certain && first.contains { $0 != $0.rounded() }
                    let (classes, scores) = swapped ? (second, first) : (first, second)
                    return scores.indices.compactMap { row in
                        let box = boxes.baseAddress! + 4 * row
                        return candidate(
                            (box[1], box[0], box[3], box[2]), score: scores[row], classNumber: classes[row],
                            floor: floor)
                    }
                }
            }
        }
    }

    private func pixels(_ outputs: [TensorView], boxes: Int, classes: Int, _ floor: Float) throws -> [Candidate] {
        guard max(boxes, classes) < outputs.count, outputs[boxes].shape.last == 5 else {
            throw assembly.mismatch(outputs)
        }
        let (width, height) = (Float(input.width), Float(input.height))
        return try outputs[boxes].withFloats { boxes in
            try outputs[classes].withFloats { classes in
                guard boxes.count == 5 * classes.count else { throw assembly.mismatch(outputs) }
                return classes.indices.compactMap { row in
                    let box = boxes.baseAddress! + 5 * row
                    return candidate(
                        (box[0] / width, box[1] / height, box[2] / width, box[3] / height), score: box[4],
                        classNumber: classes[row], floor: floor)
                }
            }
        }
    }
}

extension SSDPostprocessedDecoder {
    static let usual = FamilyInput(width: 300, height: 300)

    init?(_ survey: NetworkSurvey) throws {
        guard let (form, numbersFrom) = Form.recognise(survey) else { return nil }
        let firstClass = survey.manifest?.hasBackground.map { $0 ? 1 : 0 } ?? numbersFrom
        self.init(
            assembly: try survey.assembly(survey.input(Self.usual), classes: survey.manifest?.classes), form: form,
            firstClass: firstClass)
    }
}

extension SSDPostprocessedDecoder.Form {
    /// The form, and what networks of this form call their first class.
    fileprivate static func recognise(_ survey: NetworkSurvey) -> (Self, firstClass: Int)? {
        let shapes = survey.outputs.map(\.shape)
        if let boxes = survey.output(named: "detection_boxes"), let scores = survey.output(named: "detection_scores"),
            let classes = survey.output(named: "detection_classes")
        {
            return (.separate(boxes: boxes, classes: classes, scores: scores, certain: true), 1)
        }
        if let rows = shapes.firstIndex(where: { $0.count == 4 && $0[3] == 7 && ($0[1] ?? 1) == 1 && ($0[0] ?? 1) == 1 }
        ) {
            return (.rows(output: rows), 1)
        }
        // TFLite_Detection_PostProcess: boxes, classes, scores, count.
        let lists = shapes.indices.filter { shapes[$0].count == 2 && (shapes[$0][0] ?? 1) == 1 }
        if shapes.count == 4, lists.count == 2, let boxes = shapes.firstIndex(where: { $0.count == 3 && $0[2] == 4 }) {
            return (.separate(boxes: boxes, classes: lists[0], scores: lists[1], certain: false), 0)
        }
        if shapes.count >= 2, let boxes = shapes.firstIndex(where: { $0.count == 2 && $0[1] == 5 }),
            let classes = shapes.firstIndex(where: { $0.count == 1 })
        {
            return (.pixels(boxes: boxes, classes: classes), 0)
        }
        return nil
    }
}
