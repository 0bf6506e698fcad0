import Foundation
import Testing

@testable import SwiftODT

/// Tests which models can be loaded for re-identification.
@Suite(.enabled(if: TestNetwork.hasRuntime, "no OpenVINO on this machine"))
struct ReidentificationNetworkTests {
    /// Returns the path of a network with the output shape [1,3,1,1], or [1,3,6,8] if `isPooled` is false, with a
    /// manifest beside it. `members` are members of the manifest.
    private func network(_ members: String, isPooled: Bool = true) throws -> String {
        var graph = ProtobufMessage()
        graph.append(.node(isPooled ? "GlobalAveragePool" : "Relu", ["picture"], "out"))
        graph.append(.input("picture", type: 1, dimensions: [1, 3, 6, 8]))
        graph.append(output: "out", [1, 3, isPooled ? 1 : 6, isPooled ? 1 : 8])
        let file = try TestNetwork.write(onnx: graph.file)
        try Data(#"{"name": "test", "task": "reidentification", \#(members)}"#.utf8)
            .write(to: URL(fileURLWithPath: ModelManifest.path(besideModel: file)))
        return file
    }

    @Test func labelGroupsAreExpanded() throws {
        let members = #""labels": ["Person", "@farm", "@people"], "groups": {"farm": ["cow", "sheep"]}"#
        let labels = try ReidentificationNetwork(modelFile: network(members)).labels
        #expect(labels == ["person", "cow", "sheep"])
    }

    @Test(arguments: [
        (#""labels": ["@nobody"]"#, true, ODTError.Reason.invalidFile, "the label group @nobody, which does not exist"),
        (#""labels": "coco80""#, true, .invalidFile, "are not a list"),
        (#""licence": "none""#, true, .unsupported, "is not known as a re-identification network"),
        (#""labels": ["person"]"#, false, .unsupported, "has the shape [1,3,6,8] and is not an embedding"),
    ])
    func unusableNetworkIsRefused(members: String, isPooled: Bool, reason: ODTError.Reason, text: String) throws {
        let file = try network(members, isPooled: isPooled)
        let error = try detectorError { _ = try ReidentificationNetwork(modelFile: file) }
        #expect(error.reason == reason)
        #expect("\(error)".contains(text), "\(error)")
    }
}
