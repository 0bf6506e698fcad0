/// The output layout of a network with built-in non-maximum suppression.
enum PostprocessedLayout: Sendable {
    /// Rows of picture index, class, score and two corners as fractions. A negative picture index ends the list.
    case rows(output: Int)
    /// Separate outputs for boxes, classes and scores. `topFirst`: corners are (y, x), as in TensorFlow. If not
    /// `certain`, the values decide which output contains the scores.
    case separate(boxes: Int, classes: Int, scores: Int, certain: Bool, topFirst: Bool)
    /// Corners and score in one output, classes in another output.
    case pixels(boxes: Int, classes: Int)
    /// Rows of class, score and two corners, as in PaddleDetection.
    case classFirst(output: Int)

    /// Whether corners are fractions of the input; `nil` if networks with this layout differ.
    var hasFractions: Bool? {
        switch self {
        case .rows, .separate(_, _, _, _, topFirst: true): true
        case .pixels, .classFirst: false
        case .separate: nil
        }
    }

    /// Returns the layout and the number of its first class that is not the background.
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
        // TFLite_Detection_PostProcess: boxes, classes, scores, count.
        let lists = shapes.indices.filter { shapes[$0].count == 2 && (shapes[$0][0] ?? 1) == 1 }
        if shapes.count == 4, lists.count == 2, let boxes = shapes.firstIndex(where: { $0.count == 3 && $0[2] == 4 }) {
            return (.separate(boxes: boxes, classes: lists[0], scores: lists[1], certain: false, topFirst: true), 0)
        }
        if shapes.count == 3, let form = threeLists(inspection) {
            // RT-DETR and D-FINE have an input for the target size and number classes from 0. SSD and R-CNN have a
            // background.
            return (form, inspection.network.inputs.count > 1 ? 0 : 1)
        }
        if shapes.count >= 2, let boxes = shapes.firstIndex(where: { isList($0, of: 5) }),
            let classes = shapes.indices.first(where: {
                $0 != boxes && shapes[$0].count == shapes[boxes].count - 1
                    && (shapes[$0].count == 1 || shapes[$0][0] == 1)
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

    /// Returns the layout for boxes and two lists of the same length: scores, and classes as integers.
    private static func threeLists(_ inspection: NetworkInspection) -> Self? {
        let shapes = inspection.outputs.map(\.shape)
        guard let boxes = shapes.firstIndex(where: { isList($0, of: 4) }) else { return nil }
        let lists = shapes.indices.filter { $0 != boxes && shapes[$0].count == shapes[boxes].count - 1 }
        guard lists.count == 2, let length = shapes[boxes].dropLast().last,
            lists.allSatisfy({ shapes[$0].last.map { $0 == nil || length == nil || $0 == length } == true })
        else { return nil }
        let whole = lists.filter { [.int32, .int64].contains(inspection.outputs[$0].element) }
        let classes =
            whole.count == 1 ? whole[0] : lists.first { inspection.outputs[$0].name.contains("label") } ?? lists[0]
        guard let scores = lists.first(where: { $0 != classes }) else { return nil }
        return .separate(boxes: boxes, classes: classes, scores: scores, certain: whole.count == 1, topFirst: false)
    }

    /// Whether a shape is a list of rows with `count` values, with or without a batch dimension of 1.
    private static func isList(_ shape: [Int?], of count: Int) -> Bool {
        shape.last == count && (shape.count == 2 || shape.count == 3 && (shape[0] == nil || shape[0] == 1))
    }
}
