import ODTTestSupport
import Testing

@testable import SwiftODT

/// Tests all manifest entries, and that the error for an invalid entry names it.
@Suite struct ManifestTests {
    private func manifest(_ text: String, file: String = "/models/a.json") throws -> ModelManifest {
        try ModelManifest(parsing: text.utf8, file: file)
    }

    @Test func everyEntryIsParsed() throws {
        let manifest = try manifest(
            """
            { "name": "Net", "task": "detection", "family": "ssd", "labels": "coco90", "licence": "Apache-2.0",
              "source": "somewhere", "files": {"a.bin": {"bytes": 7, "sha256": "00ff"}}, "classes": 90, "background": true, "score-threshold": 0.3, "groups": {"Farm": ["Cow", "sheep"]},
              "logits": false, "strides": [8, 16],
              "quantisation": { "scores": { "step": 0.5, "zero": 128 } },
              "input": { "width": 320, "height": 240, "colour": "bgr", "mean": 127.5, "scale": [1, 2, 3],
                         "fit": "letterbox-centred", "fill": 7 },
              "anchors": { "levels": [3, 6], "scales-per-level": 2, "aspect-ratios": [1, 2], "scale": 4,
                           "min-scale": 0.1, "max-scale": 0.9, "box-coder-scales": [10, 10, 5, 5] },
              "something newer": {} }
            """)
        #expect(manifest.name == "Net")
        #expect(manifest.task == .detection)
        #expect(manifest.family == "ssd")
        #expect(manifest.labels == .vocabulary("coco90"))
        #expect(manifest.licence == "Apache-2.0")
        #expect(manifest.source == "somewhere")
        #expect(manifest.files == [ModelManifest.File(name: "a.bin", bytes: 7, sha256: "00ff")])
        #expect(manifest.classes == 90)
        #expect(manifest.hasBackground == true)
        #expect(manifest.scoreThreshold == 0.3)
        #expect(manifest.labelGroups == ["farm": ["cow", "sheep"]])
        #expect(manifest.scoresAreLogits == false)
        #expect(manifest.quantisation == ["scores": QuantisationScale(step: 0.5, zero: 128)])
        #expect(manifest.strides == [8, 16])
        #expect(manifest.input.width == 320 && manifest.input.height == 240)
        #expect(manifest.input.channelOrder == .bgr)
        #expect(manifest.input.mean == SIMD3(repeating: 127.5))
        #expect(manifest.input.scale == SIMD3(1, 2, 3))
        #expect(manifest.input.fit == .letterboxCentered(fill: 7))
        #expect(manifest.anchors?.levels == 3...6)
        #expect(manifest.anchors?.boxCoderScales == [10, 10, 5, 5])
    }

    @Test func onlyNameIsRequired() throws {
        #expect(try manifest(#"{"name": "x"}"#) == ModelManifest(name: "x"))
    }

    @Test func labelFileIsFoundBesideManifest() throws {
        #expect(try manifest(#"{"name": "x", "labels": "names.txt"}"#).labels == .file("/models/names.txt"))
        #expect(try manifest(#"{"name": "x", "labels": "/abs/names.txt"}"#).labels == .file("/abs/names.txt"))
        #expect(try manifest(#"{"name": "x", "labels": "names.txt"}"#, file: "a.json").labels == .file("names.txt"))
        #expect(try manifest(#"{"name": "x", "labels": ["a", "b"]}"#).labels == .list(["a", "b"]))
    }

    @Test(arguments: [
        (#"{}"#, "name"), (#"[]"#, "object"), (#"{"name": 1}"#, "name"),
        (#"{"name": "x", "task": "juggling"}"#, "task"),
        (#"{"name": "x", "classes": 0}"#, "classes"), (#"{"name": "x", "classes": 1.5}"#, "classes"),
        (#"{"name": "x", "quantisation": 5}"#, "quantisation"),
        (#"{"name": "x", "quantisation": {"a": {"step": 0, "zero": 1}}}"#, "quantisation.a.step"),
        (#"{"name": "x", "quantisation": {"a": {"step": 1}}}"#, "quantisation.a"),
        (#"{"name": "x", "labels": 5}"#, "labels"), (#"{"name": "x", "labels": [1]}"#, "labels"),
        (#"{"name": "x", "input": 5}"#, "input"), (#"{"name": "x", "input": {"width": 1e9}}"#, "input.width"),
        (#"{"name": "x", "input": {"mean": [1, 2]}}"#, "input.mean"),
        (#"{"name": "x", "input": {"mean": [1, "x", 2, 3]}}"#, "input.mean"),
        (#"{"name": "x", "input": {"fit": "fat"}}"#, "input.fit"),
        (#"{"name": "x", "anchors": {"levels": [5, 3]}}"#, "anchors.levels"),
        (#"{"name": "x", "anchors": {"aspect-ratios": []}}"#, "anchors.aspect-ratios"),
        (#"{"name": "x", "files": {"../a": {"bytes": 7, "sha256": "00"}}}"#, "files.../a"),
        (#"{"name": "x", "files": {"a": {"bytes": 7}}}"#, "files.a"),
        (#"{"name": "x", "strides": [0]}"#, "strides"), (#"{"name": "x", "background": "yes"}"#, "background"),
        (#"{"name": "x", "score_threshold": 0.5}"#, #"did you mean "score-threshold"?"#),
        (#"{"name": "x", "input": {"color": "bgr"}}"#, #"did you mean "colour"?"#),
        (#"{"name": "x", "input": {"fill": 0}}"#, "input.fill"),
        (#"{"name": "x""#, "line 1"),
    ])
    func invalidEntryIsNamed(text: String, part: String) {
        #expect {
            try manifest(text)
        } throws: {
            let error = $0 as? ODTError
            return error?.reason == .invalidFile && error?.description.contains("/models/a.json") == true
                && error?.description.contains(part) == true
        }
    }

    @Test(arguments: [
        ("/a/b.onnx", "/a/b.json"), ("b.xml", "b.json"), ("/a.b/c", "/a.b/c.json"), ("c", "c.json"),
        ("/x/y.z.tflite", "/x/y.z.json"),
    ])
    func manifestPathIsBesideModel(model: String, path: String) {
        #expect(ModelManifest.path(besideModel: model) == path)
    }

    @Test func manifestIsLoadedBesideModel() throws {
        let folder = try TemporaryFolder()
        let model = try folder.write("net.onnx", "x")
        #expect(try ModelManifest.load(besideModel: model) == nil)
        _ = try folder.write("net.json", #"{"name": "net"}"#)
        #expect(try ModelManifest.load(besideModel: model)?.name == "net")
    }

    @Test func damagedManifestIsSurvived() {
        var random = SeededGenerator(seed: 2)
        let sound = Array(
            #"{"name":"n","labels":["a"],"input":{"width":3,"fit":"stretch"},"anchors":{"levels":[3,7]},"strides":[8]}"#
                .utf8)
        var refused = 0
        for _ in 0..<2000 {
            do {
                _ = try ModelManifest(parsing: random.damage(sound), file: "x.json")
            } catch {
                #expect(error is ODTError)
                refused += 1
            }
        }
        #expect(refused > 1000)
    }
}
