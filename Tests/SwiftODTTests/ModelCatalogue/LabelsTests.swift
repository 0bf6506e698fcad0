import Foundation
import ODTTestSupport
import Testing

@testable import SwiftODT

/// Tests the sources and formats of a model's labels.
@Suite struct LabelsTests {
    private func texts(_ text: String) -> [String?]? {
        Labels(parsing: Array(text.utf8)).map { labels in (0..<labels.count).map { labels[$0]?.text } }
    }

    @Test func readsOneNameALine() {
        #expect(texts("person\n bicycle \r\ntraffic light\n\n") == ["person", "bicycle", "traffic light"])
        #expect(texts("\u{FEFF}person\n???\ncar") == ["person", nil, "car"])
        #expect(texts("7up\n3 d printer\nlamp") == ["7up", "3 d printer", "lamp"])
    }

    @Test func readsNumberedLines() {
        #expect(texts("0 person\n2 traffic light\n1: car\n") == ["person", "car", "traffic light"])
        #expect(texts("1,person\n2,car") == [nil, "person", "car"])
        #expect(texts("5 a\n5 b") == ["5 a", "5 b"])
        #expect(texts("1 euro\n2 euro") == ["1 euro", "2 euro"])
        #expect(texts("1 euro\n2 euro\n5 dollar") == ["1 euro", "2 euro", "5 dollar"])
        #expect(texts("0 car\n1 car") == ["car", "car"])
        #expect(texts("1 crane\n2 maillot\n3 crane") == [nil, "crane", "maillot", "crane"])
        #expect(texts("1 car\n2 N/A\n3 N/A") == [nil, "car", "N/A", "N/A"])
    }

    @Test func readsTensorFlowLabelMaps() {
        let map = """
            item {
              name: "/m/01g317"
              id: 1
              display_name: "person"
            }
            item { # comment
              id: 3
              name: 'car'
            }
            """
        #expect(texts(map) == [nil, "person", nil, "car"])
        #expect(
            texts("item { id: 0, name: 'person' } item {name:\"traffic light\" id:2 # lights: red\n}")
                == ["person", nil, "traffic light"])
        #expect(Labels(parsing: Array("item { id: one name: 'person' }".utf8)) == nil)
    }

    @Test func nonListIsRejected() {
        #expect(texts("") == nil)
        #expect(texts("\n \n\t\n") == nil)
        #expect(texts("[\"person\", \"car\"]") == nil && texts("\n{\n\"0\": \"person\"\n}") == nil)
        #expect(texts("path: data\nnames:\n  0: person\n") == nil && texts("nc: 1\nnames: [person]") == nil)
        #expect(Labels(parsing: [0x54, 0x46, 0x4C, 0x33, 0x00, 0x12]) == nil)
    }

    @Test func firstNameMayBeginWithBracket() {
        #expect(texts("[background]\ncat") == ["[background]", "cat"])
        #expect(texts("{none}\n[PAD]") == ["{none}", "[PAD]"])
        #expect(texts("{0: 'cat',\n 1: 'dog'}") == nil && texts("[person, car]") == nil)
        #expect(texts("[]") == nil && texts("[") == nil && texts("[\r\n  1]") == nil && texts("[ ['cat']]") == nil)
    }

    @Test func invisibleCharactersAreDropped() {
        #expect(texts("per\u{1}son\nc\u{7}ar") == ["person", "car"])
    }

    @Test func cocoVocabularyIsKnown() {
        let (short, long) = (Labels.vocabulary("coco80"), Labels.vocabulary("coco90"))
        #expect(short?.count == 80 && long?.count == 90)
        #expect(short?[79]?.text == "toothbrush" && long?[89]?.text == "toothbrush")
        #expect(short?[11]?.text == "stop sign" && long?[12]?.text == "stop sign" && long?[11] == nil)
        #expect(long?.all.map(\.text) == short?.all.map(\.text))
        #expect(Labels.vocabulary("klingon") == nil)
    }

    @Test func outOfRangeIndexGivesNil() {
        let labels = Labels(["a", ""])
        #expect(labels[0] == Label(index: 0, text: "a"))
        #expect(labels[1] == nil && labels[2] == nil && labels[-1] == nil && labels[.max] == nil)
    }

    @Test func labelSourcesAreSearchedInOrder() throws {
        let folder = try TemporaryFolder()
        let model = try folder.write("net.onnx", "x")
        #expect(try Labels.load(manifest: nil, model: model) == nil)
        _ = try folder.write("labels.txt", "from folder")
        #expect(try Labels.load(manifest: nil, model: model)?[0]?.text == "from folder")
        _ = try folder.write("net.txt", "from beside")
        #expect(try Labels.load(manifest: nil, model: model)?[0]?.text == "from beside")
        var manifest = ModelManifest(name: "net")
        manifest.labels = .list(["from manifest"])
        #expect(try Labels.load(manifest: manifest, model: model)?[0]?.text == "from manifest")
        let named = try folder.write("mine.txt", "from user")
        #expect(try Labels.load(file: named, manifest: manifest, model: model)?[0]?.text == "from user")
    }

    @Test func missingLabelFileIsAnError() throws {
        let folder = try TemporaryFolder()
        let model = try folder.write("net.onnx", "x")
        #expect {
            try Labels.load(file: folder.path + "/nowhere.txt", manifest: nil, model: model)
        } throws: {
            ($0 as? ODTError)?.reason == .fileNotFound && "\($0)".contains("nowhere.txt")
        }
        var manifest = ModelManifest(name: "net")
        manifest.labels = .file(folder.path)
        #expect(throws: ODTError.self) { try Labels.load(manifest: manifest, model: model) }
    }

    @Test func damagedFileIsSurvived() {
        var random = SeededGenerator(seed: 3)
        let sound = Array("item { id: 1 name: 'a' }\n0 person\n99999999999999999999 x\n".utf8)
        for _ in 0..<2000 {
            let labels = Labels(parsing: random.damage(sound))
            #expect((labels?.count ?? 0) <= 100_001)
        }
    }
}
