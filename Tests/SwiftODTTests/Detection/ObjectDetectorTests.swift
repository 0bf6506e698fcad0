import Testing

@testable import SwiftODT

/// Tests the public detector with the motion detector, which needs no model.
@Suite struct ObjectDetectorTests {
    /// A white square that moves over a black background.
    private static func frame(_ number: Int) throws -> Frame {
        var bytes = [UInt8](repeating: 0, count: 96 * 96)
        for y in 30..<54 { for x in 3 * number..<3 * number + 24 { bytes[96 * y + x] = 255 } }
        return try Frame(
            format: .gray8, width: 96, height: 96, bytes: bytes, timestamp: .zero + .milliseconds(33 * number))
    }

    @Test func movingObjectIsDetected() async throws {
        let detector = try ObjectDetector(options: .init(method: .motion))
        var found: [Detection] = []
        for number in 0..<20 { found = try await detector.detections(in: Self.frame(number)) }
        let detection = try #require(found.first)
        #expect(detection.box.iou(Box(x: 57, y: 30, width: 24, height: 24)) > 0.6 && detector.labels.isEmpty)
        detector.reset()
        let again = try await detector.detections(in: Self.frame(0))
        #expect(again.isEmpty, "it learns the background again")
    }

    @Test func motionDetectionNeedsIncreasingTimestamps() async throws {
        let detector = try ObjectDetector(options: .init(method: .motion))
        _ = try await detector.detections(in: Self.frame(3))
        for number in [3, 1, 2] {
            await #expect { try await detector.detections(in: Self.frame(number)) } throws: {
                ($0 as? ODTError)?.reason == .invalidOption
            }
        }
        detector.reset()
        _ = try await detector.detections(in: Self.frame(1))
    }

    @Test func cancelledTaskThrowsCancellationError() async throws {
        let detector = try ObjectDetector(options: .init(method: .motion))
        let frame = try Self.frame(0)
        let task = Task {
            for number in 0... {
                _ = try await detector.detections(in: frame.with(timestamp: .zero + .milliseconds(number)))
            }
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func invalidOptionsAreErrors() {
        #expect { try ObjectDetector(options: .init(model: "/nowhere.onnx")) } throws: {
            ($0 as? ODTError)?.reason == .fileNotFound
        }
        #expect { try ObjectDetector(options: .init(scoreThreshold: .nan)) } throws: {
            ($0 as? ODTError)?.reason == .invalidOption
        }
        #expect { try ModelLibrary.model(named: "no-such-model") } throws: {
            ($0 as? ODTError)?.reason == .fileNotFound
        }
    }

    @Test func installedModelsHaveNameAndPathInFolders() {
        for model in ModelLibrary.models {
            #expect(!model.name.isEmpty && ModelLibrary.folders.contains { model.path.hasPrefix($0) })
        }
    }
}
