import Foundation
import ODTTestSupport
import Testing

@testable import SwiftODT

/// Tests labels in model files: archives appended to .tflite files, .onnx properties and .xml metadata.
@Suite struct EmbeddedLabelsTests {
    /// 200 lines, compressed by zlib with dynamic Huffman codes.
    private static let packed =
        "ddZhbtswDIbh/zmFj2CKIiUdJ92MdUC6DtmGXX+GZUUvB/gAZNrH5Ec9t6/L4/7xc1lv357b9mP59f65LXJ7e/zZlt/3t8e25Nvf+/Nj+fJ+//5c2u3L5+MsEb899/KjItlZ32vUe4delFtvcVR57i2OsipHi7PobNGLUu4tjqJceoejqKTeoVelo0OvUTlb9F9KvcNR1Kx3OH9Ke4teVtajR/+nEiFMKdGcFDnDosm0yBosWqaFrbCooHADRSrBolZYWIZFCha1AcMDhhowRIhRnRjuEyNXYmgihlRiOC10WtQ4F6XRohgsigKjKDCKBYzRowsaMJoSw2EhNVhwMHKlhQeLCguRYGG0cKFF5ZKkNDH2L0eM8VXPeS9cEuOSwMLWYNHCkigthBb7rE6MfYyBMUa8D0Yixr4XwFCdGM2I4WEwNGAkWBRY5BIsUlgS5Y4IlyTDYo8VWozM6eycC3FacEcyJQQQKx2EDBkKITOdCOP3X3/aVMhtKvh/EyFXCompudthO1KMTSCMLzE+EhGMsalk2L/61UBYiM3GpMi0aPGAaLggjE1bERWBwu1yOSpj0zgRKVpUJoUTQ40YIsCoYTvcL6NCEzGkTgwPFuGE1DAXhUlRbFqUeEKKXsdmY1LwhrR4T7kdI7tHrDMpKk9IsKh+eUKG5+vyvCxqWJIUksLC02J81j7vBUsSb0i9PKctLAlPSJNgkRmb46qPg8/B4OOirOGG6OXjwsNgKDDC26IEi/HCeT1+pgXPqcQlyZfPrBE543U2LcTjCeEFYWgSYuUtJUOmQsjMcEj3P+Af"
    private static let text: String = {
        let colors = ["red", "green", "blue", "warm", "cold"]
        let objects = ["lamp", "chair", "table", "shoe"]
        let lines: [String] = (0..<200).map { "\(colors[$0 % 5]) \(objects[$0 * 7 % 4]) \($0 * $0 % 97)" }
        return lines.joined(separator: "\n") + "\n"
    }()

    private static let unpackedFile = Array(text.utf8)
    private static let packedFile = Array(Data(base64Encoded: packed) ?? Data())

    /// Returns a zip archive with one file.
    private func zip(
        _ name: String, method: Int, packed: [UInt8], size: Int, before prefix: [UInt8] = []
    ) -> [UInt8] {
        var bytes = prefix
        func add(_ values: (value: Int, bytes: Int)...) {
            for (value, count) in values {
                for byte in 0..<count { bytes.append(UInt8(truncatingIfNeeded: value >> (8 * byte))) }
            }
        }
        let nameLength = name.utf8.count
        add(
            (0x0403_4B50, 4), (20, 2), (0, 2), (method, 2), (0, 4), (0, 4), (packed.count, 4), (size, 4),
            (nameLength, 2), (0, 2))
        bytes += Array(name.utf8)
        bytes += packed
        let directory = bytes.count
        add((0x0201_4B50, 4), (20, 2), (20, 2), (0, 2), (method, 2), (0, 4), (0, 4), (packed.count, 4), (size, 4))
        add((nameLength, 2), (0, 2), (0, 2), (0, 2), (0, 2), (0, 4), (prefix.count, 4))
        bytes += Array(name.utf8)
        let end = bytes.count
        add((0x0605_4B50, 4), (0, 4), (1, 2), (1, 2), (end - directory, 4), (directory, 4), (0, 2))
        return bytes
    }

    @Test func everyDeflateBlockTypeIsUnpacked() throws {
        #expect(try Inflate.unpack(Self.packedFile[...], limit: 5000) == Self.unpackedFile)
        let fixed = Array(Data(base64Encoded: "S04s4UrJT+dKhtJJmUUpXAA=") ?? Data())
        #expect(try Inflate.unpack(fixed[...], limit: 100) == Array("cat\ndog\ncat\ndog\nbird\n".utf8))
        #expect(try Inflate.unpack([1, 3, 0, 0xFC, 0xFF, 65, 66, 67], limit: 3) == Array("ABC".utf8))
    }

