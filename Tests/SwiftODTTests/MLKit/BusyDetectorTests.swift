import Testing

@testable import SwiftODT
@testable import SwiftODTMLKit

/// Tests calls while the detector is busy: a stream keeps only the latest image, and every call completes once.
@Suite struct BusyDetectorTests {
    /// The result of one call.
    enum Outcome: Equatable {
        case answered
        case dropped
        case failed
    }

    static func start(_ objectDetector: VisionObjectDetector) throws -> Promise<Outcome> {
        let promise = Promise<Outcome>()
        objectDetector.process(VisionImage(image: try Frame.plain)) { objects, error in
            #expect((objects == nil) == (error != nil), "objects or an error")
            promise.fulfil(
                .success(error == nil ? .answered : (error as? ODTError)?.reason == .dropped ? .dropped : .failed))
        }
        return promise
    }

    @Test func streamKeepsOnlyLatestImage() throws {
        let detector = ScriptedDetector(.chair)
        let objectDetector = VisionObjectDetector(options: .forTests(), detector: detector)
        detector.close()
        let first = try Self.start(objectDetector)
        detector.waitForCall(1)
        let second = try Self.start(objectDetector)
        let third = try Self.start(objectDetector)
        #expect(try second.wait() == .dropped, "completed immediately, while the detector is still busy")
        #expect(!first.isDone && !third.isDone)
        detector.open()
        #expect(try first.wait() == .answered)
        #expect(try third.wait() == .answered)
        #expect(detector.shown.count == 2)
    }

    /// An idle detector processes an image even if the next one arrives before its thread has started.
    @Test func firstImageIsNeverDropped() throws {
        for _ in 0..<20 {
            let detector = VisionObjectDetector(options: .forTests(), detector: ScriptedDetector(.chair))
            let (first, second) = (try Self.start(detector), try Self.start(detector))
            #expect(try first.wait() == .answered && second.wait() == .answered)
        }
    }

    @Test func queuedImageKeepsOrientationAndTimestampOfTheCall() throws {
        let detector = ScriptedDetector(.chair)
        let objectDetector = VisionObjectDetector(options: .forTests(), detector: detector)
        detector.close()
        let first = try Self.start(objectDetector)
        detector.waitForCall(1)
        let image = VisionImage(image: try Frame.plain)
        image.orientation = .bottomRight
        image.timestamp = MediaTime(seconds: 1_000)
        let second = Promise<Void>()
        objectDetector.process(image) { _, _ in second.fulfil(.success(())) }
        image.orientation = .topLeft
        image.timestamp = MediaTime(seconds: 2_000)
        detector.open()
        #expect(try first.wait() == .answered)
        try second.wait()
        let shown = try #require(detector.shown.last)
        #expect(shown.orientation == .rotate180 && shown.time == 1_000_000_000_000)
    }

    /// The caller can hold a lock that the completion handler takes.
    @Test func droppedImageIsCompletedOnAnotherThread() throws {
        let detector = ScriptedDetector(.chair)
        let objectDetector = VisionObjectDetector(options: .forTests(), detector: detector)
        detector.close()
        let image = VisionImage(image: try Frame.plain)
        objectDetector.process(image) { _, _ in }
        detector.waitForCall(1)
        let lock = Monitor(false)
        let completion = Promise<Void>()
        objectDetector.process(image) { _, _ in
            lock.update { $0 = true }
            completion.fulfil(.success(()))
        }
        lock.update { _ in objectDetector.process(image) { _, _ in } }
        try completion.wait()
        detector.open()
    }

    @Test func everySingleImageIsProcessed() throws {
        let options = VisionObjectDetectorOptions()
        options.detectorMode = .singleImage
        let detector = ScriptedDetector(.chair)
        let objectDetector = VisionObjectDetector(options: options, detector: detector)
        detector.close()
        let calls = try (0..<5).map { _ in try Self.start(objectDetector) }
        detector.open()
        #expect(try calls.map { try $0.wait() } == Array(repeating: .answered, count: 5))
    }

