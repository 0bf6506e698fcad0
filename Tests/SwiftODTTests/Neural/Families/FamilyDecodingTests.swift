import Testing

@testable import SwiftODT

/// Verifies how each family's outputs are interpreted: handmade outputs with one object must give its box, score and
/// class.
@Suite struct FamilyDecodingTests {
    private func expect(
        _ tensors: [TestTensor], input: [Int?], labels: Labels?, manifest: ModelManifest? = nil,
        family: DetectionFamily,
        gives box: Box, score: Double, label: String, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let found = try DetectionFamily.recognise(
            NetworkDescription(input: input, tensors), manifest: manifest, labels: labels, file: "net.onnx")
        #expect(found.family == family, sourceLocation: sourceLocation)
        let detections = try found.decoder.decode(tensors)
        #expect(detections.count == 1, sourceLocation: sourceLocation)
        guard let detection = detections.first else { return }
        #expect(detection.box.iou(box) > 0.999, "\(detection.box)", sourceLocation: sourceLocation)
        #expect(abs(detection.score - score) < 1e-4, "\(detection.score)", sourceLocation: sourceLocation)
        #expect(detection.label?.text == label, sourceLocation: sourceLocation)
    }

    @Test func yoloxIsDecoded() throws {
        // A 64 x 64 input has 64 cells of 8 pixels, 16 of 16 and 4 of 32. The object is in row 1, column 1 of the
        // 16-pixel cells.
        let output = TestTensor([1, 84, 8]) { numbers in
            let row = (64 + 4 + 1) * 8
            numbers.replaceSubrange(row..<row + 8, with: [0.5, 0.25, 0, 0.6931472, 0.8, 0.1, 0.9, 0.2])
        }
        try expect(
            [output], input: [1, 3, 64, 64], labels: names(3), family: .yolox,
            gives: Box(centerX: 24, centerY: 20, width: 16, height: 32), score: 0.72, label: "thing 1")
    }

    @Test func selfDecodingYOLOXIsDecoded() throws {
        let output = TestTensor([1, 84, 8]) { numbers in
            for column in 0..<8 {
                numbers.replaceSubrange(
                    (56 + column) * 8..<(56 + column) * 8 + 4, with: [Float(8 * column + 3), 61, 8, 8])
            }
            numbers.replaceSubrange(65 * 8..<65 * 8 + 8, with: [24, 20, 16, 32, 0.8, 0.1, 0.9, 0.2])
        }
        try expect(
            [output], input: [1, 3, 64, 64], labels: names(3), family: .yolox,
            gives: Box(centerX: 24, centerY: 20, width: 16, height: 32), score: 0.72, label: "thing 1")
    }

