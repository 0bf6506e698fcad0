import ODTTestSupport
import Testing

@testable import SwiftODT

/// Verifies that quantised outputs give bit-identical results to dequantised outputs: the boxes, their order, the
/// choice among equal classes, and the scores.
@Suite struct QuantisedOutputsTests {
    private static let scales = [
        QuantisationScale(step: 0.0425, zero: 165), QuantisationScale(step: 1.0 / 256, zero: -128),
        QuantisationScale(step: 1e-30, zero: 0.5), QuantisationScale(step: 1e30, zero: 255),
    ]

    /// The rounds use the full byte range, many equal values, and only one value.
    @Test(arguments: [1, 2, 15, 16, 17, 31, 32, 80, 90], [false, true])
    func quantisedRowsEqualFloatRows(classes: Int, isSigned: Bool) throws {
        var random = SeededGenerator(seed: UInt64(classes))
        for round in 0..<24 {
            let scale = try #require(Self.scales[round % Self.scales.count])
            let background = round % 3
            let stride = background + classes + round % 2
            let spread: ClosedRange<UInt8> = [0...255, 130...131, 7...7][round % 3]
            let bytes = (0..<37 * stride).map { _ in UInt8.random(in: spread, using: &random) }
            try bytes.withUnsafeBufferPointer { bytes in
                let quantised = QuantisedBytes(bytes: bytes, isSigned: isSigned, scale: scale)
                let numbers = bytes.map { quantised.number($0) }
                let middle = numbers.sorted()[numbers.count / 2]
                let rows = try #require(
                    QuantisedScoreRows(quantised, stride: stride, firstClass: background, classCount: classes))
                for floor in [middle, middle.nextUp, middle.nextDown, -.infinity, .infinity, .nan, numbers.max() ?? 0] {
                    var found: [String] = []
                    rows.forEachBest(from: floor) { found.append("\($0) \($1) \($2)") }
                    let expected = try numbers.withUnsafeBufferPointer { numbers in
                        let rows = try #require(
                            ScoreRows(numbers, stride: stride, firstClass: background, classCount: classes))
                        return (0..<rows.count).compactMap { row in
                            rows.best(inRow: row, from: floor).map { "\(row) \($0.index) \($0.value)" }
                        }
                    }
                    #expect(found == expected, "round \(round), from \(floor)")
                }
            }
        }
    }

    @Test func mismatchedRowsAreRejected() throws {
        let scale = try #require(QuantisationScale(step: 1, zero: 0))
        [UInt8](repeating: 0, count: 12).withUnsafeBufferPointer { bytes in
            let quantised = QuantisedBytes(bytes: bytes, isSigned: false, scale: scale)
            for (stride, first, classes) in [(5, 0, 5), (0, 0, 1), (4, 1, 4), (4, -1, 4), (4, 0, 0)] {
                #expect(QuantisedScoreRows(quantised, stride: stride, firstClass: first, classCount: classes) == nil)
            }
            #expect(QuantisedScoreRows(quantised, stride: 4, firstClass: 1, classCount: 3)?.count == 3)
        }
    }

    /// EfficientDet with outputs per level, with quantised class scores or with all outputs quantised.
    @Test(arguments: [TensorElement.uint8, .int8], [false, true])
    func quantisedEfficientDetIsDecoded(element: TensorElement, boxesToo: Bool) throws {
        let cells = [16, 8, 4, 2, 1]
        var random = SeededGenerator(seed: 3)
        let scores = try #require(QuantisationScale(step: 0.0425, zero: element == .int8 ? 37 : 165))
        let differences = try #require(QuantisationScale(step: 0.02, zero: element == .int8 ? 0 : 128))
        var (bytes, floats): ([TestTensor], [TestTensor]) = ([], [])
        var manifest = ModelManifest(name: "x")
        for (kind, scale, numbers) in [("classes", scores, 17), ("boxes", differences, 4)] {
            for side in cells {
                let whole = (0..<side * side * 9 * numbers).map { _ in UInt8.random(in: 0...255, using: &random) }
                let shape = [1, side, side, 9 * numbers]
                let tensor = TestTensor(shape, bytes: whole, element, named: "\(kind)-\(side)")
                floats.append(
                    TestTensor(
                        shape,
                        whole.map {
                            scale.number(element == .int8 ? Float(Int8(bitPattern: $0)) : Float($0))
                        }))
                if kind == "classes" || boxesToo {
                    manifest.quantisation["\(kind)-\(side)"] = scale
                    bytes.append(tensor)
                } else if let last = floats.last {
                    bytes.append(last)
                }
            }
        }
        let options = DetectionOptions(scoreFloor: 0.9)
        func detections(_ tensors: [TestTensor]) throws -> [String] {
            let network = NetworkDescription(input: [1, 3, 128, 128], tensors)
            return try DetectionFamily.decoder(for: network, manifest: manifest, labels: names(17), file: "net.xml")
                .decode(tensors, options: options).map { "\($0)" }
        }
        let (found, expected) = (try detections(bytes), try detections(floats))
        #expect(found.count > 50 && found == expected)
    }

    /// Families that read floats get dequantised values. Without a scale, the error names the manifest entry.
    @Test func quantisedYOLOv8NeedsScale() throws {
        let output = TestTensor([1, 7, 84], bytes: (0..<7 * 84).map { UInt8($0 / 84 * 36) }, .uint8, named: "rows")
        let network = NetworkDescription(input: [1, 3, 64, 64], [output])
        var manifest = ModelManifest(name: "x")
        let without = try DetectionFamily.decoder(for: network, manifest: nil, labels: names(3), file: "net.xml")
        #expect {
            _ = try without.decode([output])
        } throws: {
            ($0 as? ODTError)?.description.contains("quantisation") == true
        }
        manifest.quantisation["rows"] = QuantisationScale(step: 1.0 / 216, zero: 0)
        let with = try DetectionFamily.decoder(for: network, manifest: manifest, labels: names(3), file: "net.xml")
        #expect(try with.decode([output]).first?.score == 1)
    }

    /// These steps would map different bytes to equal, infinite or NaN values.
    @Test func degenerateScalesAreRejected() {
        for step: Float in [0, -1, .nan, .infinity, .leastNonzeroMagnitude, 1e38] {
            #expect(QuantisationScale(step: step, zero: 0) == nil)
        }
        for zero: Float in [-129, 256, .nan] { #expect(QuantisationScale(step: 1, zero: zero) == nil) }
    }
}
