import Foundation

/// A folder that is deleted with its owner.
public final class TemporaryFolder: Sendable {
    public let path: String

    public init() throws {
        path = FileManager.default.temporaryDirectory.appendingPathComponent("swiftodt-" + UUID().uuidString).path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { remove() }

    /// Deletes the folder. Needed by owners that are never deinitialised.
    public func remove() { try? FileManager.default.removeItem(atPath: path) }

    /// Writes a file and returns its path.
    public func write(_ name: String, _ bytes: some Sequence<UInt8>) throws -> String {
        try Data(bytes).write(to: URL(fileURLWithPath: path + "/" + name))
        return path + "/" + name
    }

    public func write(_ name: String, _ text: String) throws -> String { try write(name, text.utf8) }
}
