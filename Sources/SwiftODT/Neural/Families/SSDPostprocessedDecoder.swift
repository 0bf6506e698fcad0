/// Decodes networks that decode boxes and apply non-maximum suppression themselves. ``PostprocessedLayout`` lists the
/// supported output layouts.
struct SSDPostprocessedDecoder: AssembledDecoder {
    let assembly: DetectionAssembly
    let form: PostprocessedLayout
    /// 1 if class 0 of the network is the background, otherwise 0.
    let firstClass: Int
    /// Whether the manifest determines ``firstClass``.
    var isBackgroundGiven = false
    var isSuppressed = true

    func candidates(_ outputs: [TensorView], from floor: Float) throws -> [Candidate] {
        let candidates =
            switch form {
            case .rows(let output): try rows(outputs, output, isNumbered: true, floor)
            case .separate(let boxes, let classes, let scores, let certain, let topFirst):
                try separate(outputs, boxes, classes, scores, certain: certain, topFirst: topFirst, floor)
            case .classFirst(let output): try rows(outputs, output, isNumbered: false, floor)
            case .pixels(let boxes, let classes): try pixels(outputs, boxes: boxes, classes: classes, floor)
            }
        return assembly.inPixels(candidates, areFractions: form.hasFractions)
    }

    /// - Parameter corners: the left, top, right and bottom edge of a box, as fractions of the input or in input
    ///   pixels.
    private func candidate(
        _ corners: (Float, Float, Float, Float), score: Float, classNumber: Float, floor: Float
    ) throws -> Candidate? {
        guard score >= floor, let number = Int32(exactly: classNumber.rounded()), number >= 0 else { return nil }
        guard number >= firstClass else {
            // Networks with a background class never return it as an object.
            guard !isBackgroundGiven else { return nil }
            throw ODTError(
                .unsupported,
                "\(assembly.file) returns class 0, so it has no background class and all labels would be shifted; set "
                    + "\"background\": false in its manifest")
        }
        // COCO's original category ids count from 1. A network that uses them never returns class 0, so the labels are
        // right until class 0 occurs.
        guard number > 0 || isBackgroundGiven || !assembly.names.beginsWithBackground else {
            throw ODTError(
                .unsupported,
                "\(assembly.file) returns class 0, but its labels count from 1 or begin with a background class, so all "
                    + "labels would be shifted; use labels that begin with the name of class 0, or set \"background\": false "
                    + "in its manifest if the first label is the name of a class")
        }
        return Candidate(
            minX: corners.0, minY: corners.1, maxX: corners.2, maxY: corners.3, score: score,
            classIndex: number - Int32(firstClass))
    }

