import ODTTestSupport
import Testing

@testable import SwiftODT

/// Verifies that no decoder crashes on random values, wrong shapes or too few values, and that all detections have
/// boxes within the picture and scores from 0 to 1.
@Suite struct DecoderRobustnessTests {
    /// At least one network description for each family.
    private static let networks: [(input: [Int?], outputs: [[Int]], family: DetectionFamily)] = [
        ([1, 3, 64, 64], [[1, 84, 8]], .yolox), ([1, 3, 64, 64], [[1, 252, 8]], .yolov5),
        ([1, 3, 64, 64], [[1, 7, 84]], .yolov8), ([1, 3, 64, 64], [[1, 84, 7]], .yolov8),
        ([1, 3, 64, 64], [[1, 300, 6]], .yoloEndToEnd), ([1, 3, 64, 64], [[1, 8, 4, 4]], .fastestDet),
        ([1, 3, 64, 64], [[1, 85, 35]], .nanodet), ([1, 3, 64, 64], [[1, 20, 4], [1, 20, 5]], .detr),
        ([1, 3, 64, 64], [[1, 20, 5], [1, 20, 4]], .detr), ([1, 3, 64, 64], [[1, 1, 50, 7]], .ssdPostprocessed),
        ([1, 64, 64, 3], [[1, 9, 4], [1, 9], [1, 9], [1]], .ssdPostprocessed),
        ([1, 3, 64, 64], [[30, 5], [30]], .ssdPostprocessed), ([1, 3, 64, 64], [[30, 6], [1]], .ssdPostprocessed),
        ([3, 64, 64], [[30, 4], [30], [30]], .ssdPostprocessed),
        ([1, 300, 300, 3], [[1, 1917, 4], [1, 1917, 4]], .ssd),
        ([1, 128, 128, 3], [[1, 3069, 3], [1, 3069, 4]], .efficientDet),
    ]

    private func decoder(_ index: Int) throws -> any DetectionDecoder {
        let network = Self.networks[index]
        var manifest = ModelManifest(name: "x")
        manifest.family = network.family.rawValue
        let description = NetworkDescription(
            inputs: [TensorDescription(name: "x", shape: network.input, element: .float32)],
            outputs: network.outputs.map { TensorDescription(name: "", shape: $0, element: .float32) })
        let labels = network.family == .detr ? names(4) : names(3)
        return try DetectionFamily.decoder(for: description, manifest: manifest, labels: labels, file: "net.onnx")
    }

    private static let junk: [Float] = [
        .nan, .infinity, -.infinity, .greatestFiniteMagnitude, -.greatestFiniteMagnitude, .leastNonzeroMagnitude, 0,
        -0.0, 1, -1, 0.5,
        0.9, 2, 3, 64, 1e9, -1e9, 88, 127, 2_147_483_648,
    ]

    private func check(_ detections: [Detection], in decoder: any DetectionDecoder) {
        let picture = Box(x: 0, y: 0, width: Double(decoder.input.width), height: Double(decoder.input.height))
        for detection in detections {
            #expect(detection.box.isFinite && !detection.box.isEmpty && detection.score >= 0 && detection.score <= 1)
            #expect(detection.box.minX >= 0 && detection.box.minY >= 0)
            #expect(detection.box.maxX <= picture.maxX + 1e-6 && detection.box.maxY <= picture.maxY + 1e-6)
        }
        #expect(zip(detections, detections.dropFirst()).allSatisfy { $0.score >= $1.score })
    }

    @Test(arguments: networks.indices) func decoderSurvivesRandomData(index: Int) throws {
        let decoder = try decoder(index)
        var random = SeededGenerator(seed: UInt64(index))
        for round in 0..<12 {
            let tensors = Self.networks[index].outputs.map { shape in
                TestTensor(shape) { numbers in
                    for place in numbers.indices {
                        numbers[place] =
                            round % 3 == 0
                            ? Float(bitPattern: UInt32.random(in: 0 ... .max, using: &random))
                            : round % 3 == 1
                                ? Self.junk.randomElement(using: &random) ?? 0
                                : Float.random(in: -3...1, using: &random)
                    }
                }
            }
            let options = DetectionOptions(
                scoreFloor: [0, 0.1, 1, -5, .nan, .infinity][round % 6], iouThreshold: [0.5, 0, 1, .nan, -1][round % 5])
            do {
                check(try decoder.decode(tensors, options: options), in: decoder)
            } catch let error as ODTError
                where ["returns class ", "returns the score "].contains(where: { "\(error)".contains($0) })
            {
                // Such a network has no background class, more classes than labels, or logits.
            }
        }
    }

