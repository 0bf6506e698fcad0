import Foundation
import ODTTestSupport
import Testing

@testable import SwiftODT

/// The default is the best installed model in the catalogue's order, so both lists must have the same order.
@Suite struct ModelOrderTests {
    @Test func catalogueAndSearchPathHaveTheSameOrder() throws {
        var checkout = URL(fileURLWithPath: #filePath)
        for _ in 0..<4 { checkout.deleteLastPathComponent() }
        let file = checkout.appendingPathComponent("Pipelines/models/catalogue.json").path
        let models = try #require(try JSONValue(parsing: FileBytes.read(file, limit: 1 << 20))["models"]?.array)
        for purpose in ModelSearchPath.Purpose.allCases {
            let listed = models.filter { $0["purpose"]?.string == purpose.rawValue }
                .compactMap { $0["files"]?.array?.first?.string }
            #expect(!listed.isEmpty && purpose.files.filter(listed.contains) == listed)
        }
    }

    @Test func folderPrecedesFormatInSearchForName() throws {
        let (one, two) = (try TemporaryFolder(), try TemporaryFolder())
        let (first, second) = (try one.write("a.onnx", ""), try two.write("a.xml", ""))
        #expect(ModelSearchPath.installed("a", in: [one.path, two.path]) == first)
        #expect(ModelSearchPath.installed("a", in: [two.path, one.path]) == second)
        #expect(ModelSearchPath.installed("a.xml", in: [one.path, two.path]) == second)
        withExtendedLifetime((one, two)) {}
    }

    /// A SavedModel of TensorFlow is a folder.
    @Test func folderInsteadOfModelFileIsNamed() throws {
        let folder = try TemporaryFolder()
        let error = #expect(throws: ODTError.self) { try ModelSearchPath.locate(named: folder.path) }
        #expect(error?.description.contains("\(folder.path) is a folder") == true)
        withExtendedLifetime(folder) {}
    }
}
