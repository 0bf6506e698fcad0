import Foundation
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
}
