import Foundation
import Testing

@testable import SwiftODT

/// Tests loading of model files: description, shapes, layouts, sharing of networks, and invalid files.
@Suite(.enabled(if: TestNetwork.hasRuntime, "no OpenVINO on this machine"))
struct NetworkTests {
    @Test func descriptionMatchesFile() throws {
        let network = try TestNetwork([[nil, 3, nil, 20]])
        let description = try Network.inspect(file: network.file)
        #expect(description.inputs.map(\.name) == ["in0"])
        #expect(description.inputs.map(\.shape) == [[nil, 3, nil, 20]])
        #expect(description.outputs.map(\.name) == ["out0"])
        #expect(description.outputs.map(\.element) == [.float32])
    }

    @Test func dynamicDimensionsTakeInputSize() throws {
        let file = try TestNetwork([[nil, 3, nil, nil]]).file
        let network = try Network.load(file: file, input: NetworkInput(width: 24, height: 16), hint: .latency)
        #expect(network.description.inputs[0].shape == [1, 3, 16, 24])
        #expect(network.description.outputs[0].shape == [1, 3, 16, 24])
    }

    @Test(arguments: [NetworkInput.Layout.nchw, .nhwc], ["f32", "u8", "f16", "i32"])
    func preprocessingIsApplied(_ layout: NetworkInput.Layout, _ precision: String) throws {
        let (width, height) = (12, 10)
        let file = try TestNetwork(
            [layout == .nchw ? [1, 3, height, width] : [1, height, width, 3]], precision: precision
        ).file
        let normalised = precision == "f32"
        let input = NetworkInput(
            width: width, height: height, layout: layout, element: precision == "u8" ? .uint8 : .float32,
            channelOrder: .bgr, mean: normalised ? SIMD3(1, 2, 3) : .zero, scale: normalised ? SIMD3(2, 3, 4) : .one)
        let request = try Network.load(file: file, input: input, hint: .latency).makeRequest()
        let picture = PackedPicture(.rgb, width: width, height: height) { c, x, y in UInt8(10 + 80 * c + x + 6 * y) }
        for _ in 0..<2 {
            let placement = try withExtendedLifetime(picture) { try request.fill(from: picture.frame()) }
            #expect(placement.scaleX == 1)
            try request.infer()
        }
        let output = try #require(try request.outputs().first)
        #expect(output.shape == (layout == .nchw ? [1, 3, height, width] : [1, height, width, 3]))
        for y in 0..<height {
            for x in 0..<width {
                for channel in 0..<3 {
                    let slot =
                        layout == .nchw ? (channel * height + y) * width + x : (y * width + x) * 3 + channel
                    let seen: Double =
                        switch output.element {
                        case .uint8: Double(output.bytes.load(fromByteOffset: slot, as: UInt8.self))
                        case .int32: Double(output.bytes.load(fromByteOffset: slot * 4, as: Int32.self))
                        default: Double(output.bytes.load(fromByteOffset: slot * 4, as: Float.self))
                        }
                    let level = Double(10 + 80 * (2 - channel) + x + 6 * y)
                    let expected =
                        normalised ? (level - Double(input.mean[channel])) * Double(input.scale[channel]) : level
                    #expect(abs(seen - expected) <= (precision == "f16" ? 0.5 : 0.01))
                }
            }
        }
    }

    /// Networks that scale their boxes have an input for the picture's size, in any order of inputs. The picture may
    /// have no batch dimension.
    @Test func auxiliaryInputsAreSet() throws {
        let file = try TestNetwork([[nil, 2], [3, nil, nil]], names: ["im_shape", "image"]).file
        let request = try Network.load(file: file, input: NetworkInput(width: 12, height: 8), hint: .latency)
            .makeRequest()
        for level in [9, 70] {
            _ = try PackedPicture.withGrey(UInt8(level)) { try request.fill(from: $0) }
            try request.infer()
            let outputs = try request.outputs()
            #expect(outputs.map(\.shape) == [[1, 2], [3, 8, 12]])
            #expect(outputs[0].bytes.load(as: Float.self) == 8)
            #expect(outputs[0].bytes.load(fromByteOffset: 4, as: Float.self) == 12)
            #expect(outputs[1].bytes.load(as: Float.self) == Float(level))
        }
    }

    @Test func networkIsSharedWhileInUse() throws {
        let file = try TestNetwork([[1, 3, 8, 8]]).file
        let input = NetworkInput(width: 8, height: 8)
        var first: Network? = try Network.load(file: file, input: input, hint: .latency)
        let second = try Network.load(file: file, input: input, hint: .latency)
        #expect(first === second)
        #expect(try Network.load(file: file, input: input, hint: .throughput) !== second)
        #expect(try Network.load(file: file, input: input, threads: 1, hint: .latency) !== second)
        weak var gone: Network?
        gone = try Network.load(file: file, input: input, threads: 2, hint: .latency)
        #expect(gone == nil)
        first = nil
    }

    @Test func changedFileIsANewNetwork() throws {
        let file = try TestNetwork([[1, 3, 8, 8]]).file
        let input = NetworkInput(width: 8, height: 8)
        let first = try Network.load(file: file, input: input, hint: .latency)
        let other = try TestNetwork([[1, 3, 8, 8], [1, 3, 8, 8]]).file
        try Data(contentsOf: URL(fileURLWithPath: other)).write(to: URL(fileURLWithPath: file))
        let error = try detectorError { _ = try Network.load(file: file, input: input, hint: .latency) }
        #expect(error.reason == .unsupported)
        #expect(first.description.inputs.count == 1)
    }