    /// An index determines the size of the label list: `Int.max` would overflow, and 4 billion would allocate 64 GB.
    @Test(arguments: ["9223372036854775807", "4000000000", "100001", "99999999999999999999"])
    func outOfRangeIndicesAreRejected(_ index: String) {
        #expect(Labels(dictionaryText: "{\(index): 'x'}") == nil)
        #expect(Labels(dictionaryText: "{0: 'a', \(index): 'x'}") == nil)
        #expect(Labels(dictionaryText: "{0: 'a', 7: 'x'}")?.count == 8)
        #expect(Labels(parsing: Array("item {\n id: \(index)\n name: 'x'\n}".utf8))?.count ?? 0 < 10)
    }

    /// A small archive can decompress to gigabytes of labels.
    @Test func tooLongListsAreRejected() {
        #expect(Labels(parsing: Array(String(repeating: "a\n", count: 100_001).utf8))?.count == 100_001)
        #expect(Labels(parsing: Array(String(repeating: "a\n", count: 100_002).utf8)) == nil)
    }

    @Test func unpackingRespectsLimit() {
        #expect(throws: Inflate.Damaged.self) {
            try Inflate.unpack(Self.packedFile[...], limit: Self.unpackedFile.count - 1)
        }
        #expect(throws: Inflate.Damaged.self) { try Inflate.unpack(Self.packedFile.dropLast(), limit: 5000) }
        #expect(throws: Inflate.Damaged.self) { try Inflate.unpack([], limit: 5000) }
        #expect(throws: Inflate.Damaged.self) { try Inflate.unpack([7], limit: 5000) }
    }

    @Test func labelsAppendedToTFLiteAreFound() throws {
        let folder = try TemporaryFolder()
        let network = (0..<5000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        for (method, packed) in [(0, Self.unpackedFile), (8, Self.packedFile)] {
            let archive = zip(
                "labels.txt", method: method, packed: packed, size: Self.unpackedFile.count, before: network)
            let model = try folder.write("net\(method).tflite", archive)
            let labels = try Labels.load(manifest: nil, model: model)
            #expect(labels?.count == 200)
            #expect(labels?[0]?.text == "red lamp 0")
            #expect(labels?[199]?.text == "cold chair \(199 * 199 % 97)")
        }
    }

    /// The exporters of YOLOv5 and YOLOv8 append their metadata.
    @Test func namesInMetadataAppendedToTFLiteAreFound() throws {
        let folder = try TemporaryFolder()
        let text = "{'description': 'a model', 'names': {0: 'drone', 1: 'bird'}, 'imgsz': [640, 640]}"
        for (file, text, names) in [("a", text, ["drone", "bird"]), ("b", "{'stride': 32}", nil)] {
            let archive = zip("temp_meta.txt", method: 0, packed: Array(text.utf8), size: text.utf8.count)
            let labels = try Labels.load(manifest: nil, model: folder.write("\(file).tflite", archive))
            #expect(labels?.all.map(\.text) == names)
        }
    }

    /// Later exporters of YOLO append JSON.
    @Test func namesInJSONAppendedToTFLiteAreFound() throws {
        let folder = try TemporaryFolder()
        for (file, names) in [("a", #"{"1": "bird", "0": "dr\u00f6ne"}"#), ("b", #"["dr\u00f6ne", "bird"]"#)] {
            let text = #"{"description": "a model", "names": \#(names), "imgsz": [640, 640]}"#
            let archive = zip("metadata.json", method: 0, packed: Array(text.utf8), size: text.utf8.count)
            let labels = try Labels.load(manifest: nil, model: folder.write("\(file).tflite", archive))
            #expect(labels?.all.map(\.text) == ["dr\u{f6}ne", "bird"])
        }
    }

    @Test(arguments: [
        #"{"0": "person", "1": "bull's eye"}"#, #"['person', "bull's eye"]"#, #"["person", "bull's eye"]"#,
        #"{0: 'person', 1: "bull's eye"}"#,
    ])
    func everyFormOfNamesIsRead(_ text: String) {
        #expect(Labels(namesText: text)?.all.map(\.text) == ["person", "bull's eye"])
    }

    @Test(arguments: [#"{"-1": "person"}"#, #"{"0": 7}"#, #"["person", null]"#, "[]", "{}", "person", "[person]"])
    func otherTextsAreNotNames(_ text: String) { #expect(Labels(namesText: text) == nil) }

    @Test func modelWithoutLabelsGivesNone() throws {
        let folder = try TemporaryFolder()
        #expect(try Labels.load(manifest: nil, model: folder.write("a.tflite", [])) == nil)
        #expect(
            try Labels.load(manifest: nil, model: folder.write("b.tflite", Array(repeating: 0x50, count: 100_000)))
                == nil)
        let other = zip("readme.md", method: 0, packed: [65], size: 1)
        #expect(try Labels.load(manifest: nil, model: folder.write("c.tflite", other)) == nil)
        let unknownMethod = zip("labels.txt", method: 12, packed: [65], size: 1)
        #expect(try Labels.load(manifest: nil, model: folder.write("d.tflite", unknownMethod)) == nil)
    }

    @Test func labelsInONNXPropertiesAreFound() throws {
        func field(_ number: UInt8, _ bytes: [UInt8]) -> [UInt8] {
            let length = bytes.count
            let size = length < 128 ? [UInt8(length)] : [UInt8(length & 127 | 128), UInt8(length >> 7)]
            return [number << 3 | 2] + size + bytes
        }
        func property(_ key: String, _ value: String) -> [UInt8] {
            field(14, field(1, Array(key.utf8)) + field(2, Array(value.utf8)))
        }
        var model: [UInt8] = [0x08, 0x08]
        model += field(2, Array("exporter".utf8))
        model += field(7, Array(repeating: 0xAB, count: 300))
        model += property("stride", "32")
        model += property("names", #"{0: 'person', 1: "bull's eye", 2: 'it\'s'}"#)
        let folder = try TemporaryFolder()
        let labels = try Labels.load(manifest: nil, model: folder.write("net.onnx", model))
        #expect(labels?.all.map(\.text) == ["person", "bull's eye", "it's"])
        var random = SeededGenerator(seed: 4)
        for _ in 0..<300 {
            let damaged = try folder.write("damaged.onnx", random.damage(model))
            _ = try Labels.load(manifest: nil, model: damaged)
        }
    }

    @Test func labelsInXMLAreFound() throws {
        let folder = try TemporaryFolder()
        let model = try folder.write(
            "net.xml",
            #"<net><rt_info><model_info><labels value="person traffic_light R&amp;amp;D_&lt;dog&gt;" /></model_info></rt_info></net>"#
        )
        #expect(
            try Labels.load(manifest: nil, model: model)?.all.map(\.text) == [
                "person", "traffic light", "R&amp;D <dog>",
            ])
    }

    /// OpenVINO keeps the metadata of an .onnx file that it converts.
    @Test func namesFromONNXInXMLAreFound() throws {
        let folder = try TemporaryFolder()
        let model = try folder.write(
            "net.xml",
            #"<net><rt_info><framework><names value="{0: 'plane', 1: &quot;bull's eye&quot;}" /></framework></rt_info></net>"#
        )
        #expect(try Labels.load(manifest: nil, model: model)?.all.map(\.text) == ["plane", "bull's eye"])
        withExtendedLifetime(folder) {}
    }

    /// Returns an .onnx file without a graph.
    private func onnx(_ properties: [String: String]) -> [UInt8] {
        var model = ProtobufMessage()
        for (key, value) in properties {
            var entry = ProtobufMessage()
            entry.append(1, key)
            entry.append(2, value)
            model.append(14, entry.bytes)
        }
        return model.bytes
    }

    private func network(_ input: [Int?], _ output: [Int?]) -> NetworkDescription {
        NetworkDescription(
            inputs: [TensorDescription(name: "images", shape: input, element: .float32)],
            outputs: [TensorDescription(name: "output0", shape: output, element: .float32)])
    }

    /// Rows of rotated boxes with non-maximum suppression have as many columns as those of a DETR with three classes.
    @Test(arguments: [("obb", "detect"), ("pose", "detect"), ("classify", "classifier-file")])
    func detectorForOtherTaskIsRejected(task: String, remedy: String) throws {
        let folder = try TemporaryFolder()
        let json = #"{"task": "\#(task)"}"#
        let python = "{'names': {0: 'a', 1: 'b', 2: 'c'}, 'task': '\(task)', 'stride': 32}"
        for file in [
            try folder.write("a.onnx", onnx(["task": task])),
            try folder.write("a.xml", #"<net><rt_info><task value="\#(task)" /></rt_info></net>"#),
            try folder.write(
                "a.tflite",
                zip("metadata.json", method: 0, packed: Array(json.utf8), size: json.utf8.count)),
            try folder.write(
                "b.tflite",
                zip("temp_meta.txt", method: 0, packed: Array(python.utf8), size: python.utf8.count)),
        ] {
            #expect {
                try DetectionFamily.recognise(
                    network([1, 3, 640, 640], [1, 300, 7]), manifest: nil, labels: names(3), file: file)
            } throws: {
                "\($0)".contains("\"\(task)\"") && "\($0)".contains(remedy)
            }
        }
        withExtendedLifetime(folder) {}
    }

    @Test(arguments: ["detect", "segment", "object-detection"])
    func detectionTaskIsAccepted(task: String) throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("a.onnx", onnx(["task": task]))
        let found = try DetectionFamily.recognise(
            network([1, 3, 640, 640], [1, 7, 8400]), manifest: nil, labels: names(3), file: file)
        #expect(found.family == .yolov8)
        withExtendedLifetime(folder) {}
    }

    /// The output of an end-to-end YOLO network does not show the number of classes.
    @Test func namesInFileAreClassesOfEndToEndYOLO() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("a.onnx", onnx(["names": "{0: 'background', 1: 'person'}"]))
        let description = network([1, 3, 640, 640], [1, 300, 6])
        let decoder = try DetectionFamily.decoder(
            for: description, manifest: nil, labels: Labels.load(manifest: nil, model: file), file: file)
        #expect(decoder.labels == ["background", "person"])
        let mapped = try DetectionFamily.decoder(
            for: description, manifest: nil, labels: Labels(["background", "a", "b"]), file: file)
        #expect(mapped.labels == ["a", "b"])
        #expect(throws: ODTError.self) {
            try DetectionFamily.decoder(for: description, manifest: nil, labels: names(4), file: file)
        }
        withExtendedLifetime(folder) {}
    }

    /// Ultralytics writes the description of an OpenVINO model into a file beside it.
    @Test func descriptionBesideXMLNamesDETR() throws {
        let folder = try TemporaryFolder()
        _ = try folder.write(
            "metadata.yaml", "description: Ultralytics rtdetr-l model\ntask: detect\nnames:\n  0: a\n  1: b\n")
        for (type, family) in [("YOLO", DetectionFamily.detr), ("ssd", .yoloEndToEnd)] {
            let file = try folder.write(
                "best.xml",
                #"<net><rt_info><model_info><model_type value="\#(type)" /></model_info><nncf><model_type value="None" /></nncf></rt_info></net>"#
            )
            let found = try DetectionFamily.recognise(
                network([1, 3, 640, 640], [1, 300, 6]), manifest: nil, labels: names(2), file: file)
            #expect(found.family == family)
        }
        withExtendedLifetime(folder) {}
    }

    @Test func classifierOfUltralyticsTakesFractions() throws {
        let folder = try TemporaryFolder()
        func input(
            _ task: String, _ manifest: ModelManifest? = nil, shape: [Int?] = [1, 3, 224, 224]
        ) throws -> NetworkInput {
            var inspection = try NetworkInspection(
                network(shape, [1, 3]), manifest: manifest, labels: names(3),
                file: folder.write("net.onnx", onnx(["task": task])))
            try inspection.readFile()
            return try inspection.classifierInput()
        }
        let fractions = try input("classify")
        #expect(fractions.mean == .zero && fractions.scale == SIMD3(repeating: 1 / 255))
        for shape in [[1, 3, 224, 224], [nil, nil, nil, nil]] {
            #expect(try input("image-classification", shape: shape).mean == ImageNetStatistics.mean)
        }
        var manifest = ModelManifest(name: "x")
        manifest.input.mean = SIMD3(1, 2, 3)
        #expect(try input("classify", manifest).mean == SIMD3(1, 2, 3))
        withExtendedLifetime(folder) {}
    }

    @Test func damagedArchiveIsSurvived() {
        var random = SeededGenerator(seed: 5)
        let sound = zip(
            "labels.txt", method: 8, packed: Self.packedFile, size: Self.unpackedFile.count, before: [1, 2, 3])
        for _ in 0..<1500 {
            let damaged = random.damage(sound)
            if let archive = ZipArchive(damaged) {
                for entry in archive.entries { #expect((archive.contents(entry)?.count ?? 0) <= 4 << 20) }
                _ = Labels(archive: archive)
            }
            _ = try? Inflate.unpack(random.damage(Self.packedFile)[...], limit: 10_000)
        }
    }

    @Test(.enabled(if: SharedMaterial.has("models/object_labeler.tflite"), "no shared test material"))
    func realCustomClassifierIsRead() throws {
        let labels = try Labels.load(manifest: nil, model: SharedMaterial.path("models/object_labeler.tflite"))
        #expect(labels?.count == 631)
        #expect(labels?.all.contains { $0.text == "Flower" } == true)
    }
}
