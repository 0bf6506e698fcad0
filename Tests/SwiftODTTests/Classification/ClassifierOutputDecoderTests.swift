import ODTTestSupport
import Testing

@testable import SwiftODT

/// Tests the conversion of a classifier's outputs to category scores.
@Suite struct ClassifierOutputDecoderTests {
    private static let names = ["banana", "pizza", "chair", "person", "daisy"]

    private func inspection(
        _ outputs: [[Int?]], labels: [String]? = names, manifest: ModelManifest? = nil, file: String = "mine.tflite"
    ) throws -> NetworkInspection {
        let picture = TensorDescription(name: "in", shape: [1, 224, 224, 3], element: .uint8)
        let outputs = outputs.map { TensorDescription(name: "out", shape: $0, element: .uint8) }
        return try NetworkInspection(
            NetworkDescription(inputs: [picture], outputs: outputs), manifest: manifest,
            labels: labels.map(Labels.init),
            file: file)
    }

    private func read<Number>(
        _ numbers: [Number], _ element: TensorElement, shape: [Int?]? = nil, labels: [String] = names,
        manifest: ModelManifest? = nil
    ) throws -> Classification {
        let shape = shape ?? [1, numbers.count]
        let reading = try ClassifierOutputDecoder(
            inspection([shape], labels: labels, manifest: manifest), table: .standard)
        return try numbers.withUnsafeBytes {
            try reading.read([TensorView(shape: shape.map { $0 ?? 1 }, element: element, bytes: $0)])
        }
    }

    @Test func quantisedScoresAreSummedByCategory() throws {
        let answer = try read([UInt8(64), 128, 32, 16, 8], .uint8)
        #expect(answer.scores[.food] == 0.75)
        #expect(answer.scores[.homeGood] == 0.125)
        #expect(answer.scores[.unknown] == 0.0625)
        #expect(answer.label?.text == "pizza")
        #expect(answer.labelScore == 0.5)
        let signed = try read([Int8(-64), 0, -96, -112, -120], .int8)
        #expect(signed == answer)
    }

