import Foundation
import Testing

@Suite struct TrackerTuningTests {
    /// Searches the source files, because the compiler does not warn of an unused static property.
    @Test func everyConstantIsUsed() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../Sources/SwiftODT/Tracking")
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        let texts = try files.map { try String(contentsOf: $0, encoding: .utf8) }
        let used = Set(texts.flatMap { $0.matches(of: /TrackerTuning\.(\w+)/).map { String($0.1) } })
        let tuning = try #require(texts.first { $0.contains("enum TrackerTuning {") })
        let constants = tuning.matches(of: /static let \(?([\w, ]+)/).flatMap { $0.1.split(separator: ", ") }
        #expect(constants.count > 40)
        for constant in constants { #expect(used.contains(constant.trimmingCharacters(in: .whitespaces))) }
    }
}
