import Testing

@testable import SwiftODT

/// Tests the conversion of a saliency map to boxes: boxes fit, parts of one object are merged, and an empty map gives
/// no boxes.
@Suite struct SaliencyDecoderTests {
    /// A saliency map of 100 x 80 pixels for a picture of 200 x 160, black except for painted rectangles.
    private struct Canvas {
        var values = [Float](repeating: 0, count: 100 * 80)

        mutating func paint(_ x: Range<Int>, _ y: Range<Int>, _ value: Float = 1) {
            for row in y { for column in x { values[row * 100 + column] = value } }
        }
    }

    private func decode(
        _ canvas: Canvas, shape: [Int] = [1, 1, 80, 100], isLogit: Bool = false, floor: Double = 0.1,
        apart: Bool = false
    ) throws -> [Detection] {
        let decoder = SaliencyDecoder(
            input: NetworkInput(width: 200, height: 160), output: 0, isLogit: isLogit, separatesThings: apart)
        let placement = InputPlacement(
            scaleX: 1, scaleY: 1, offsetX: 0, offsetY: 0, region: Box(x: 0, y: 0, width: 200, height: 160),
            orientation: .identity)
        return try canvas.values.withUnsafeBytes { bytes in
            try decoder.decode(
                [TensorView(shape: shape, element: .float32, bytes: bytes)], placement: placement,
                options: DetectionOptions(scoreFloor: floor))
        }
    }

    /// The manifest decides that a detector with post-processing is class-agnostic; its detections have no labels.
    @Test func classAgnosticDetectorGivesUnlabelledBoxes() throws {
        let tensors = [
            TestTensor([1, 2, 4], [0.25, 0.5, 0.5, 0.75] + [0, 0, 1, 1]), TestTensor([1, 2], [0, 0]),
            TestTensor([1, 2], [0.8, 0.05]), TestTensor([1], [2]),
        ]
        var manifest = ModelManifest(name: "localizer")
        manifest.task = .saliency
        (manifest.input.width, manifest.input.height) = (64, 64)
        let network = NetworkDescription(input: [1, 64, 64, 3], tensors, element: .uint8)
        let found = try Salient.decoder(for: network, manifest: manifest).decode(tensors)
        #expect(found.map(\.box) == [Box(minX: 32, minY: 16, maxX: 48, maxY: 32)])
        #expect(found.map(\.label) == [nil])
        #expect(throws: ODTError.self) { try Salient.decoder(for: network, manifest: nil) }
    }

    @Test func quantisedMapIsDequantised() throws {
        var manifest = ModelManifest(name: "saliency")
        manifest.quantisation = ["map": try #require(QuantisationScale(step: 1 / 255, zero: 0))]
        let network = NetworkDescription(
            inputs: [TensorDescription(name: "", shape: [1, 3, 160, 160], element: .float32)],
            outputs: [TensorDescription(name: "map", shape: [1, 1, 160, 160], element: .uint8)])
        let decoder = try Salient.decoder(for: network, manifest: manifest)
        #expect(!decoder.supportsTiles)
        var bytes = [UInt8](repeating: 0, count: 160 * 160)
        for row in 40..<80 { for column in 20..<100 { bytes[row * 160 + column] = 255 } }
        let placement = InputPlacement(
            scaleX: 1, scaleY: 1, offsetX: 0, offsetY: 0, region: Box(x: 0, y: 0, width: 160, height: 160),
            orientation: .identity)
        let found = try bytes.withUnsafeBytes { bytes in
            try decoder.decode(
                [TensorView(shape: [1, 1, 160, 160], element: .uint8, bytes: bytes)], placement: placement,
                options: DetectionOptions(scoreFloor: 0.1))
        }
        let box = try #require(found.first?.box)
        #expect(abs(box.x - 20) <= 2 && abs(box.maxX - 100) <= 2 && abs(box.y - 40) <= 2 && abs(box.maxY - 80) <= 2)
    }

    @Test func detectorIsNotRecognisedAsSaliency() throws {
        func decoder(_ outputs: [[Int?]]) throws -> any DetectionDecoder {
            try Salient.decoder(
                for: NetworkDescription(
                    inputs: [TensorDescription(name: "", shape: [1, 3, 320, 320], element: .float32)],
                    outputs: outputs.map { TensorDescription(name: "", shape: $0, element: .float32) }), manifest: nil)
        }
        for outputs: [[Int?]] in [
            [[1, 1917, 4], [1, 1917, 91]], [[1, 8400, 85]], [[1, 84, 8400]], [[1, 1, 100, 7]],
        ] {
            #expect(throws: ODTError.self) { try decoder(outputs) }
        }
        #expect(try decoder([[1, 4], [1, 1, 320, 320]]).input.width == 192)
        #expect(try decoder([[1, 1, nil, nil]]).input.width == 192)
    }

    /// The range from the smallest to the largest float overflows to infinity, and multiplied by 0 gives NaN.
    @Test func unnormalisedMapIsDecoded() throws {
        var canvas = Canvas()
        canvas.values = canvas.values.map { _ in -3e38 }
        canvas.paint(20..<50, 10..<70, 3e38)
        let found = try decode(canvas)
        #expect(found.count == 1)
        #expect(found[0].box.iou(Box(x: 40, y: 20, width: 60, height: 120)) > 0.98)
    }

    /// Products of declared dimensions must not overflow.
    @Test func hugeMapsAreRejected() {
        #expect(throws: ODTError.self) {
            try Salient.decoder(
                for: NetworkDescription(
                    inputs: [TensorDescription(name: "", shape: [1, 3, 320, 320], element: .float32)],
                    outputs: [
                        TensorDescription(name: "", shape: [1, 1, Int.max / 2, 4], element: .float32)
                    ]), manifest: nil)
        }
    }

