import Foundation

/// Test material outside the repository. Tests that need it are disabled where it is missing.
enum SharedMaterial {
    private static let folder: String = {
        if let named = ProcessInfo.processInfo.environment["SWIFTODT_SHARED"] { return named }
        var checkout = URL(fileURLWithPath: #filePath)
        for _ in 0..<4 { checkout.deleteLastPathComponent() }
        return checkout.deletingLastPathComponent().appendingPathComponent("shared").path
    }()

    static func path(_ name: String) -> String { folder + "/" + name }

    static func has(_ name: String) -> Bool { FileManager.default.fileExists(atPath: path(name)) }
}
