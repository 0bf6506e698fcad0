import Foundation
import Testing

@testable import SwiftODT

/// Protects the known-answer test: a network that computes wrong results is an error, and one that computes the right ones is not.
@Suite struct KnownAnswerTests {
    private static let sign = KnownAnswer.Object(
        label: "stop sign", score: 0.9, box: Box(x: 24, y: 54, width: 107, height: 106))
    private static let clock = KnownAnswer.Object(
        label: "clock", score: 0.88, box: Box(x: 180, y: 53, width: 108, height: 112))
    private static let answer = KnownAnswer(
        picture: ReferencePicture.name, width: 32, height: 32, objects: [sign, clock])

    private static func detection(_ object: KnownAnswer.Object) -> Detection {
        Detection(
            box: object.box ?? Box(x: 0, y: 0, width: 0, height: 0), score: object.score,
            label: object.label.map { Label(index: 1, text: $0) })
    }

    @Test func theTestPictureHasASignAndAClock() {
        ReferencePicture.withFrame { frame in
            func color(_ x: Int, _ y: Int) -> [UInt8] {
                let pixel = frame.plane(0).base + y * frame.plane(0).stride + 3 * x
                return (0..<3).map { pixel.load(fromByteOffset: $0, as: UInt8.self) }
            }
            #expect(frame.width == 320 && frame.height == 320)
            #expect(color(5, 5) == [150, 185, 220])
            #expect(color(5, 200) == [90, 140, 70])
            #expect(color(160, 300) == [95, 95, 98])
            #expect(color(78, 70) == [190, 25, 35])
            #expect(color(67, 110) == [245, 245, 245])
            #expect(color(235, 90) == [240, 240, 235])
            #expect(color(235, 110) == [20, 20, 20])
        }
    }

    @Test func answersWithinTheTolerancesAreRight() {
        var (sign, clock) = (Self.sign, Self.clock)
        sign.box = Box(x: 20, y: 50, width: 110, height: 112)
        (sign.score, clock.score) = (0.6, 1)
        let found = [
            clock, sign,
            KnownAnswer.Object(label: "umbrella", score: 0.5, box: Box(x: 3, y: 188, width: 313, height: 103)),
        ]
        #expect(Self.answer.problem(of: found.map(Self.detection), comparesLabels: true) == nil)
        for index in 0..<2 {
            sign.label = "Stoppschild"
            clock.label = ["Uhr", nil][index]
            #expect(Self.answer.problem(of: [clock, sign].map(Self.detection), comparesLabels: false) == nil)
        }
    }