    @Test func boxFitsObject() throws {
        var canvas = Canvas()
        canvas.paint(20..<50, 10..<70)
        let found = try decode(canvas)
        #expect(found.count == 1)
        #expect(found[0].box.iou(Box(x: 40, y: 20, width: 60, height: 120)) > 0.98)
        #expect(found[0].score > 0.9)
        #expect(found[0].label == nil)
    }

    @Test func boxEdgesMoveSmoothly() throws {
        var left: [Double] = []
        for step in 0...10 {
            var canvas = Canvas()
            canvas.paint(30..<60, 20..<60)
            canvas.paint(29..<30, 20..<60, Float(step) / 10)
            left.append(try decode(canvas)[0].box.minX)
        }
        #expect(zip(left, left.dropFirst()).allSatisfy { $0 >= $1 && $0 - $1 < 1.1 }, "\(left)")
        #expect(left[0] - left[10] > 1, "\(left)")
    }

    @Test func mostProminentObjectComesFirst() throws {
        var canvas = Canvas()
        canvas.paint(5..<15, 5..<15, 0.8)
        canvas.paint(50..<90, 20..<70, 0.9)
        let found = try decode(canvas)
        #expect(found.map { $0.box.width > 40 } == [true, false])
    }

    @Test func partsOfOneObjectAreMerged() throws {
        var canvas = Canvas()
        canvas.paint(20..<40, 20..<40)
        canvas.paint(20..<40, 41..<60)
        canvas.paint(70..<80, 20..<40)
        #expect(try decode(canvas).count == 2)
    }

    /// Two people hold hands or stand side by side. One box around both would fit neither.
    @Test func touchingObjectsAreSplitInStills() throws {
        var canvas = Canvas()
        canvas.paint(20..<40, 10..<70)
        canvas.paint(50..<70, 10..<70)
        canvas.paint(40..<50, 36..<40)
        #expect(try decode(canvas).count == 1, "video mode does not split objects")
        let found = try decode(canvas, apart: true)
        #expect(found.count == 2)
        for box in [Box(x: 40, y: 20, width: 40, height: 120), Box(x: 100, y: 20, width: 40, height: 120)] {
            // The connecting neck belongs to one of the boxes.
            #expect(found.contains { $0.box.iou(box) > 0.6 }, "\(found)")
        }
        var beside = Canvas()
        beside.paint(20..<40, 10..<70)
        beside.paint(41..<61, 10..<70)
        #expect(try decode(beside, apart: true).count == 2)
        #expect(try decode(beside).count == 1)
    }

