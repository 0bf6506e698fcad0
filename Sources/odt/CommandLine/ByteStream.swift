import Glibc
import ODTPlayback
import SwiftODT

/// Reads and writes whole files. The path `-` is standard input or standard output.
enum ByteStream {
    static func read(_ path: String) throws -> [UInt8] {
        var bytes: [UInt8] = []
        try forEachBlock(of: path) { bytes += $0 }
        return bytes
    }

    static func read(_ file: Int32, path: String) throws -> [UInt8] {
        var bytes: [UInt8] = []
        try forEachBlock(of: file, path: path) { bytes += $0 }
        return bytes
    }

    /// Passes the bytes of a file to `body` in blocks, so that memory use does not depend on the size of the file.
    static func forEachBlock(of path: String, _ body: (ArraySlice<UInt8>) -> Void) throws {
        let file = path == "-" ? STDIN_FILENO : PathText.withSystemPath(path) { open($0, O_RDONLY | O_CLOEXEC) }
        guard file >= 0 else { throw ByteStreamError("read", path) }
        defer { if path != "-" { close(file) } }
        try forEachBlock(of: file, path: path, body)
    }

    private static func forEachBlock(of file: Int32, path: String, _ body: (ArraySlice<UInt8>) -> Void) throws {
        var block = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = Glibc.read(file, &block, block.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw ByteStreamError("read", path) }
            guard count > 0 else { return }
            body(block[..<count])
        }
    }

    /// Throws an error if two outputs are the same file, if an output is also an input, or if an output exists and must
    /// not be replaced.
    static func check(outputs: [String], inputs: [String], mayReplace: Bool) throws {
        let (targets, read) = (outputs.map(PartFile.target), Set(inputs.map(PartFile.target)))
        guard Set(targets).count == targets.count else { throw CommandLineError("two outputs are the same file.") }
        for (output, target) in zip(outputs, targets) where output != "-" && FileBytes.size(target) != nil {
            if read.contains(target) { throw CommandLineError("\(output) is an input; name another output file.") }
            guard mayReplace else {
                throw CommandLineError("\(output) already exists; use --force to replace it, or name another file.")
            }
        }
    }

    /// Writes a complete file. If an error occurs, an existing file stays unchanged, unless its folder is not writable.
    static func write(_ bytes: [UInt8], to path: String) throws {
        let canRename = PathText.withSystemPath(FilePath.folder(of: path)) { access($0, W_OK) } == 0
        let problem = errno
        // The file to which `/dev/stdout` leads is open.
        let isDevice = ["/dev/", "/proc/"].contains { path.hasPrefix($0) }
        if path != "-", canRename, !isDevice, FileBytes.size(path) != nil || !PathText.exists(path) {
            return _ = try PartFile.write(bytes, to: path)
        }
        guard path == "-" || canRename || PathText.exists(path) else {
            throw ByteStreamError("write", path, problem, remedy: "; name a file in a writable folder")
        }
        // Output that stdio still buffers must precede these bytes.
        fflush(nil)
        let file =
            path == "-"
            ? STDOUT_FILENO
            : PathText.withSystemPath(path) { open($0, O_WRONLY | O_TRUNC | O_CLOEXEC) }
        guard file >= 0 else { throw ByteStreamError("write", path) }
        defer { if path != "-" { close(file) } }
        if let error = bytes.withUnsafeBytes({ DescriptorWriting.write($0, to: file).error }) {
            throw ByteStreamError("write", path, error)
        }
    }
}

struct ByteStreamError: Error, CustomStringConvertible {
    let description: String

    init(_ verb: String, _ path: String, _ number: Int32 = errno, remedy: String = "") {
        description = "cannot \(verb) '\(path)': \(String(cString: strerror(number)))\(remedy)."
    }
}

struct CommandLineError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