    @Test(arguments: networks.indices) func decoderRejectsOtherShapes(index: Int) throws {
        let decoder = try decoder(index)
        let shapes = Self.networks[index].outputs
        #expect(throws: ODTError.self) { try decoder.decode([TestTensor]()) }
        let others: [[Int]] = [[], [0], [1], [1, 1], [1, 0, 4], [1, 3, 3], [1, 1, 1, 6], [1, 2, 2, 2, 2], [7]]
        for other in others where other != shapes[0] {
            let tensors = [TestTensor(other) { _ in }] + shapes.dropFirst().map { TestTensor($0) { _ in } }
            // Some shapes are valid for the family; their outputs of zeros must give no detections.
            if let found = try? decoder.decode(tensors) { #expect(found.isEmpty) }
        }
        let honest = shapes.map { TestTensor($0) { _ in } }
        let views = honest.map { tensor in
            TensorView(
                shape: tensor.shape, element: .float32,
                bytes: UnsafeRawBufferPointer(rebasing: tensor.view.bytes.dropLast(8)))
        }
        #expect(throws: ODTError.self) {
            try decoder.decode(views, placement: .whole(64, 64), options: DetectionOptions())
        }
        withExtendedLifetime(honest) {}
    }

    @Test func recognitionSurvivesAnyShapes() {
        var random = SeededGenerator(seed: 99)
        var recognised = 0
        let extents: [Int?] = [nil, 0, 1, 3, 4, 5, 6, 7, 8, 36, 84, 85, 100, 300, 1917, 3549, 8400, -1, 1 << 40, .max]
        for _ in 0..<4000 {
            func shape(_ ranks: ClosedRange<Int>) -> [Int?] {
                (0..<Int.random(in: ranks, using: &random)).map { _ in extents.randomElement(using: &random) ?? nil }
            }
            let input: [Int?] = Bool.random(using: &random) ? [1, 3, 64, 64] : shape(0...5)
            let network = NetworkDescription(
                inputs: [TensorDescription(name: "x", shape: input, element: .float32)],
                outputs: (0..<Int.random(in: 0...5, using: &random)).map { _ in
                    TensorDescription(name: "boxes", shape: [1] + shape(0...4), element: .float32)
                })
            var manifest = ModelManifest(name: "x")
            if Bool.random(using: &random) {
                manifest.family = DetectionFamily.allCases.randomElement(using: &random)?.rawValue
            }
            let labels = names(Int.random(in: 0...90, using: &random))
            do {
                let decoder = try DetectionFamily.decoder(
                    for: network, manifest: manifest, labels: labels, file: "net.onnx")
                recognised += 1
                _ = try? decoder.decode([TestTensor([1, 4], [1, 2, 3, 4])])
            } catch {
                #expect(error is ODTError)
            }
        }
        #expect(recognised > 0)
    }

    /// A manifest can request one anchor per pixel, which would need about 10 GB if the network declares as many.
    @Test func excessiveAnchorsAreRejected() {
        var manifest = ModelManifest(name: "x")
        manifest.family = DetectionFamily.efficientDet.rawValue
        manifest.anchors = ModelManifest.AnchorSettings()
        manifest.anchors?.levels = 0...0
        let count = 8192 * 8192 * 9
        let description = NetworkDescription(
            inputs: [TensorDescription(name: "x", shape: [1, 3, 8192, 8192], element: .float32)],
            outputs: [[1, count, 4], [1, count, 3]].map { TensorDescription(name: "", shape: $0, element: .float32) })
        #expect(throws: ODTError.self) {
            try DetectionFamily.decoder(for: description, manifest: manifest, labels: names(3), file: "net.onnx")
        }
    }

    /// Sums and products of declared dimensions must not overflow.
    @Test(arguments: DetectionFamily.allCases) func hugeShapesDoNotOverflow(_ family: DetectionFamily) {
        var manifest = ModelManifest(name: "x")
        manifest.family = family.rawValue
        let shapes: [[Int]] = [
            [1, .max, .max], [1, 84, .max], [1, .max, 84], [1, .max, 4], [1, 1, .max, .max], [1, .max, 1, 7],
            [.max, 5],
            [1, .max, 8, 8],
        ]
        for first in shapes {
            for second in [nil] + shapes.map({ $0 as [Int]? }) {
                let outputs = [first, second].compactMap { $0 }.map {
                    TensorDescription(name: "", shape: $0, element: .float32)
                }
                let description = NetworkDescription(
                    inputs: [TensorDescription(name: "x", shape: [1, 3, 64, 64], element: .float32)], outputs: outputs)
                _ = try? DetectionFamily.decoder(
                    for: description, manifest: manifest, labels: names(3), file: "net.onnx")
            }
        }
    }
}
