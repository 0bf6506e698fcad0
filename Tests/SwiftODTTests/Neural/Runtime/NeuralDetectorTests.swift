import Foundation
import Testing

@testable import SwiftODT

/// Tests the neural detector: results belong to their frames, every promise completes, and nothing runs after its
/// release.
@Suite(.enabled(if: TestNetwork.hasRuntime, "no OpenVINO on this machine"))
struct NeuralDetectorTests {
    /// Returns one detection of the full input, with the first value of the first output as its score.
    private struct Decoder: DetectionDecoder {
        var input = NetworkInput(width: 32, height: 32)
        var delay: UInt32 = 0
        var fails = false
        /// Blocks decoding while the value is false.
        var gate = Monitor(true)
        /// Set when decoding begins.
        let hasBegun = Monitor(false)

        func decode(_ outputs: [TensorView], placement: InputPlacement, options: DetectionOptions) throws -> [Detection]
        {
            hasBegun.update { $0 = true }
            usleep(delay)
            gate.wait { $0 ? () : nil }
            if fails { throw ODTError(.unsupported, "these outputs are of no use") }
            let box = placement.buffer(Box(x: 0, y: 0, width: 32, height: 32))
            return [Detection(box: box, score: Double(outputs[0].bytes.load(as: Float.self)))]
        }
    }

    private static func detector(
        maximumInFlight: Int = 0, hint: InferenceHint = .throughput, decoder: Decoder = Decoder()
    ) throws -> NeuralDetector {
        try NeuralDetector(
            modelFile: TestNetwork([[1, 3, nil, nil]]).file, hint: hint, maximumInFlight: maximumInFlight
        ) { _ in decoder }
    }

    private static func start(_ detector: NeuralDetector, _ level: Int) throws -> DetectionPromise {
        try PackedPicture.withGrey(UInt8(level)) { try detector.start($0, options: DetectionOptions()) }
    }

    @Test(arguments: [0, 1, 3])
    func everyFrameGetsItsOwnResult(_ maximumInFlight: Int) throws {
        let detector = try Self.detector(maximumInFlight: maximumInFlight, decoder: Decoder(delay: 500))
        let atOnce = detector.network.requestCount
        #expect(detector.capacity == (maximumInFlight > 0 ? maximumInFlight : atOnce > 1 ? atOnce + 1 : 1))
        // There are more frames than the capacity, so `start` blocks until a request is free.
        let promises = try (0..<40).map { try Self.start(detector, $0) }
        for (number, promise) in promises.enumerated() {
            let answer = try promise.wait()
            #expect(answer.map(\.score) == [Double(number)])
            #expect(answer.map(\.box) == [Box(x: 0, y: 0, width: 40, height: 20)])
        }
        let timings = try #require(detector.timings)
        #expect(timings.preprocess.count == 40 && timings.inference.count == 40 && timings.decode.count == 40)
        #expect(timings.decode.mean >= 500_000)
    }