    @Test func invalidFileIsNamedWithRemedy() throws {
        let folder = TestNetwork.folder + "/wrong"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        func file(_ name: String, _ content: Data) throws -> String {
            try content.write(to: URL(fileURLWithPath: folder + "/" + name))
            return folder + "/" + name
        }
        let noise = Data((0..<5000).map { UInt8(truncatingIfNeeded: $0 &* 167) })
        _ = try file("noise.bin", noise)
        _ = try file("other.bin", noise)
        let cases: [(String, ODTError.Reason)] = [
            (folder + "/absent.onnx", .fileNotFound),
            (folder, .fileNotFound),
            (try file("label.txt", Data("person".utf8)), .unsupported),
            (try file("empty.onnx", Data()), .invalidFile),
            (try file("noise.onnx", noise), .invalidFile),
            (try file("noise.tflite", noise), .invalidFile),
            (try file("noise.pb", noise), .invalidFile),
            (try file("noise.xml", noise), .invalidFile),
            (try file("other.xml", Data("<opencv_storage></opencv_storage>".utf8)), .invalidFile),
            (try file("alone.xml", Data("<net></net>".utf8)), .fileNotFound),
        ]
        for (file, reason) in cases {
            let error = try detectorError { _ = try Network.inspect(file: file) }
            #expect(error.reason == reason, "\(file): \(error)")
            #expect(error.description.contains(file))
        }
    }

    @Test func networkWithoutPictureInputIsRejected() throws {
        let input = NetworkInput(width: 8, height: 8)
        let shapes: [[[Int?]]] = [
            [[1, 3, 8, 8], [1, 3, 8, 8]], [[1, 1, 8, 8]], [[1, 3, 8]], [[1, 8, 8, 3]], [[1, 192]],
            [[1, 3, 4, 8, 8]],
        ]
        for shapes in shapes {
            let file = try TestNetwork(shapes).file
            let error = try detectorError { _ = try Network.load(file: file, input: input, hint: .latency) }
            #expect(error.reason == .unsupported)
            #expect(error.description.contains(file))
        }
    }

    @Test func invalidOptionsAreRejected() throws {
        let file = try TestNetwork([[nil, 3, nil, nil]]).file
        let inputs = [
            NetworkInput(width: 0, height: 8), NetworkInput(width: 8, height: -1),
            NetworkInput(width: 1 << 40, height: 8),
            NetworkInput(width: 8, height: 8, mean: SIMD3(0, .nan, 0)),
            NetworkInput(width: 8, height: 8, scale: SIMD3(0, 1, 1)),
        ]
        for input in inputs {
            #expect(throws: ODTError.self) { try Network.load(file: file, input: input, hint: .latency) }
        }
        let input = NetworkInput(width: 8, height: 8)
        for threads in [-1, 1025] {
            #expect(throws: ODTError.self) {
                try Network.load(file: file, input: input, threads: threads, hint: .latency)
            }
        }
        let error = try detectorError {
            _ = try Network.load(file: file, input: input, device: "TOASTER", hint: .latency)
        }
        #expect(error.description.contains("TOASTER"))
        let empty = try detectorError { _ = try Network.load(file: file, input: input, device: "", hint: .latency) }
        #expect(empty.description.contains("the device is empty"))
    }

    /// Reading a pipe in place of the weights would block, and reading a device would exhaust the memory.
    @Test(.timeLimit(.minutes(15)), arguments: ["a pipe", "a device", "a folder"])
    func invalidWeightsFileIsAnError(_ kind: String) throws {
        let file = "\(TestNetwork.folder)/weights of \(kind).xml"
        let weights = String(file.dropLast(4)) + ".bin"
        try Data("<net></net>".utf8).write(to: URL(fileURLWithPath: file))
        switch kind {
        case "a pipe": #expect(mkfifo(weights, 0o600) == 0)
        case "a device": #expect(symlink("/dev/zero", weights) == 0)
        default: #expect(mkdir(weights, 0o700) == 0)
        }
        defer { for path in [file, weights] { try? FileManager.default.removeItem(atPath: path) } }
        let error = try detectorError { _ = try Network.inspect(file: file) }
        #expect(error.description.contains(".bin"))
    }

    @Test(.enabled(if: TestNetwork.shared != nil, "no shared test material"))
    func damagedModelsAreSurvived() throws {
        let folder = try #require(TestNetwork.shared) + "/models/"
        var noise = Noise(state: 1)
        for name in ["FastestDet.onnx", "object_labeler.tflite"] {
            let whole = try Data(contentsOf: URL(fileURLWithPath: folder + name))
            for cut in [1, 7, 64, 1000, whole.count / 2] {
                let file = TestNetwork.folder + "/cut\(cut)-" + name
                try whole.prefix(cut).write(to: URL(fileURLWithPath: file))
                expectEitherReadOrRefused(file)
            }
            for round in 0..<4 {
                // The start of the file contains the structure, the rest the weights.
                var spoilt = whole
                for _ in 0..<20 {
                    spoilt[Int.random(in: 0..<4000, using: &noise)] = .random(in: 0...255, using: &noise)
                }
                let file = TestNetwork.folder + "/spoilt\(round)-" + name
                try spoilt.write(to: URL(fileURLWithPath: file))
                expectEitherReadOrRefused(file)
            }
        }
    }

    private func expectEitherReadOrRefused(_ file: String) {
        do {
            _ = try Network.inspect(file: file)
        } catch {
            #expect((error as? ODTError)?.description.contains(file) == true)
        }
        try? FileManager.default.removeItem(atPath: file)
    }
}
