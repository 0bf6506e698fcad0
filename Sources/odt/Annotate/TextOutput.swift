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

    /// - Throws: ``PlaybackError``; ``BrokenPipe`` where it is a pipe that was closed.
    func write(_ text: String) throws {
        if let file { return try file.write(text) }
        var text = text
        let (_, error) = text.withUTF8 { DescriptorWriting.write(UnsafeRawBufferPointer($0), to: STDOUT_FILENO) }
        guard let error else { return }
        throw error == EPIPE ? BrokenPipe() : PlaybackError("standard output: \(String(cString: strerror(error)))")
    }
}

/// Whoever read our lines has enough of them.
struct BrokenPipe: Error {}
