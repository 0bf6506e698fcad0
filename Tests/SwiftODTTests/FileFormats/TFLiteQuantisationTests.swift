import ODTTestSupport
import Testing

@testable import SwiftODT

/// Tests the quantisation of inputs and outputs of fully quantised .tflite files.
@Suite struct TFLiteQuantisationTests {
    private func model() -> [UInt8] {
        func tensor(_ name: String, steps: [Float], zero: Int32) -> [Int: FlatBufferMaker.Value] {
            let zeros: [UInt32] = [UInt32(bitPattern: zero), zero < 0 ? .max : 0]
            return [3: .text(name), 4: .table([2: .floats(steps), 3: .zeros(zeros)])]
        }
        let tensors = [
            tensor("image", steps: [1 / 255], zero: -128), tensor("rows", steps: [0.005], zero: -100),
            tensor("weights", steps: [1, 2], zero: 0), [3: .text("floats")],
        ]
        return FlatBufferMaker.make([2: .tables([[0: .tables(tensors)]])], identifier: "TFL3")
    }

    private func tensor(_ name: String, _ shape: [Int?], _ element: TensorElement) -> TensorDescription {
        TensorDescription(name: name, shape: shape, element: element)
    }

    @Test func tensorScalesAreReadByName() throws {
        let read = try #require(
            FlatBuffer(model(), identifier: "TFL3").flatMap { [String: QuantisationScale](tflite: $0) })
        #expect(read["image"] == QuantisationScale(step: 1 / 255, zero: -128))
        #expect(read["weights"] == nil && read["floats"] == nil)
    }

    /// YOLOv8 exported with `format=tflite int8=True`: signed bytes as input and output, boxes as fractions.
    @Test func signedBytesAreHandled() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("yolo.tflite", model())
        let network = NetworkDescription(
            inputs: [tensor("image", [1, 64, 64, 3], .int8)], outputs: [tensor("rows", [1, 7, 84], .int8)])
        let found = try DetectionFamily.recognise(network, manifest: nil, labels: names(3), file: file)
        #expect(found.family == .yolov8 && found.decoder.input.element == .int8)
        #expect(abs(found.decoder.input.mean.x - 128) < 1e-3 && abs(found.decoder.input.scale.x - 1) < 1e-6)
        var bytes = [Int8](repeating: -100, count: 7 * 84)
        for (plane, number) in [0.5, 0.31, 0.155, 0.47, 0.1, 0.7, 0.2].enumerated() {
            bytes[plane * 84 + 5] = Int8(number / 0.005 - 100)
        }
        let detections = try bytes.withUnsafeBytes {
            try found.decoder.decode(
                [TensorView(shape: [1, 7, 84], element: .int8, bytes: $0)], placement: .whole(64, 64),
                options: DetectionOptions())
        }
        #expect(detections.count == 1)
        let detection = try #require(detections.first)
        #expect(detection.box.iou(Box(centerX: 32, centerY: 19.84, width: 9.92, height: 30.08)) > 0.97)
        #expect(abs(detection.score - 0.7) < 0.01 && detection.label?.text == "thing 1")
        withExtendedLifetime(folder) {}
    }

    @Test func damagedModelIsSurvived() {
        var generator = SeededGenerator(seed: 7)
        for _ in 0..<5000 {
            let read = FlatBuffer(generator.damage(model()), identifier: "TFL3").flatMap {
                [String: QuantisationScale](tflite: $0)
            }
            if let scale = read?["image"] { #expect(scale.step > 0 && scale.step.isFinite) }
        }
    }
}