    @Test func handlerMayProcessSynchronously() throws {
        let objectDetector = VisionObjectDetector(options: .forTests(), detector: ScriptedDetector(.chair))
        let image = VisionImage(image: try Frame.plain)
        let ids = Promise<[Int?]>()
        objectDetector.process(image) { objects, _ in
            let again = (try? objectDetector.results(in: image)) ?? []
            ids.fulfil(.success([objects?.first?.trackingID?.intValue, again.first?.trackingID?.intValue]))
        }
        #expect(try ids.wait() == [1, 1])
    }

    @Test func errorAffectsOneCallOnly() throws {
        let detector = ScriptedDetector { call in
            if call == 1 { throw ODTError(.failed, "one bad frame") }
            return [.chair]
        }
        let objectDetector = VisionObjectDetector(options: .forTests(), detector: detector)
        #expect(try Self.start(objectDetector).wait() == .answered)
        #expect(try Self.start(objectDetector).wait() == .failed)
        let objects = try objectDetector.results(in: VisionImage(image: Frame.plain))
        #expect(objects.first?.trackingID == 1, "the track has outlived the error")
    }

    @Test func releasedDetectorCompletesPendingCalls() throws {
        let detector = ScriptedDetector(.chair)
        detector.close()
        let call = try Self.start(VisionObjectDetector(options: .forTests(), detector: detector))
        detector.open()
        #expect(try call.wait() == .answered)
    }

    @Test func concurrentCallsAreServed() async throws {
        let objectDetector = VisionObjectDetector(options: .forTests(), detector: ScriptedDetector(.chair))
        let image = VisionImage(image: try Frame.plain)
        let outcomes = await withTaskGroup(of: Outcome.self) { group in
            for _ in 0..<200 {
                group.addTask {
                    do {
                        _ = try await objectDetector.process(image)
                        return .answered
                    } catch {
                        return (error as? ODTError)?.reason == .dropped ? .dropped : .failed
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(outcomes.count == 200 && !outcomes.contains(.failed) && outcomes.contains(.answered))
    }

    @Test func cancelledTaskSkipsWaitingImage() async throws {
        let detector = ScriptedDetector(.chair)
        let options = VisionObjectDetectorOptions()
        options.detectorMode = .singleImage
        let objectDetector = VisionObjectDetector(options: options, detector: detector)
        detector.close()
        let first = try Self.start(objectDetector)
        detector.waitForCall(1)
        let image = VisionImage(image: try Frame.plain)
        let task = Task { try await objectDetector.process(image) }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        detector.open()
        #expect(try first.wait() == .answered)
        _ = try objectDetector.results(in: image)
        #expect(detector.shown.count == 2, "the detector has not seen the image of the cancelled task")
    }

    @Test func invalidOptionsAreErrors() throws {
        let image = VisionImage(image: try Frame.plain)
        let missing = VisionObjectDetectorOptions()
        missing.detector.model = "/nowhere/model.onnx"
        let error = try detectorError {
            _ = try Vision.vision().objectDetector(options: missing).results(in: image)
        }
        #expect(error.reason == .fileNotFound)

        let contradiction = VisionObjectDetectorOptions()
        contradiction.detectorMode = .singleImage
        contradiction.detector.method = .motion
        let other = try detectorError {
            _ = try VisionObjectDetector.objectDetector(options: contradiction).results(in: image)
        }
        #expect(other.reason == .invalidOption)
    }

    @Test func classifierOptionsWithoutEffectAreErrors() throws {
        func error(_ change: (VisionObjectDetectorOptions) -> Void) throws -> ODTError {
            let options = VisionObjectDetectorOptions()
            options.detector.method = .motion
            change(options)
            return try detectorError {
                _ = try VisionObjectDetector(options: options).results(in: VisionImage(image: .plain))
            }
        }
        let disabled = try error { $0.classifierFile = "/nowhere/birds.tflite" }
        #expect(disabled.reason == .invalidOption && disabled.description.contains("shouldEnableClassification"))
        let incomplete = try error {
            $0.shouldEnableClassification = true
            $0.classifierLabelFile = "/nowhere/birds.txt"
        }
        #expect(incomplete.reason == .invalidOption && incomplete.description.contains("set both"))
    }
}