    @Test func manyDetectorsShareOneNetwork() throws {
        let file = try TestNetwork([[1, 3, 32, 32]]).file
        let detectors = try (0..<8).map { _ in
            try NeuralDetector(modelFile: file, hint: .throughput) { _ in Decoder() }
        }
        #expect(detectors.allSatisfy { $0.network === detectors[0].network })
        let promises = try detectors.enumerated().map { number, detector in
            try Self.start(detector, number)
        }
        for (number, promise) in promises.enumerated() { #expect(try promise.wait()[0].score == Double(number)) }
        // Deallocation cancels.
        withExtendedLifetime(detectors) {}
    }

    @Test func decoderErrorReachesPromise() throws {
        let detector = try Self.detector(decoder: Decoder(fails: true))
        for _ in 0..<2 * detector.capacity {
            let promise = try Self.start(detector, 1)
            #expect(throws: ODTError.self) { try promise.wait() }
        }
    }

    @Test func awaitedDetectionRunsSynchronously() throws {
        let detector = try Self.detector(hint: .latency)
        for level in [7, 200] {
            let promise = try PackedPicture.withGrey(UInt8(level)) {
                try detector.start($0, options: DetectionOptions(isAwaited: true))
            }
            #expect(promise.isDone)
            #expect(try promise.wait().map(\.score) == [Double(level)])
        }
        #expect(detector.timings?.inference.count == 2)
    }

    /// Returns a detection that another thread cancels during decoding.
    private static func cancelled(_ options: DetectionOptions) throws -> (DetectionPromise, NeuralDetector) {
        let gate = Monitor(false)
        let decoder = Decoder(gate: gate)
        let detector = try Self.detector(hint: .latency, decoder: decoder)
        let thread = Thread {
            decoder.hasBegun.wait { $0 ? () : nil }
            detector.cancel()
            gate.update { $0 = true }
        }
        thread.start()
        return (try PackedPicture.withGrey(1) { try detector.start($0, options: options) }, detector)
    }

    @Test func cancelInterruptsSynchronousDetection() throws {
        let (promise, detector) = try Self.cancelled(DetectionOptions(isAwaited: true))
        #expect(throws: CancellationError.self) { try promise.wait() }
        #expect(try Self.start(detector, 50).wait()[0].score == 50)
    }

    @Test func regionLimitsDetection() throws {
        let region = Box(x: 10, y: 4, width: 16, height: 10)
        let detector = try Self.detector()
        let promise = try PackedPicture.withGrey(30) {
            try detector.start($0, options: DetectionOptions(view: .region(region)))
        }
        #expect(try promise.wait().map(\.box) == [region])
        let empty = DetectionOptions(view: .region(Box(x: 500, y: 4, width: 16, height: 10)))
        #expect(throws: ODTError.self) { try PackedPicture.withGrey(30) { try detector.start($0, options: empty) } }
    }

    /// This suite's decoder returns a box that fills each tile. All of these boxes are fragments of the full frame's
    /// box.
    @Test(arguments: [InferenceHint.latency, .throughput])
    func gridGivesOneResult(_ hint: InferenceHint) throws {
        let detector = try Self.detector(hint: hint)
        let size = try #require(detector.inputSize)
        for isAwaited in [false, true] {
            let before = detector.timings?.inference.count ?? 0
            let promise = try PackedPicture.withGrey(30) {
                try detector.start($0, options: DetectionOptions(isAwaited: isAwaited, view: .grid))
            }
            #expect(try promise.wait().map(\.box) == [Box(x: 0, y: 0, width: 40, height: 20)])
            let tiles = TileGrid(width: 40, height: 20, input: size).tiles
            #expect(!tiles.isEmpty && detector.timings?.inference.count == before + 1 + tiles.count)
        }
    }

    /// The error of one tile is the error of the frame, and cancellation prevents the inference of further tiles.
    @Test func gridFailsAsOne() throws {
        let failing = try Self.detector(decoder: Decoder(fails: true))
        let failed = try PackedPicture.withGrey(1) { try failing.start($0, options: DetectionOptions(view: .grid)) }
        #expect(throws: ODTError.self) { try failed.wait() }
        let (promise, detector) = try Self.cancelled(DetectionOptions(view: .grid))
        #expect(throws: CancellationError.self) { try promise.wait() }
        #expect(try Self.start(detector, 50).wait()[0].score == 50)
        #expect((detector.timings?.preprocess.count ?? 0) <= 3)
    }

    @Test func resetDropsInFlightResults() throws {
        let gate = Monitor(false)
        let detector = try Self.detector(maximumInFlight: 4, decoder: Decoder(gate: gate))
        let old = try (0..<4).map { try Self.start(detector, $0) }
        detector.reset()
        for promise in old {
            #expect(promise.isDone)
            #expect(throws: CancellationError.self) { try promise.wait() }
        }
        gate.update { $0 = true }
        #expect(try Self.start(detector, 50).wait()[0].score == 50)
    }

    @Test func detectorMayBeReleasedWithInferencesInFlight() throws {
        for round in 0..<20 {
            var detector: NeuralDetector? = try Self.detector(maximumInFlight: 3, decoder: Decoder(delay: 200))
            var promises: [DetectionPromise] = []
            for level in 0..<(round % 5) {
                if let detector {
                    promises.append(try Self.start(detector, level))
                }
            }
            detector = nil
            for promise in promises { #expect(promise.isDone) }
        }
    }

    @Test func invalidModelIsAnError() throws {
        #expect(throws: ODTError.self) { try Self.detector(maximumInFlight: -1) }
        #expect(throws: ODTError.self) {
            try NeuralDetector(modelFile: "/nowhere.onnx", hint: .latency) { _ in Decoder() }
        }
        #expect(throws: ODTError.self) {
            try NeuralDetector(modelFile: TestNetwork([[1, 3, 8, 8]]).file, hint: .latency) { _ in
                throw ODTError(.unsupported, "of no family")
            }
        }
    }
}