    /// A frame with only tiny boxes near the origin does not change how the network's values are interpreted.
    @Test func outliersDoNotChangeBoxUnit() throws {
        func planes(_ boxes: [[Float]]) -> TestTensor {
            TestTensor([1, 7, 84]) { numbers in
                for (cell, box) in boxes.enumerated() {
                    for (plane, number) in (box + [0.1, 0.7, 0.2]).enumerated() { numbers[plane * 84 + cell] = number }
                }
            }
        }
        func decoder(_ tensor: TestTensor) throws -> any DetectionDecoder {
            try DetectionFamily.decoder(
                for: NetworkDescription(input: [1, 3, 64, 64], [tensor]), manifest: nil, labels: names(3),
                file: "net.onnx")
        }
        let speck = planes([[1.25, 1, 1.5, 1]])
        let inPixels = planes(Array(repeating: [32, 20, 10, 30], count: 64))
        let pixels = try decoder(inPixels)
        #expect(try pixels.decode([inPixels]).count == 1)
        let found = try #require(try pixels.decode([speck]).first)
        #expect(found.box.iou(Box(centerX: 1.25, centerY: 1, width: 1.5, height: 1)) > 0.99, "\(found.box)")
        let inFractions = planes(Array(repeating: [0.5, 0.3125, 0.15625, 0.46875], count: 64))
        let fractions = try decoder(inFractions)
        #expect(try fractions.decode([inFractions]).count == 1)
        // As fractions, these values lie outside the picture.
        #expect(try fractions.decode([inPixels]).isEmpty)
        #expect(
            try fractions.decode([inFractions]).first?.box.iou(Box(centerX: 32, centerY: 20, width: 10, height: 30))
                ?? 0 > 0.99)
    }

    @Test func outliersDoNotChangeYOLOXDecoding() throws {
        func answer(_ last: [Float]) -> TestTensor {
            TestTensor([1, 84, 8]) { numbers in
                for cell in 56..<64 { numbers.replaceSubrange(cell * 8..<cell * 8 + 4, with: last) }
                numbers.replaceSubrange(65 * 8..<65 * 8 + 8, with: [24, 20, 16, 32, 0.8, 0.1, 0.9, 0.2])
            }
        }
        let usual = answer([59, 61, 8, 8])
        let decoder = try DetectionFamily.decoder(
            for: NetworkDescription(input: [1, 3, 64, 64], [usual]), manifest: nil, labels: names(3), file: "net.onnx")
        for _ in 0..<8 { #expect(try decoder.decode([usual]).first?.box.width == 16) }
        #expect(try decoder.decode([answer([3, 2, 8, 8])]).first?.box.width == 16)
        #expect(try decoder.decode([answer([.nan, .nan, 8, 8])]).first?.box.width == 16)
    }

    /// Exports for TensorFlow use NHWC input and boxes as fractions.
    @Test func fractionalYOLOBoxesAreDecoded() throws {
        let object: [Float] = [0.5, 0.3125, 0.15625, 0.46875]
        let box = Box(centerX: 32, centerY: 20, width: 10, height: 30)
        let newer = TestTensor([1, 7, 84]) { numbers in
            for (plane, number) in (object + [0.1, 0.7, 0.2]).enumerated() { numbers[plane * 84 + 83] = number }
        }
        try expect(
            [newer], input: [1, 64, 64, 3], labels: names(3), family: .yolov8, gives: box, score: 0.7,
            label: "thing 1")
        let older = TestTensor([1, 252, 8]) { $0.replaceSubrange(80..<88, with: object + [0.8, 0.1, 0.2, 0.9]) }
        try expect(
            [older], input: [1, 64, 64, 3], labels: names(3), family: .yolov5, gives: box, score: 0.72,
            label: "thing 2")
    }

    /// Corners of postprocessed detections may be far outside the picture and are still fractions.
    @Test func fractionsOutsidePictureAreDecoded() throws {
        let rows = TestTensor([1, 1, 2, 7]) { numbers in
            numbers.replaceSubrange(0..<7, with: [0, 2, 0.8, 0.25, 0.5, 4, 3])
            numbers[7] = -1
        }
        try expect(
            [rows], input: [1, 3, 64, 64], labels: names(3), family: .ssdPostprocessed,
            gives: Box(minX: 16, minY: 32, maxX: 64, maxY: 64), score: 0.8, label: "thing 1")
    }

    @Test func paddleRowsAreDecoded() throws {
        let rows = TestTensor([3, 6]) { $0.replaceSubrange(6..<12, with: [2, 0.8, 10, 12, 30, 40]) }
        try expect(
            [rows, TestTensor([1], [3])], input: [1, 3, 64, 64], labels: names(3), family: .ssdPostprocessed,
            gives: Box(minX: 10, minY: 12, maxX: 30, maxY: 40), score: 0.8, label: "thing 2")
    }

    @Test func yolov5IsDecoded() throws {
        let output = TestTensor([1, 252, 8]) {
            $0.replaceSubrange(80..<88, with: [32, 20, 10, 30, 0.8, 0.1, 0.2, 0.9])
        }
        try expect(
            [output], input: [1, 3, 64, 64], labels: names(3), family: .yolov5,
            gives: Box(centerX: 32, centerY: 20, width: 10, height: 30), score: 0.72, label: "thing 2")
    }

    /// YOLOX with a dynamic size has the outputs of YOLOv5, but one box per cell and not three. YOLOv6 has one decoded
    /// box per cell.
    @Test func rowsOfDynamicYOLOXAreAnErrorInYOLOv5UnlessDecoded() throws {
        let network = NetworkDescription(
            inputs: [TensorDescription(name: "image", shape: [1, 3, nil, nil], element: .float32)],
            outputs: [TensorDescription(name: "", shape: [1, nil, 8], element: .float32)])
        func decoder(_ family: DetectionFamily?) throws -> any DetectionDecoder {
            var manifest = ModelManifest(name: "mine")
            manifest.family = family?.rawValue
            manifest.input.width = 64
            manifest.input.height = 64
            return try DetectionFamily.decoder(for: network, manifest: manifest, labels: names(3), file: "net.onnx")
        }
        let (cells, boxes) = (TestTensor([1, 84, 8]) { _ in }, TestTensor([1, 252, 8]) { _ in })
        #expect(try decoder(nil).decode([boxes]).isEmpty)
        #expect {
            _ = try decoder(nil).decode([cells])
        } throws: {
            "\($0)".contains("set \"family\": \"yolox\"")
        }
        let decoded = TestTensor([1, 84, 8]) { numbers in
            for column in 0..<8 { numbers[(56 + column) * 8 + 1] = 61 }
            numbers.replaceSubrange(65 * 8..<65 * 8 + 8, with: [24, 20, 16, 32, 1, 0.1, 0.9, 0.2])
        }
        let found = try decoder(nil).decode([decoded])
        #expect(found.map(\.label?.text) == ["thing 1"])
        #expect(found.allSatisfy { $0.box.iou(Box(centerX: 24, centerY: 20, width: 16, height: 32)) > 0.999 })
        #expect(try decoder(.yolox).decode([cells]).isEmpty)
        #expect(try decoder(.yolov5).decode([cells]).isEmpty)
    }

    @Test func yolov8IsDecoded() throws {
        let output = TestTensor([1, 7, 84]) { numbers in
            let object: [Float] = [32, 20, 10, 30, 0.1, 0.7, 0.2]
            for (plane, number) in object.enumerated() { numbers[plane * 84 + 83] = number }
        }
        try expect(
            [output], input: [1, 3, 64, 64], labels: names(3), family: .yolov8,
            gives: Box(centerX: 32, centerY: 20, width: 10, height: 30), score: 0.7, label: "thing 1")
    }

    @Test func transposedYOLOv8IsDecoded() throws {
        let output = TestTensor([1, 84, 7]) { $0.replaceSubrange(70..<77, with: [32, 20, 10, 30, 0.1, 0.2, 0.7]) }
        try expect(
            [output], input: [1, 3, 64, 64], labels: names(3), family: .yolov8,
            gives: Box(centerX: 32, centerY: 20, width: 10, height: 30), score: 0.7, label: "thing 2")
    }

    @Test func yolov8WithMasksIsDecoded() throws {
        let output = TestTensor([1, 9, 84]) { numbers in
            let object: [Float] = [32, 20, 10, 30, 0.1, 0.7, 0.2, 5, 5]
            for (plane, number) in object.enumerated() { numbers[plane * 84] = number }
        }
        try expect(
            [output, TestTensor([1, 2, 16, 16]) { _ in }], input: [1, 3, 64, 64], labels: names(3), family: .yolov8,
            gives: Box(centerX: 32, centerY: 20, width: 10, height: 30), score: 0.7, label: "thing 1")
    }

    @Test func endToEndYOLOIsDecoded() throws {
        let output = TestTensor([1, 300, 6]) { $0.replaceSubrange(0..<6, with: [10, 12, 30, 40, 0.8, 2]) }
        try expect(
            [output], input: [1, 3, 64, 64], labels: names(3), family: .yoloEndToEnd,
            gives: Box(minX: 10, minY: 12, maxX: 30, maxY: 40), score: 0.8, label: "thing 2")
    }

    /// A class named "none" has an index, too.
    @Test func backgroundLabelOfEndToEndYOLOIsAnErrorWithoutNumberOfClasses() throws {
        let output = TestTensor([1, 300, 6]) { $0.replaceSubrange(0..<6, with: [10, 12, 30, 40, 0.8, 1]) }
        for first in ["none", "background"] {
            let labels = Labels([first, "vehicle", "dog"])
            #expect {
                _ = try DetectionFamily.decoder(
                    for: NetworkDescription(input: [1, 3, 64, 64], [output]), manifest: nil, labels: labels,
                    file: "net.onnx")
            } throws: {
                "\($0)".contains("set \"classes\" in its manifest to 3")
            }
            for (classes, label) in [(3, "vehicle"), (2, "dog")] {
                var manifest = ModelManifest(name: "mine")
                manifest.classes = classes
                try expect(
                    [output], input: [1, 3, 64, 64], labels: labels, manifest: manifest, family: .yoloEndToEnd,
                    gives: Box(minX: 10, minY: 12, maxX: 30, maxY: 40), score: 0.8, label: label)
            }
        }
    }

    /// TensorFlow's label maps and lists such as "1 person" have no name for index 0.
    @Test func endToEndYOLOIgnoresUnnamedLabelZero() throws {
        let output = TestTensor([1, 300, 6]) { $0.replaceSubrange(0..<6, with: [10, 12, 30, 40, 0.8, 0]) }
        try expect(
            [output], input: [1, 3, 64, 64], labels: Labels(["", "person", "vehicle"]), family: .yoloEndToEnd,
            gives: Box(minX: 10, minY: 12, maxX: 30, maxY: 40), score: 0.8, label: "person")
    }

    /// The rows have as many columns as those of a DETR with two classes.
    @Test func endToEndYOLOWithTwoClassesIsDecoded() throws {
        let output = TestTensor([1, 300, 6]) { $0.replaceSubrange(0..<6, with: [10, 12, 30, 40, 0.8, 1]) }
        try expect(
            [output], input: [1, 3, 64, 64], labels: Labels(["person", "vehicle"]), family: .yoloEndToEnd,
            gives: Box(minX: 10, minY: 12, maxX: 30, maxY: 40), score: 0.8, label: "vehicle")
        let detr = try DetectionFamily.recognise(
            NetworkDescription(input: [1, 3, 640, 640], [output]), manifest: nil, labels: names(2),
            file: "rtdetr-l.onnx")
        #expect(detr.family == .detr)
    }

    @Test func fastestDetIsDecoded() throws {
        let output = TestTensor([1, 8, 4, 4]) { numbers in
            let object: [Float] = [0.9, 0, 0.5493061, 0, -1.0986123, 0.1, 0.2, 0.8]
            for (plane, number) in object.enumerated() { numbers[plane * 16 + 6] = number }
        }
        // Column 2, row 1 of 4 x 4 cells of 16 pixels. tanh(0.549) = 0.5; the box has 1/2 of the width and 1/4 of the
        // height.
        try expect(
            [output], input: [1, 3, 64, 64], labels: names(3), family: .fastestDet,
            gives: Box(centerX: 32, centerY: 24, width: 32, height: 16), score: 0.858606, label: "thing 2")
    }

    @Test func nanodetPlusIsDecoded() throws {
        // A 64 x 64 input has 64 + 16 + 4 + 1 cells. Each side's distribution has all its weight in one bin.
        let output = TestTensor([1, 85, 35]) { numbers in
            let row = (64 + 5) * 35
            numbers[row + 2] = 0.8
            for (side, bin) in [1, 1, 2, 1].enumerated() { numbers[row + 3 + side * 8 + bin] = 100 }
        }
        try expect(
            [output], input: [1, 3, 64, 64], labels: names(3), family: .nanodet,
            gives: Box(minX: 0, minY: 0, maxX: 48, maxY: 32), score: 0.8, label: "thing 2")
    }

    @Test func threeLevelNanoDetIsDecoded() throws {
        let output = TestTensor([1, 84, 35]) { numbers in
            numbers[0] = 0.8
            // Equal weights on 0 and 1 have a mean of 0.5.
            for side in 0..<4 { numbers.replaceSubrange(3 + side * 8..<5 + side * 8, with: [100, 100]) }
        }
        try expect(
            [output], input: [1, 3, 64, 64], labels: names(3), family: .nanodet,
            gives: Box(minX: 0, minY: 0, maxX: 8, maxY: 8), score: 0.8, label: "thing 0")
    }

    @Test func softmaxDETRIsDecoded() throws {
        let boxes = TestTensor([1, 5, 4]) { $0.replaceSubrange(8..<12, with: [0.5, 0.25, 0.25, 0.5]) }
        let scores = TestTensor([1, 5, 5]) { numbers in
            for row in 0..<5 { numbers.replaceSubrange(row * 5..<row * 5 + 5, with: [0, 0, 0, 0, 10]) }
            numbers.replaceSubrange(10..<15, with: [0, 3, 0, 0, 0])
        }
        try expect(
            [scores, boxes], input: [1, 3, 64, 64], labels: names(4), family: .detr,
            gives: Box(centerX: 32, centerY: 16, width: 16, height: 32), score: 0.833930, label: "thing 1")
    }

    @Test func sigmoidDETRIsDecoded() throws {
        let boxes = TestTensor([1, 5, 4]) { $0.replaceSubrange(8..<12, with: [0.5, 0.25, 0.25, 0.5]) }
        let logits = TestTensor([1, 5, 3]) { numbers in
            for index in numbers.indices { numbers[index] = -20 }
            numbers[8] = 1.0986123
        }
        try expect(
            [boxes, logits], input: [1, 3, 64, 64], labels: names(3), family: .detr,
            gives: Box(centerX: 32, centerY: 16, width: 16, height: 32), score: 0.75, label: "thing 2")
    }

    @Test func singleOutputDETRIsDecoded() throws {
        let output = TestTensor([1, 10, 7]) {
            $0.replaceSubrange(7..<14, with: [0.5, 0.25, 0.25, 0.5, 0.1, 0.2, 0.75])
        }
        try expect(
            [output], input: [1, 3, 640, 640], labels: names(3), family: .detr,
            gives: Box(centerX: 320, centerY: 160, width: 160, height: 320), score: 0.75, label: "thing 2")
    }

    /// YOLO-NAS and YOLOv4 return decoded boxes and scores for each cell of a grid.
    @Test func detrWithDynamicShapeRefusesMoreThan1000Rows() throws {
        let network = NetworkDescription(
            inputs: [TensorDescription(name: "image", shape: [1, 3, nil, nil], element: .float32)],
            outputs: [[1, nil, 4], [1, nil, 3]].map { TensorDescription(name: "", shape: $0, element: .float32) })
        let found = try DetectionFamily.recognise(network, manifest: nil, labels: names(3), file: "net.onnx")
        #expect(found.family == .detr)
        func tensors(_ rows: Int) -> [TestTensor] {
            [TestTensor([1, rows, 4]) { _ in }, TestTensor([1, rows, 3]) { $0[0] = -20 }]
        }
        _ = try found.decoder.decode(tensors(300))
        #expect {
            _ = try found.decoder.decode(tensors(2100))
        } throws: {
            "\($0)".contains("at most 1000 boxes")
        }
    }

    @Test func openVINODetectionOutputIsDecoded() throws {
        let output = TestTensor([1, 1, 4, 7]) { numbers in
            numbers.replaceSubrange(
                0..<21, with: [0, 2, 0.8, 0.25, 0.5, 0.5, 0.75] + [-1, 1, 0.9, 0, 0, 1, 1] + [0, 1, 0.9, 0, 0, 1, 1])
        }
        try expect(
            [output], input: [1, 3, 64, 64], labels: names(3), family: .ssdPostprocessed,
            gives: Box(minX: 16, minY: 32, maxX: 32, maxY: 48), score: 0.8, label: "thing 1")
    }

    /// Some networks of this layout number their classes from 0. Without the error, persons would have no label.
    @Test func classZeroOfNetworkWithBackgroundIsAnError() throws {
        let output = TestTensor([1, 1, 2, 7]) { $0.replaceSubrange(0..<7, with: [0, 0, 0.8, 0.25, 0.5, 0.5, 0.75]) }
        let decoder = try DetectionFamily.decoder(
            for: NetworkDescription(input: [1, 3, 64, 64], [output]), manifest: nil, labels: Labels(["person"]),
            file: "net.xml")
        #expect {
            _ = try decoder.decode([output])
        } throws: {
            "\($0)".contains("\"background\": false")
        }
        var manifest = ModelManifest(name: "mine")
        manifest.hasBackground = false
        try expect(
            [output], input: [1, 3, 64, 64], labels: Labels(["person"]), manifest: manifest, family: .ssdPostprocessed,
            gives: Box(minX: 16, minY: 32, maxX: 32, maxY: 48), score: 0.8, label: "person")
    }

    /// A network with one input and lists of boxes, labels and scores has a background class, unless it returns class 0.
    @Test func classZeroOfListsIsAnError() throws {
        let tensors = [
            TestTensor([1, 2, 4], [32, 16, 48, 32] + [0, 0, 8, 8]), TestTensor([1, 2], [0, 1]),
            TestTensor([1, 2], [0.8, 0.7]),
        ]
        let outputs = zip(["boxes", "labels", "scores"], tensors).map {
            TensorDescription(name: $0, shape: $1.shape, element: $0 == "labels" ? .int64 : .float32)
        }
        let picture = TensorDescription(name: "images", shape: [1, 3, 64, 64], element: .float32)
        func detections(_ manifest: ModelManifest?) throws -> [Detection] {
            try DetectionFamily.decoder(
                for: NetworkDescription(inputs: [picture], outputs: outputs), manifest: manifest, labels: names(2),
                file: "net.onnx"
            ).decode(tensors)
        }
        #expect {
            _ = try detections(nil)
        } throws: {
            "\($0)".contains("\"background\": false")
        }
        var manifest = ModelManifest(name: "mine")
        manifest.hasBackground = false
        #expect(try detections(manifest).map(\.label?.text) == ["thing 0", "thing 1"])
    }

    /// EfficientDet of AutoML has rows with a picture index, a box, a score and a class, which look like those of a DETR
    /// with three classes. Exports of YOLO without the sigmoid return logits.
    @Test(
        arguments: [
            ([1, 100, 7], [0, 80, 110, 160, 210, 0.9, 2], .detr),
            ([1, 84, 7], [32, 20, 10, 30, -5, -6, 2.5], .yolov8),
            ([1, 252, 8], [32, 20, 10, 30, 3, -5, -6, 2.5], .yolov5),
        ] as [([Int], [Float], DetectionFamily)])
    func scoreAboveOneIsAnError(shape: [Int], row: [Float], family: DetectionFamily) throws {
        let output = TestTensor(shape) { $0.replaceSubrange(0..<row.count, with: row) }
        let found = try DetectionFamily.recognise(
            NetworkDescription(input: [1, 3, 64, 64], [output]), manifest: nil, labels: names(3), file: "net.onnx")
        #expect(found.family == family)
        #expect {
            _ = try found.decoder.decode([output])
        } throws: {
            "\($0)".contains("returns the score") && "\($0)".contains("\"logits\": true works only for efficientdet")
        }
    }

    /// The rounding of quantised outputs can exceed 1 slightly.
    @Test func scoreSlightlyAboveOneIsLimited() throws {
        let output = TestTensor([1, 84, 7]) { $0.replaceSubrange(0..<7, with: [32, 20, 10, 30, 0, 1.02, 0]) }
        try expect(
            [output], input: [1, 3, 64, 64], labels: names(3), family: .yolov8,
            gives: Box(centerX: 32, centerY: 20, width: 10, height: 30), score: 1, label: "thing 1")
    }

    /// Some networks fill the rows after the last detection with arbitrary values.
    @Test func scoreOfEmptyBoxIsIgnored() throws {
        let output = TestTensor([1, 84, 7]) { numbers in
            numbers.replaceSubrange(0..<14, with: [32, 20, 10, 30, 0, 0.8, 0, 9, 9, 0, 0, 0, 700, 0])
        }
        try expect(
            [output], input: [1, 3, 64, 64], labels: names(3), family: .yolov8,
            gives: Box(centerX: 32, centerY: 20, width: 10, height: 30), score: 0.8, label: "thing 1")
    }

    @Test func logitsNeedFamilyThatSupportsThem() throws {
        var manifest = ModelManifest(name: "mine")
        manifest.scoresAreLogits = true
        let planes = TestTensor([1, 7, 84]) { _ in }
        #expect {
            try DetectionFamily.recognise(
                NetworkDescription(input: [1, 3, 64, 64], [planes]), manifest: manifest, labels: names(3),
                file: "net.onnx")
        } throws: {
            "\($0)".contains("family yolov8 does not support")
        }
        let queries = TestTensor([1, 10, 7]) { numbers in
            for index in numbers.indices { numbers[index] = -20 }
            numbers.replaceSubrange(7..<14, with: [0.5, 0.25, 0.25, 0.5, -5, -5, 1.0986123])
        }
        try expect(
            [queries], input: [1, 3, 640, 640], labels: names(3), manifest: manifest, family: .detr,
            gives: Box(centerX: 320, centerY: 160, width: 160, height: 320), score: 0.75, label: "thing 2")
    }

    /// Qualcomm AI Hub's exports of YOLO return the best class of each cell.
    @Test(arguments: [(84, .int64), (84, .uint8), (252, .int64)] as [(Int, TensorElement)])
    func bestClassPerGridCellCountsFromZeroAndIsSuppressed(rows: Int, element: TensorElement) throws {
        let boxes = TestTensor([1, rows, 4]) {
            $0.replaceSubrange(40..<52, with: [32, 16, 48, 32] + [33, 16, 49, 32] + [0, 0, 8, 8])
        }
        let scores = TestTensor([1, rows]) { $0.replaceSubrange(10..<13, with: [0.8, 0.7, 0.6]) }
        let indices = (0..<rows).map { $0 == 12 ? 1 : 0 }
        let classes =
            element == .uint8
            ? TestTensor([1, rows], bytes: indices.map { UInt8($0) }, .uint8, named: "class_idx")
            : TestTensor([1, rows], indices.map { Float($0) })
        let outputs = [("boxes", boxes), ("scores", scores), ("class_idx", classes)].map {
            TensorDescription(name: $0, shape: $1.shape, element: $0 == "class_idx" ? element : .float32)
        }
        let picture = TensorDescription(name: "image", shape: [1, 3, 64, 64], element: .float32)
        let found = try DetectionFamily.recognise(
            NetworkDescription(inputs: [picture], outputs: outputs), manifest: nil, labels: names(3), file: "net.onnx")
        #expect(found.family == .ssdPostprocessed)
        let detections = try found.decoder.decode([boxes, scores, classes])
        #expect(detections.map(\.label?.text) == ["thing 0", "thing 1"])
    }

    /// The number of classes is unknown, so only a detection shows that the labels belong to another network.
    @Test func classWithoutLabelIsAnError() throws {
        let output = TestTensor([1, 300, 6]) { $0.replaceSubrange(0..<6, with: [8, 8, 16, 16, 0.9, 3]) }
        let decoder = try DetectionFamily.decoder(
            for: NetworkDescription(input: [1, 3, 64, 64], [output]), manifest: nil, labels: names(2), file: "net.onnx")
        #expect {
            _ = try decoder.decode([output])
        } throws: {
            "\($0)".contains("returns class 3, but it has only 2 labels")
        }
    }

    @Test func tfliteDetectionPostProcessIsDecoded() throws {
        let boxes = TestTensor([1, 3, 4]) { $0.replaceSubrange(0..<4, with: [0.25, 0.5, 0.5, 0.75]) }
        let classes = TestTensor([1, 3], [2, 0, 0])
        let scores = TestTensor([1, 3], [0.8, 0.05, 0])
        let count = TestTensor([1], [3])
        for order in [[boxes, classes, scores, count], [count, scores, classes, boxes]] {
            try expect(
                order, input: [1, 64, 64, 3], labels: names(3), family: .ssdPostprocessed,
                gives: Box(minX: 32, minY: 16, maxX: 48, maxY: 32), score: 0.8, label: "thing 2")
        }
    }

    /// DEIM, D-FINE and RT-DETR: boxes in input pixels, classes from 0, and no suppression of overlapping boxes.
    @Test func postprocessedQueriesAreDecodedWithoutSuppression() throws {
        let tensors = [
            TestTensor([1, 3], [2, 0, 0]),
            TestTensor([1, 3, 4], [32, 16, 48, 32] + [32, 16, 48, 33] + [0, 0, 8, 8]),
            TestTensor([1, 3], [0.8, 0.6, 0.05]),
        ]
        let outputs = zip(["labels", "boxes", "scores"], tensors).map {
            TensorDescription(name: $0, shape: $1.shape, element: $0 == "labels" ? .int64 : .float32)
        }
        let inputs = [
            TensorDescription(name: "images", shape: [1, 3, 64, 64], element: .float32),
            TensorDescription(name: "orig_target_sizes", shape: [1, 2], element: .int64),
        ]
        let network = NetworkDescription(inputs: inputs, outputs: outputs)
        let found = try DetectionFamily.recognise(network, manifest: nil, labels: names(3), file: "made-up.onnx")
        #expect(found.family == .detrPostprocessed)
        let detections = try found.decoder.decode(tensors)
        #expect(detections.map(\.label?.text) == ["thing 2", "thing 0"])
        #expect(detections.map(\.box.minX) == [32, 32])
        // Classes that are COCO's original category ids need labels from 1. Such a network never returns class 0.
        for first in ["", "background"] {
            let decoder = try DetectionFamily.decoder(
                for: network, manifest: nil, labels: Labels([first, "person", "bicycle"]), file: "made-up.onnx")
            #expect {
                _ = try decoder.decode(tensors)
            } throws: {
                "\($0)".contains("returns class 0, but its labels count from 1")
            }
            let ids = [TestTensor([1, 3], [2, 1, 0])] + tensors[1...]
            #expect(try decoder.decode(ids).map(\.label?.text) == ["bicycle", "person"])
        }
    }

    @Test func tensorFlowDetectionsAreDecoded() throws {
        let tensors = [
            ("detection_classes:0", TestTensor([1, 2], [2, 1])), ("num_detections:0", TestTensor([1], [2])),
            ("detection_boxes:0", TestTensor([1, 2, 4], [0.25, 0.5, 0.5, 0.75, 0, 0, 1, 1])),
            ("scope/detection_scores:0", TestTensor([1, 2], [0.8, 0.05])),
        ]
        let network = NetworkDescription(
            inputs: [TensorDescription(name: "image_tensor", shape: [1, nil, nil, 3], element: .uint8)],
            outputs: tensors.map { TensorDescription(name: $0.0, shape: $0.1.shape, element: .float32) })
        let decoder = try DetectionFamily.decoder(for: network, manifest: nil, labels: names(3), file: "net.pb")
        #expect(decoder.input.width == 300 && decoder.input.element == .uint8 && decoder.input.layout == .nhwc)
        let detections = try decoder.decode(tensors.map(\.1))
        #expect(detections.count == 1)
        #expect(detections.first?.label?.text == "thing 1")
        #expect(detections.first.map { $0.box.iou(Box(minX: 150, minY: 75, maxX: 225, maxY: 150)) > 0.999 } == true)
    }

    @Test func boxesWithSeparateLabelsAreDecoded() throws {
        let boxes = TestTensor([2, 5], [8, 16, 24, 48, 0.8, 0, 0, 0, 0, 0])
        try expect(
            [boxes, TestTensor([2], [1, 0])], input: [1, 3, 64, 64], labels: names(3), family: .ssdPostprocessed,
            gives: Box(minX: 8, minY: 16, maxX: 24, maxY: 48), score: 0.8, label: "thing 1")
    }

    @Test func ssdIsDecoded() throws {
        // The first anchor of the second layer of a 300 x 300 input: cell (0, 0) of 10 x 10, scale 0.35.
        let anchor = 19 * 19 * 3
        let boxes = TestTensor([1, 1917, 1, 4]) {
            $0.replaceSubrange(anchor * 4..<anchor * 4 + 4, with: [5, 10, 0, 3.4657359])
        }
        let scores = TestTensor([1, 1917, 4]) { numbers in
            for index in numbers.indices { numbers[index] = -20 }
            numbers[anchor * 4] = 5  // the background score is ignored
            numbers[anchor * 4 + 2] = 1.0986123
        }
        try expect(
            [boxes, scores], input: [1, 300, 300, 3], labels: names(3), family: .ssd,
            gives: Box(centerX: 15 + 105, centerY: 15 + 52.5, width: 210, height: 105), score: 0.75, label: "thing 1")
    }

    /// Some exports include the softmax or the sigmoid.
    @Test func probabilitiesInsteadOfLogitsAreAnError() throws {
        let anchors = [TestTensor([1, 1917, 4]) { _ in }, TestTensor([1, 1917, 4]) { $0[4 * 700 + 3] = 0.9 }]
        let queries = [
            TestTensor([1, 300, 4]) { $0.replaceSubrange(28..<32, with: [0.5, 0.25, 0.25, 0.5]) },
            TestTensor([1, 300, 3]) { $0[3 * 7 + 2] = 0.9 },
        ]
        for (outputs, input) in [(anchors, [1, 3, 300, 300]), (queries, [1, 3, 640, 640])] {
            func detections(_ manifest: ModelManifest?) throws -> [Detection] {
                try DetectionFamily.decoder(
                    for: NetworkDescription(input: input, outputs), manifest: manifest, labels: names(3),
                    file: "net.onnx"
                ).decode(outputs)
            }
            #expect {
                _ = try detections(nil)
            } throws: {
                "\($0)".contains("set \"logits\": false")
            }
            var manifest = ModelManifest(name: "mine")
            manifest.scoresAreLogits = false
            #expect(try detections(manifest).map(\.label?.text) == ["thing 2"])
        }
    }

    @Test func ssdWithFPNIsDecoded() throws {
        // Level 7 of a 320 x 320 input: 3 x 3 cells of 128 pixels, centred on corners because 128 does not divide 320.
        let anchor = (1600 + 400 + 100 + 25) * 6 + 4 * 6
        let boxes = TestTensor([1, 12804, 4]) { _ in }
        let scores = TestTensor([1, 12804, 4]) { numbers in
            for index in numbers.indices { numbers[index] = -20 }
            numbers[anchor * 4 + 3] = 1.0986123
        }
        let network = NetworkDescription(input: [1, 3, 320, 320], [boxes, scores])
        let found = try DetectionFamily.recognise(network, manifest: nil, labels: names(3), file: "net.onnx")
        #expect(found.family == .ssd)
        let decoder = try #require(found.decoder as? AnchorDecoder)
        let box = decoder.anchors.boxes[anchor]
        #expect(box.centerX == 128 && box.centerY == 128 && box.width == 512 && box.height == 512)
        #expect(try decoder.decode([boxes, scores]).first?.box == Box(x: 0, y: 0, width: 320, height: 320))
    }

    @Test func singleOutputEfficientDetIsDecoded() throws {
        // Level 4 of a 320 x 320 input: row 1, column 2, second scale, third aspect ratio (width is half the height).
        let anchor = (1600 + 20 + 2) * 9 + 5
        let boxes = TestTensor([1, 19206, 4]) { $0[anchor * 4] = 0.5 }
        let scores = TestTensor([1, 19206, 3]) { $0[anchor * 3 + 1] = 0.7 }
        let side = 48 * 1.2599210
        try expect(
            [scores, boxes], input: [1, 320, 320, 3], labels: names(3), family: .efficientDet,
            gives: Box(
                centerX: 40, centerY: 24 + side * 1.4142135 / 2, width: side / 1.4142135, height: side * 1.4142135
            ).clipped(width: 320, height: 320),
            score: 0.7, label: "thing 1")
    }

    @Test(arguments: [false, true]) func perLevelEfficientDetIsDecoded(inPlanes: Bool) throws {
        let cells = [16, 8, 4, 2, 1]
        func shape(_ cells: Int, _ numbers: Int) -> [Int] {
            inPlanes ? [1, numbers * 9, cells, cells] : [1, cells, cells, numbers * 9]
        }
        let boxes = cells.map { TestTensor(shape($0, 4)) { _ in } }
        let scores = cells.map { side in
            TestTensor(shape(side, 3)) { numbers in
                for index in numbers.indices { numbers[index] = -20 }
                // Level 5, row 2, column 1, first anchor, class 2.
                if side == 4 { numbers[inPlanes ? 2 * 16 + 9 : 9 * 27 + 2] = 1.0986123 }
            }
        }
        try expect(
            scores + boxes, input: inPlanes ? [1, 3, 128, 128] : [1, 128, 128, 3], labels: names(3),
            family: .efficientDet,
            gives: Box(centerX: 48, centerY: 80, width: 96, height: 96), score: 0.75, label: "thing 2")
    }
}
