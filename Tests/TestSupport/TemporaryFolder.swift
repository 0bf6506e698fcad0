import Foundation

/// A folder that is gone with what holds it.
public final class TemporaryFolder: Sendable {
    public let path: String

    public init() throws {
        path = FileManager.default.temporaryDirectory.appendingPathComponent("swiftodt-" + UUID().uuidString).path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { remove() }

    /// What lives as long as the process is not deinitialised: its holder says when.
    public func remove() { try? FileManager.default.removeItem(atPath: path) }

    /// Writes a file and gives its path.
    public func write(_ name: String, _ bytes: some Sequence<UInt8>) throws -> String {
        try Data(bytes).write(to: URL(fileURLWithPath: path + "/" + name))
        return path + "/" + name
    }

    public func write(_ name: String, _ text: String) throws -> String { try write(name, text.utf8) }
}
