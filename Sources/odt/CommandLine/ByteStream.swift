import Glibc
import Playback

/// Reads and writes whole files. The path `-` is standard input or standard output.
enum ByteStream {
    static func read(_ path: String) throws -> [UInt8] {
        guard path != "-" else { return try read(STDIN_FILENO, path: path) }
        let file = PathText.withSystemPath(path) { open($0, O_RDONLY | O_CLOEXEC) }
        guard file >= 0 else { throw ByteStreamError("read", path) }
        defer { close(file) }
        return try read(file, path: path)
    }

    static func read(_ file: Int32, path: String) throws -> [UInt8] {
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = Glibc.read(file, &part, part.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw ByteStreamError("read", path) }
            guard count > 0 else { return bytes }
            bytes += part[..<count]
        }
    }

    static func write(_ bytes: [UInt8], to path: String) throws {
        // Output that stdio still buffers must precede these bytes.
        fflush(nil)
        let file =
            path == "-"
            ? STDOUT_FILENO
            : PathText.withSystemPath(path) { open($0, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666) }
        guard file >= 0 else { throw ByteStreamError("write", path) }
        defer { if path != "-" { close(file) } }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw ByteStreamError("write", path) }
            rest = rest.dropFirst(count)
        }
    }
}

struct ByteStreamError: Error, CustomStringConvertible {
    let description: String

    init(_ verb: String, _ path: String) {
        description = "cannot \(verb) '\(path)': \(String(cString: strerror(errno)))."
    }
}
