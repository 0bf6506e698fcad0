import Foundation
import SwiftODT
import SwiftODTMLKit
import Testing

@Suite struct LocalizedErrorsTests {
    @Test func localizedDescriptionIsTheDescription() {
        let error: any Error = ODTError(.fileNotFound, "there is no model file a.onnx")
        #expect(error.localizedDescription == String(describing: error))
    }

    @Test func snippetOfMLKitPrintsTheDescription() throws {
        let path = "/nowhere/picture.png"
        do {
            _ = try VisionImage(contentsOfFile: path)
            Issue.record("there is no such picture")
        } catch let error {
            #expect("Failed to detect object with error: \(error.localizedDescription).".contains(path))
        }
    }
}
