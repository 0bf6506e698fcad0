import Foundation
import SwiftODTFoundation
import Testing

@testable import SwiftODT

@Suite struct LocalizedErrorsTests {
    @Test func localizedDescriptionIsTheDescription() {
        let errors: [any Error] = [ODTError(.fileNotFound, "there is no model file a.onnx"), VisionDroppedError()]
        for error in errors { #expect(error.localizedDescription == String(describing: error)) }
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