    /// The output has logits: 3 for the pizza, 1 for the banana, and -2 for the others.
    @Test func quantisedLogitsUseTheirScale() throws {
        var manifest = ModelManifest(name: "mine")
        manifest.quantisation = ["out": try #require(QuantisationScale(step: 0.1, zero: 20))]
        let answer = try read([UInt8(30), 50, 0, 0, 0], .uint8, manifest: manifest)
        #expect(answer.label?.text == "pizza" && answer.labelScore > 0.85)
    }

    /// Products of declared dimensions must not overflow.
    @Test(arguments: [[1 << 32, 1 << 32], [Int.max, 2], [Int.max, Int.max, Int.max], [0, Int.max, 9]])
    func hugeOutputsAreRejected(_ shape: [Int]) {
        #expect(throws: ODTError.self) { try ClassifierOutputDecoder(inspection([shape]), table: .standard) }
    }

    /// Scores that do not add up to 1 are independent, so weak scores must not add up to a category.
    @Test(arguments: [[0.9, 0.9, 0.4, 0, 0], [0.15, 0.14, 0.13, 0.05, 0], [0.2, 0.3, 0.4, 0.3, 0.2]] as [[Float]])
    func bestOfIndependentScoresDeterminesCategory(_ scores: [Float]) throws {
        let answer = try read(scores, .float32)
        let category: SwiftODT.Category = answer.label?.text == "chair" ? .homeGood : .food
        #expect(answer.labelScore == Double(scores.max() ?? 0))
        #expect(answer.scores == CategoryScores([category: answer.labelScore]))
    }

    /// Returns a .tflite file with these operations.
    private func model(_ operations: [UInt32]) -> [UInt8] {
        let codes: [[Int: FlatBufferMaker.Value]] = operations.map { [0: .number($0), 3: .number($0)] }
        let graph: [Int: FlatBufferMaker.Value] = [
            3: .tables(operations.indices.map { [0: .number(UInt32($0))] })
        ]
        return FlatBufferMaker.make([1: .tables(codes), 2: .tables([graph])], identifier: "TFL3")
    }

    /// Quantised scores are rounded, so their sum is unreliable: 0.99 after the logistic function, 0.86 after the
    /// softmax. A logistic function inside the network is irrelevant.
    @Test func lastOperationOfTFLiteFileDeterminesWhetherScoresAreIndependent() throws {
        let (convolution, dequantize, logistic): (UInt32, UInt32, UInt32) = (3, 6, 14)
        let (reshape, softmax, quantize): (UInt32, UInt32, UInt32) = (22, 25, 114)
        let folder = try TemporaryFolder()
        func food(_ operations: [UInt32], _ scores: [UInt8]) throws -> Double {
            var inspected = try inspection([[1, 5]], file: folder.write("mine.tflite", model(operations)))
            try inspected.readFile()
            let reading = try ClassifierOutputDecoder(inspected, table: .standard)
            return try scores.withUnsafeBytes {
                try reading.read([TensorView(shape: [1, 5], element: .uint8, bytes: $0)]).scores[.food]
            }
        }
        for end in [[logistic], [logistic, quantize], [logistic, reshape, dequantize]] {
            #expect(try food([softmax, convolution] + end, [64, 63, 60, 30, 36]) == 0.25)
        }
        for end in [[softmax], [softmax, quantize]] {
            #expect(try food([logistic, convolution] + end, [64, 64, 60, 16, 16]) == 0.5)
        }
        #expect(try food([logistic, convolution], [64, 63, 60, 30, 36]) == 127.0 / 256)
        withExtendedLifetime(folder) {}
    }

    @Test func logitsBecomeProbabilities() throws {
        let answer = try read([Float(2), -1, 0, 9, 1], .float32)
        #expect(answer.scores.best == .unknown)
        #expect(answer.labelScore > 0.99)
        #expect(abs(answer.scores.total - 1) < 1e-5)
    }

    private static func score(_ numbers: [Float], _ decoder: ClassifierOutputDecoder) throws -> Double {
        try numbers.withUnsafeBytes {
            try decoder.read([TensorView(shape: [1, 5], element: .float32, bytes: $0)]).labelScore
        }
    }

    /// After some logits outside the range of probabilities, logits within this range also pass through the softmax.
    @Test func logitsWithinRangeStayLogits() throws {
        let reading = try ClassifierOutputDecoder(inspection([[1, 5]]), table: .standard)
        let score = { try Self.score($0, reading) }
        #expect(try score([0.9, 0, 0, 0, 0]) > 0.8)
        for _ in 0..<4 { _ = try score([9, 0, 0, 0, -1]) }
        #expect(try score([0.9, 0, 0, 0, 0]) < 0.5)
    }

    /// A single output outside the range does not turn the probabilities of other outputs into logits.
    @Test func probabilitiesStayProbabilities() throws {
        let reading = try ClassifierOutputDecoder(inspection([[1, 5]]), table: .standard)
        let score = { try Self.score($0, reading) }
        _ = try score([1.1, 0, 0, 0, 0])
        _ = try score([.nan, 0, 0, 0, 0])
        for _ in 0..<2 { _ = try score([0.9, 0, 0, 0, 0]) }
        #expect(try score([0.9, 0, 0, 0, 0]) > 0.8)
    }

    /// The manifest declares independent logits, so values that resemble probabilities also pass through the sigmoid.
    @Test func independentLogitsUseSigmoid() throws {
        var manifest = ModelManifest(name: "mine")
        manifest.scoresAreLogits = true
        let reading = try ClassifierOutputDecoder(inspection([[1, 5]], manifest: manifest), table: .standard)
        let answer = try [Float(1), 0, 0, 0, 0].withUnsafeBytes {
            try reading.read([TensorView(shape: [1, 5], element: .float32, bytes: $0)])
        }
        #expect(abs(answer.labelScore - 0.731) < 0.001)
    }

    @Test func unmatchedBackgroundClassIsDropped() throws {
        var manifest = ModelManifest(name: "mine")
        manifest.hasBackground = true
        #expect(try read([UInt8(9), 200, 0, 0, 0, 0], .uint8, manifest: manifest).label?.text == "banana")
        // Without the manifest, one of the labels may be missing.
        #expect(throws: ODTError.self) { try read([UInt8(9), 200, 0, 0, 0, 0], .uint8) }
        let imageNet = (0..<1000).map { "thing \($0)" }
        #expect(
            try read((0..<1001).map { UInt8($0 == 7 ? 200 : 0) }, .uint8, labels: imageNet).label?.text == "thing 6")
        #expect(
            try read([UInt8(200), 0, 0, 0, 0], .uint8, labels: ["background"] + Self.names).label?.text == "banana")
    }

    @Test(arguments: [[1, 1, 1, 5], [5], [1, 5, 1, 1], [nil, 5]] as [[Int?]])
    func anyShapeWithOneScorePerLabelIsAccepted(_ shape: [Int?]) throws {
        #expect(try read([UInt8(200), 0, 0, 0, 0], .uint8, shape: shape).label?.text == "banana")
    }

    /// The option for the label file has another name in each program, so the messages name no option.
    @Test(arguments: [[[1, 9]], [[1, 1, 320, 320]]] as [[[Int?]]])
    func labelCountMismatchIsRejected(_ outputs: [[Int?]]) {
        #expect { _ = try ClassifierOutputDecoder(inspection(outputs), table: .standard) } throws: { error in
            "\(error)".contains("mine.tflite") && "\(error)".contains("specify the matching label file")
        }
    }

    @Test(arguments: [[], [[1]], [[1, 1]]] as [[[Int?]]], [1, 5])
    func singleScoreIsRejected(_ outputs: [[Int?]], _ labelCount: Int) {
        #expect {
            _ = try ClassifierOutputDecoder(
                inspection(outputs, labels: Array(Self.names.prefix(labelCount))), table: .standard)
        } throws: { "\($0)".contains("mine.tflite") && "\($0)".contains("at least two classes") }
    }

    @Test func modelWithoutLabelsIsRejected() {
        #expect { _ = try ClassifierOutputDecoder(inspection([[1, 5]], labels: nil), table: .standard) } throws: {
            error in
            "\(error)".contains("mine.tflite") && "\(error)".contains("specify a label file")
        }
    }

    @Test func unexpectedOutputsAreErrors() throws {
        let reading = try ClassifierOutputDecoder(inspection([[1, 5]]), table: .standard)
        #expect(throws: ODTError.self) { try reading.read([]) }
        #expect(throws: ODTError.self) {
            try [UInt8](repeating: 0, count: 4).withUnsafeBytes {
                try reading.read([TensorView(shape: [1, 4], element: .uint8, bytes: $0)])
            }
        }
        #expect(throws: Never.self) { try read([Float.nan, .infinity, 0, 0, 0], .float32) }
    }

    /// A classifier that divides by the contrast of the crop returns no finite score for a uniform crop.
    @Test(arguments: [Float.nan, .infinity, -.infinity])
    func cropWithoutFiniteScoreGivesNoVerdict(score: Float) throws {
        let found = try read([Float](repeating: score, count: 5), .float32)
        #expect(!found.scores.isValid && !found.labelScore.isFinite)
    }
}
