import Glibc
import Playback

/// Writes lines to a part file, or to standard output for `-`.
final class TextOutput: Sendable {
    let name: String
    /// `nil` for standard output.
    let file: PartFile?

    init(_ name: String) throws {
        self.name = name
        file = name == "-" ? nil : try PartFile(name)
    }

    /// - Throws: ``PlaybackError``, or ``BrokenPipe`` if the reader closed the pipe.
    func write(_ text: String) throws {
        if let file { return try file.write(text) }
        var text = text
        let (_, error) = text.withUTF8 { DescriptorWriting.write(UnsafeRawBufferPointer($0), to: STDOUT_FILENO) }
        guard let error else { return }
        throw error == EPIPE ? BrokenPipe() : PlaybackError("standard output: \(String(cString: strerror(error)))")
    }
}

/// The reader of standard output has closed the pipe.
struct BrokenPipe: Error {}
