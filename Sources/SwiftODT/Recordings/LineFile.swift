import Glibc

/// The lines of a file of any length, wherever in it they stand. Keeps a piece of it in memory, as long as the longest line that was
/// asked for and at least 64 KB.
///
/// The file ends where it ended when it was opened, whoever writes on.
struct LineFile: ~Copyable {
    struct Line {
        /// Without its end.
        let text: ArraySlice<UInt8>
        /// Where in the file it begins, and where the one after it does.
        let start: Int
        let next: Int
        /// Whether it has an end; what a killed writer leaves last may have none.
        let isWhole: Bool
    }

    let path: String
    /// What tells the file from all others.
    let identity: FileIdentity
    private(set) var size: Int
    private let file: Int32
    private var piece: [UInt8] = []
    private var pieceStart = 0

    private static let pieceSize = 1 << 16
    private static let longestLine = 1 << 22

    init(_ path: String) throws {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else {
            throw ODTError(.fileNotFound, "\(path) cannot be read: \(String(cString: strerror(errno)))")
        }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(file)
            throw ODTError(.fileNotFound, "\(path) is not a file")
        }
        (self.path, self.file, size, identity) = (path, file, Int(status.st_size), FileIdentity(status))
    }

    deinit { close(file) }

    static func firstLine(of path: String) throws -> Line? {
        var lines = try LineFile(path)
        return try lines.line(at: 0)
    }

    /// The line that begins at an offset; `nil` at the end of the file.
    mutating func line(at offset: Int) throws -> Line? {
        var wanted = Self.pieceSize
        while offset < size {
            if offset < pieceStart || offset >= pieceStart + piece.count || wanted > Self.pieceSize {
                try load(from: offset, count: wanted)
                guard offset < size else { return nil }
            }
            let from = offset - pieceStart
            if let end = newline(from: from) {
                let text = piece[from..<end]
                let hasReturn = text.last == UInt8(ascii: "\r")
                return Line(
                    text: hasReturn ? text.dropLast() : text, start: offset, next: pieceStart + end + 1, isWhole: true)
            }
            if pieceStart + piece.count >= size {
                return Line(text: piece[from...], start: offset, next: size, isWhole: false)
            }
            guard wanted <= Self.longestLine else {
                throw ODTError(
                    .invalidFile, "\(path) has a line longer than \(Self.longestLine) bytes: is it the right file?")
            }
            wanted = max(Self.pieceSize * 2, wanted * 2)
        }
        return nil
    }

    /// The first line that begins later than an offset.
    mutating func line(after offset: Int) throws -> Line? {
        guard let cut = try line(at: offset) else { return nil }
        return try line(at: cut.next)
    }

    private func newline(from start: Int) -> Int? {
        piece.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress, start < bytes.count,
                let found = memchr(base + start, 0x0A, bytes.count - start)
            else { return nil }
            return UnsafeRawPointer(found) - base
        }
    }

    private mutating func load(from offset: Int, count: Int) throws {
        let count = min(count, size - offset)
        piece = try FileBytes.read(file, from: offset, count: count, path: path)
        pieceStart = offset
        // Somebody has made it shorter.
        if piece.count < count { size = offset + piece.count }
    }
}

/// Tells a file from all others, whatever it is called.
package struct FileIdentity: Hashable, Sendable {
    private let device: UInt64
    private let number: UInt64

    init(_ status: stat) { (device, number) = (UInt64(status.st_dev), UInt64(status.st_ino)) }

    /// `nil` where there is no such file.
    package init?(path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.init(status)
    }
}