    /// - Parameter isNumbered: whether a row begins with the picture index, before the class.
    private func rows(
        _ outputs: [TensorView], _ output: Int, isNumbered: Bool, _ floor: Float
    ) throws -> [Candidate] {
        let length = isNumbered ? 7 : 6
        guard outputs.indices.contains(output), outputs[output].shape.last == length else {
            throw assembly.mismatch(outputs)
        }
        return try outputs[output].withFloats { values in
            var candidates: [Candidate] = []
            for start in stride(from: 0, to: values.count, by: length) {
                if isNumbered, !(values[start] >= 0) { break }
                let row = values.baseAddress! + (start + length - 6)
                if let found = try candidate(
                    (row[2], row[3], row[4], row[5]), score: row[1], classNumber: row[0], floor: floor)
                {
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
        var numbers = outputs[classes]
        // Bytes are class indices, too.
        if certain, numbers.scale == nil { numbers.scale = QuantisationScale(step: 1, zero: 0) }
        return try outputs[boxes].withFloats { boxes in
            try numbers.withFloats { first in
                try outputs[scores].withFloats { second in
                    guard first.count == second.count, boxes.count == 4 * first.count else {
                        throw assembly.mismatch(outputs)
                    }
                    // The order of the class output and the score output differs between networks. The values
                    // distinguish the outputs: class indices are integers that may exceed 1, scores are fractions of at
                    // most 1.
                    let swapped =
                        !certain && second.contains { $0 > 1 } && !first.contains { $0 > 1 }
                        || !certain && first.contains { $0 != $0.rounded() }
                    let (classes, scores) = swapped ? (second, first) : (first, second)
                    return try scores.indices.compactMap { row in
                        let box = boxes.baseAddress! + 4 * row
                        let corners = topFirst ? (box[1], box[0], box[3], box[2]) : (box[0], box[1], box[2], box[3])
                        return try candidate(corners, score: scores[row], classNumber: classes[row], floor: floor)
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
                return try classes.indices.compactMap { row in
                    let box = boxes.baseAddress! + 5 * row
                    return try candidate(
                        (box[0], box[1], box[2], box[3]), score: box[4], classNumber: classes[row], floor: floor)
                }
            }
        }
    }
}

extension SSDPostprocessedDecoder {
    static let usual = NetworkInput(width: 300, height: 300)
    /// The default for models from PyTorch and PaddlePaddle.
    static let usualPlanar = NetworkInput(width: 640, height: 640, scale: SIMD3(repeating: 1 / 255))

    /// Creates the decoder for a network with the post-processing of RT-DETR. Such a network has no background class,
    /// sorts all pairs of a query and a class by score, and needs no non-maximum suppression.
    init?(detr inspection: NetworkInspection) throws {
        guard inspection.network.inputs.count > 1, inspection.outputs.count == 3,
            case (.separate(_, _, _, _, topFirst: false), _)? = PostprocessedLayout.recognise(inspection)
        else { return nil }
        try self.init(inspection)
    }

    /// Creates the decoder for a class-agnostic network. Its detections have no labels.
    init?(classAgnostic inspection: NetworkInspection) throws {
        guard let (form, _) = PostprocessedLayout.recognise(inspection) else { return nil }
        let assembly = DetectionAssembly(
            input: try inspection.input(Self.usual), names: Labels([]), file: inspection.file)
        self.init(assembly: assembly, form: form, firstClass: 0)
    }

    init?(_ inspection: NetworkInspection) throws {
        guard let (form, numbersFrom) = PostprocessedLayout.recognise(inspection) else { return nil }
        let usual =
            switch form {
            case .rows, .pixels, .separate(_, _, _, _, topFirst: true): Self.usual
            case .classFirst, .separate: Self.usualPlanar
            }
        let input = try inspection.input(usual)
        let isSuppressed = !form.hasGrid(of: input, inspection)
        let firstClass = inspection.manifest?.hasBackground.map { $0 ? 1 : 0 } ?? (isSuppressed ? numbersFrom : 0)
        // The list of labels for TensorFlow Lite's post-processing often begins with "???", although its classes do not
        // contain a background class.
        var isTFLite = false
        if case .separate(_, _, _, certain: false, topFirst: true) = form { isTFLite = true }
        let assembly = try inspection.assembly(
            input, classes: inspection.manifest?.classes, hasBackground: firstClass == 1 || isTFLite)
        self.init(
            assembly: assembly, form: form, firstClass: firstClass,
            isBackgroundGiven: inspection.manifest?.hasBackground != nil, isSuppressed: isSuppressed)
    }
}

/// The output layout of a network with built-in post-processing.
enum PostprocessedLayout: Sendable {
    /// One output. A row has the picture index, the class, the score and two corners of the box as fractions of the
    /// input. A negative picture index ends the list.
    case rows(output: Int)
    /// Separate outputs for boxes, classes and scores. If `topFirst` is `true`, the coordinates of a corner have the
    /// order (y, x), as in TensorFlow. If `certain` is `false`, the network's description does not distinguish the
    /// class output from the score output, and the decoder uses the output values.
    case separate(boxes: Int, classes: Int, scores: Int, certain: Bool, topFirst: Bool)
    /// One output with two corners of the box in input pixels and the score, and another output with the class.
    case pixels(boxes: Int, classes: Int)
    /// One output. A row has the class, the score and two corners of the box in input pixels, as in PaddleDetection.
    case classFirst(output: Int)

    /// Whether corners are fractions of the input. `nil` if networks with this layout differ.
    var hasFractions: Bool? {
        switch self {
        case .rows, .separate(_, _, _, _, topFirst: true): true
        case .pixels, .classFirst: false
        case .separate: nil
        }
    }

    /// Returns whether the network returns one box, or three, for each cell of YOLO's grid, as in the exports of Qualcomm
    /// AI Hub. Such a network decodes boxes and classes, but does not apply non-maximum suppression.
    func hasGrid(of input: NetworkInput, _ inspection: NetworkInspection) -> Bool {
        guard case .separate(let boxes, _, _, _, topFirst: false) = self,
            let rows = inspection.outputs[boxes].shape.dropLast().last ?? nil
        else { return false }
        return inspection.grids(input).contains { rows == $0.count || rows == 3 * $0.count }
    }

    /// Returns the layout, and the index of the first class that is not the background (0 or 1). Returns `nil` for an
    /// unknown layout.
    static func recognise(_ inspection: NetworkInspection) -> (Self, firstClass: Int)? {
        let shapes = inspection.outputs.map(\.shape)
        if let boxes = inspection.output(named: "detection_boxes"),
            let scores = inspection.output(named: "detection_scores"),
            let classes = inspection.output(named: "detection_classes")
        {
            return (.separate(boxes: boxes, classes: classes, scores: scores, certain: true, topFirst: true), 1)
        }
        if let rows = shapes.firstIndex(where: { $0.count == 4 && $0[3] == 7 && ($0[1] ?? 1) == 1 && ($0[0] ?? 1) == 1 }
        ) {
            return (.rows(output: rows), 1)
        }
        // The outputs of TFLite_Detection_PostProcess: boxes, classes, scores and count.
        let lists = shapes.indices.filter { shapes[$0].count == 2 && (shapes[$0][0] ?? 1) == 1 }
        if shapes.count == 4, lists.count == 2, let boxes = shapes.firstIndex(where: { $0.count == 3 && $0[2] == 4 }) {
            return (.separate(boxes: boxes, classes: lists[0], scores: lists[1], certain: false, topFirst: true), 0)
        }
        if shapes.count == 3, let form = threeLists(inspection) {
            // RT-DETR and D-FINE have a second input for the size of the picture, and no background class. SSD and
            // R-CNN have one input and a background class.
            return (form, inspection.network.inputs.count > 1 ? 0 : 1)
        }
        if shapes.count >= 2, let boxes = shapes.firstIndex(where: { isList($0, of: 5) }),
            let classes = shapes.indices.first(where: {
                $0 != boxes && shapes[$0].count == shapes[boxes].count - 1
                    && (shapes[$0].count == 1 || (shapes[$0][0] ?? 1) == 1)
            })
        {
            return (.pixels(boxes: boxes, classes: classes), 0)
        }
        if shapes.count == 2, let rows = shapes.firstIndex(where: { $0.count == 2 && $0[1] == 6 }),
            shapes[1 - rows].count == 1
        {
            return (.classFirst(output: rows), 0)
        }
        return nil
    }

    /// Returns the layout of a network with the three outputs boxes, scores and classes, which have the same number of
    /// rows.
    private static func threeLists(_ inspection: NetworkInspection) -> Self? {
        let shapes = inspection.outputs.map(\.shape)
        guard let boxes = shapes.firstIndex(where: { isList($0, of: 4) }) else { return nil }
        let lists = shapes.indices.filter { $0 != boxes && shapes[$0].count == shapes[boxes].count - 1 }
        guard lists.count == 2, let length = shapes[boxes].dropLast().last,
            lists.allSatisfy({ shapes[$0].last.map { $0 == nil || length == nil || $0 == length } == true })
        else { return nil }
        let whole = lists.filter {
            let (name, element) = (inspection.outputs[$0].name, inspection.outputs[$0].element)
            return [.int32, .int64].contains(element)
                || element == .uint8 && name.contains("class") && inspection.quantisation[name] == nil
        }
        let classes =
            whole.count == 1 ? whole[0] : lists.first { inspection.outputs[$0].name.contains("label") } ?? lists[0]
        guard let scores = lists.first(where: { $0 != classes }) else { return nil }
        return .separate(boxes: boxes, classes: classes, scores: scores, certain: whole.count == 1, topFirst: false)
    }

    /// Returns whether a shape describes a list with `count` values per row, with or without a batch dimension.
    private static func isList(_ shape: [Int?], of count: Int) -> Bool {
        shape.last == count && (shape.count == 2 || shape.count == 3 && (shape[0] == nil || shape[0] == 1))
    }
}