    /// A head on a neck, legs, and parts that are connected over half of their width.
    @Test func partsStayMergedInStills() throws {
        var canvas = Canvas()
        canvas.paint(30..<60, 25..<55)
        canvas.paint(40..<50, 8..<20)
        canvas.paint(44..<46, 20..<25)
        canvas.paint(32..<38, 55..<78)
        canvas.paint(52..<58, 55..<78)
        #expect(try decode(canvas, apart: true).map(\.box) == [Box(x: 60, y: 16, width: 60, height: 140)])
        var stripe = Canvas()
        stripe.paint(5..<95, 30..<50)
        stripe.paint(40..<60, 34..<46)
        #expect(try decode(stripe, apart: true).count == 1)
    }

    /// A net of many knots is one object. Splitting it knot by knot would take seconds.
    @Test func patternIsOneObject() throws {
        var canvas = Canvas()
        for y in stride(from: 0, to: 80, by: 8) {
            for x in stride(from: 0, to: 100, by: 8) {
                canvas.paint(x..<min(100, x + 6), y..<y + 6)
                canvas.paint(x..<min(100, x + 8), y + 2..<y + 3)
                canvas.paint(min(99, x + 2)..<min(100, x + 3), y..<y + 8)
            }
        }
        #expect(try decode(canvas, floor: 0, apart: true).count == 1)
    }

    @Test(arguments: [Float(0), 0.05, .nan, -.infinity])
    func uniformDarkMapGivesNothing(_ value: Float) throws {
        var canvas = Canvas()
        canvas.paint(0..<100, 0..<80, value)
        #expect(try decode(canvas).isEmpty)
    }

    @Test func faintObjectsHaveLowScores() throws {
        var canvas = Canvas()
        canvas.paint(20..<60, 20..<60, 0.2)
        #expect(try decode(canvas)[0].score < 0.25)
    }

    @Test func fullMapGivesFullFrameBox() throws {
        var canvas = Canvas()
        canvas.paint(0..<100, 0..<80)
        #expect(try decode(canvas).map(\.box) == [Box(x: 0, y: 0, width: 200, height: 160)])
    }

    @Test func specksGiveBoundedBoxes() throws {
        var canvas = Canvas()
        for y in stride(from: 0, to: 80, by: 8) {
            for x in stride(from: 0, to: 100, by: 8) { canvas.paint(x..<min(100, x + 4), y..<y + 4) }
        }
        #expect(try decode(canvas, floor: 0).count == 10)
    }

    @Test func logitsAndOtherRangesAreNormalised() throws {
        var logits = Canvas()
        logits.paint(0..<100, 0..<80, -8)
        logits.paint(20..<50, 10..<70, 8)
        #expect(try decode(logits, isLogit: true)[0].box.iou(Box(x: 40, y: 20, width: 60, height: 120)) > 0.95)
        var bytes = Canvas()
        bytes.paint(20..<50, 10..<70, 255)
        #expect(try decode(bytes)[0].score > 0.9)
    }

    @Test(arguments: [[1, 80, 100], [80, 100], [1, 80, 100, 1]])
    func dimensionOrderIsRecognised(_ shape: [Int]) throws {
        var canvas = Canvas()
        canvas.paint(20..<50, 10..<70)
        #expect(try decode(canvas, shape: shape).count == 1)
    }

    @Test(arguments: [[1, 3, 80, 100], [1, 1, 80, 101], [], [1, 1, 0, 0], [1, 1, -80, -100]])
    func otherShapesAreErrors(_ shape: [Int]) {
        #expect(throws: ODTError.self) { try decode(Canvas(), shape: shape) }
    }

    @Test func networkWithoutMapIsRejected() throws {
        let picture = TensorDescription(name: "x", shape: [1, 3, 320, 320], element: .float32)
        let classes = TensorDescription(name: "y", shape: [1, 1000], element: .float32)
        #expect(throws: ODTError.self) {
            try Salient.decoder(for: .init(inputs: [picture], outputs: [classes]), manifest: nil)
        }
        let map = TensorDescription(name: "y", shape: [1, 1, nil, nil], element: .float32)
        var manifest = ModelManifest(name: "small")
        manifest.input.width = 192
        manifest.input.height = 160
        let network = NetworkDescription(inputs: [picture], outputs: [map])
        let told = try Salient.decoder(for: network, manifest: manifest, isForStills: true)
        #expect(told.input.width == 192 && told.input.height == 160)
        #expect(try Salient.decoder(for: network, manifest: nil, isForStills: true).input.width == 320)
        #expect(try Salient.decoder(for: network, manifest: nil).input.width == 192)
    }
}