    @Test func wrongAnswersAreNamed() throws {
        func problem(_ change: (inout [Detection]) -> Void) -> String {
            var found = [Self.sign, Self.clock].map(Self.detection)
            change(&found)
            return Self.answer.problem(of: found, comparesLabels: true) ?? "none"
        }
        #expect(problem { $0 = [] } == "it does not find the stop sign at 24,54 107x106 (0.90)")
        #expect(problem { $0[1].label = $0[0].label }.contains("the clock"))
        #expect(problem { $0[0].box.x += 40 }.contains("the stop sign"))
        #expect(problem { $0[1].score = 0.4 }.contains("with the score 0.40"))
        #expect(problem { $0[1].score = .nan }.contains("the clock"))
        #expect(problem { $0[0].box = Box(x: .nan, y: 0, width: 1, height: 1) }.contains("the stop sign"))
        #expect(problem { $0.append($0[0]) }.contains("not there"))
        #expect(
            problem { $0.append(Detection(box: Self.sign.box ?? Box(x: 0, y: 0, width: 0, height: 0), score: .nan)) }
                .contains("not there"))
    }

    @Test func aClassifiersBestLabelIsCompared() {
        let answer = KnownAnswer(
            picture: ReferencePicture.name, width: 280, height: 280,
            objects: [KnownAnswer.Object(label: "analog clock", score: 0.8, box: nil)])
        func problem(_ label: String, _ score: Double, compares: Bool = true) -> String? {
            answer.problem(
                of: Classification(scores: CategoryScores(), label: Label(index: 0, text: label), labelScore: score),
                comparesLabels: compares)
        }
        #expect(problem("analog clock", 0.55) == nil)
        #expect(problem("Wanduhr", 0.55, compares: false) == nil)
        #expect(problem("analog clock", 0.1) != nil)
        #expect(problem("envelope", 0.8) == "the answer is envelope (0.80) instead of analog clock (0.80)")
    }

    @Test func anAnswerIsForOnePictureAndOneInputSize() {
        var other = Self.answer
        other.picture = "signs-0"
        #expect([other, Self.answer].first(for: NetworkInput(width: 32, height: 32)) == Self.answer)
        #expect([other].first(for: NetworkInput(width: 32, height: 32)) == nil)
        #expect([Self.answer].first(for: NetworkInput(width: 32, height: 64)) == nil)
    }

    @Test func manifestsNameKnownAnswers() throws {
        func answers(_ text: String) throws -> [KnownAnswer] {
            try ModelManifest(parsing: #"{"name": "x", "known-answers": \#(text)}"#.utf8, file: "/a.json").knownAnswers
        }
        let text = """
            [{"picture": "signs-1", "input": [32, 32], "objects": [{"label": "stop sign", "score": 0.9, "box": [24, 54, 107, 106]},
             {"label": "clock", "score": 0.88, "box": [180, 53, 108, 112]}]}]
            """
        #expect(try answers(text) == [Self.answer])
        #expect(try answers("[]") == [])
        for (wrong, place) in [
            ("7", "known-answers"), ("[7]", "known-answers[0]"), (#"[{"picture": "a"}]"#, "known-answers[0].picture"),
            (#"[{"picture": "a", "input": [1, 1], "objects": []}]"#, "known-answers[0].objects"),
            (#"[{"picture": "a", "input": [1, 1], "objects": [{}]}]"#, "objects[0].score"),
            (#"[{"picture": "a", "input": [1, 1], "objects": [{"score": 2}]}]"#, "objects[0].score"),
            (#"[{"picture": "a", "input": [1, 1], "objects": [{"score": 1, "box": [1]}]}]"#, "objects[0].box"),
        ] {
            #expect(try detectorError { _ = try answers(wrong) }.description.contains(place), "\(wrong)")
        }
    }
}

/// Protects where the test is run: when a network is loaded, and before anybody shares it.
@Suite(.enabled(if: TestNetwork.hasRuntime, "no OpenVINO on this machine"))
struct WarmUpTests {
    /// Finds the same in every picture.
    private struct Decoder: DetectionDecoder {
        var input = NetworkInput(width: 32, height: 32)
        var found: [Detection]

        func decode(_ outputs: [TensorView], placement: InputPlacement, options: DetectionOptions) -> [Detection] {
            found
        }
    }

    private static let box = Box(x: 10, y: 20, width: 100, height: 80)

    private static func detector(_ file: String, finds found: [Detection], knows size: Int = 32) throws
        -> NeuralDetector
    {
        let answer = KnownAnswer(
            picture: ReferencePicture.name, width: size, height: size,
            objects: [KnownAnswer.Object(label: nil, score: 0.9, box: box)])
        return try NeuralDetector(
            modelFile: file, device: "CPU", threads: 0, hint: .latency, maximumInFlight: 0, knownAnswers: [answer],
            comparesLabels: true
        ) { _ in Decoder(found: found) }
    }

    @Test func aNetworkWithAWrongAnswerIsAnErrorAndNotShared() throws {
        let file = try TestNetwork([[1, 3, 32, 32]]).file
        let error = try detectorError { _ = try Self.detector(file, finds: []) }
        #expect(error.reason == .failed)
        for text in [file, "known-answer test on CPU", "10,20 100x80", "odt setup"] {
            #expect(error.description.contains(text), "\(error)")
        }
        #expect(try Self.detector(file, finds: [Detection(box: Self.box, score: 0.8)]).capacity >= 1)
        // Loaded, and once is enough.
        #expect(try Self.detector(file, finds: [], knows: 64).capacity >= 1)
    }

    @Test func theNetworkRunsOnTheTestPictureBeforeItIsHandedOut() throws {
        let file = try TestNetwork([[1, 3, 320, 320]]).file
        let seen = Monitor<[Float]>([])
        let network = try Network.load(
            file: file, input: NetworkInput(width: 320, height: 320), hint: .latency,
            check: { outputs, placement in
                #expect(placement.scaleX == 1)
                let plane = 320 * 320
                seen.update {
                    $0 = (0..<3).map { outputs[0].bytes.load(fromByteOffset: 4 * ($0 * plane + 5), as: Float.self) }
                }
            })
        #expect(seen.read { $0 } == [150, 185, 220])
        #expect(network.requestCount >= 1)
    }

    @Test func aWrongAnswerFromTheCacheIsCompiledAnew() throws {
        let file = try ModelFile(TestNetwork([[1, 3, 16, 16]]).file)
        let input = NetworkInput(width: 16, height: 16)
        let target = CompilationTarget(device: "CPU", threads: 0, hint: .latency)
        let cache = try #require(NetworkCache(runtime: OpenVINO.shared()))
        let read = try LoadedModel.prepared(file, for: input, runtime: OpenVINO.shared())
        cache.keep(
            try CompiledModel.compile(read, for: target), try read.description(), of: file, input: input, target: target
        )
        let calls = Monitor(0)
        _ = try Network.load(
            file: file.name, input: input, hint: .latency,
            check: { _, _ in
                if calls.update({
                    $0 += 1; return $0
                }) == 1 {
                    throw ODTError(.failed, "wrong")
                }
            })
        #expect(calls.read { $0 } == 2)
    }

    @Test func aNetworkThatFailsForTheTestPictureIsLoadedAllTheSame() throws {
        let file = try FailingNetwork().file
        _ = try Network.load(file: file, input: NetworkInput(width: 8, height: 8), hint: .latency)
    }
}
