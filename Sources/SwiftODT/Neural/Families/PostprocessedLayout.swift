/// In which outputs a network that suppresses by itself gives its detections.
enum PostprocessedLayout: Sendable {
    /// One list of rows: picture, class, score, two corners as fractions. A negative picture ends the list.
    case rows(output: Int)
    /// Separate outputs; corners with the top before the left as TensorFlow has them, or the other way round. Where two outputs
    /// may be the scores, the figures tell.
    case separate(boxes: Int, classes: Int, scores: Int, certain: Bool, topFirst: Bool)
    /// Corners and score in one output, classes in another.
    case pixels(boxes: Int, classes: Int)
    /// One list of rows: class, score, two corners. As PaddleDetection gives them.
    case classFirst(output: Int)

    /// Whether corners are fractions of the input; `nil` where networks of one form differ.
    var hasFractions: Bool? {
        switch self {
        case .rows, .separate(_, _, _, _, topFirst: true): true
        case .pixels, .classFirst: false
        case .separate: nil
        }
    }

    /// The form, and what networks of this form call their first class.
    static func recognise(_ inspection: NetworkInspection) -> (Self, firstClass: Int)? {
        let shapes = inspection.outputs.map(\.shape)
        if let boxes = inspection.output(named: "detection_boxes"), let scores = inspection.output(named: "detection_scores"),
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
            // RT-DETR and D-FINE are told a size to scale to and count classes from 0; SSD and R-CNN have a background.
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

    /// Boxes, and two lists as long as they are: of scores, and of classes, which are whole numbers.
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

    /// Whether it is one list of rows of so many numbers, with or without a dimension for a batch of one.
    private static func isList(_ shape: [Int?], of count: Int) -> Bool {
        shape.last == count && (shape.count == 2 || shape.count == 3 && (shape[0] == nil || shape[0] == 1))
    }
}
