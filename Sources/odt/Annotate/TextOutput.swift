import Glibc
import Playback

/// Where lines go: a file on its way, or, as `-`, the standard output.
final class TextOutput: Sendable {
    let name: String
    /// `nil` where it is the standard output.
    let file: PartFile?

    init(_ name: String) throws {
        self.name = name
        file = name == "-" ? nil : try PartFile(name)
    }

    /// - Throws: ``PlaybackError``; ``NobodyReads`` where it is a pipe that was closed.
    func write(_ text: String) throws {
        if let file { return try file.write(text) }
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else {
                throw errno == EPIPE
                    ? NobodyReads() : PlaybackError("standard output: \(String(cString: strerror(errno)))")
            }
            rest = rest.dropFirst(count)
        }
    }
}

/// Whoever read our lines has enough of them.
struct NobodyReads: Error {}
