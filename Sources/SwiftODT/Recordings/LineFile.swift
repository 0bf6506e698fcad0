import Glibc

/// Random access to the lines of a file of any length. Only one section of the file is in memory: 64 KiB, or more if
/// the requested line is longer. A line can have up to 4 MiB.
///
/// The size of the file is determined when the file is opened. Text that is appended later is ignored.
struct LineFile: ~Copyable {
    struct Line {
        let text: ArraySlice<UInt8>
        let start: Int
        let next: Int
        /// Whether the line has a terminator. The last line of an interrupted recording may lack it.
        let isWhole: Bool
    }

    let path: String
    private(set) var size: Int
    private let file: Int32
    private var piece: [UInt8] = []
    private var pieceStart = 0

    private static let pieceSize = 1 << 16
    private static let longestLine = 1 << 22

    /// Opens a file. Throws ``ODTError`` if the file cannot be read or is not a regular file.
    init(_ path: String) throws(ODTError) {
        let (file, size) = try FileBytes.openRegular(path)
        self.init(path, file, size)
    }

    /// Creates the value from an open file and its size. This initialiser is separate from ``init(_:)``, because
    /// Swift 6.0 crashes on an initialiser that throws and sets the properties of a noncopyable type.
    private init(_ path: String, _ file: Int32, _ size: Int) {
        (self.path, self.file, self.size) = (path, file, size)
    }

    deinit { close(file) }

    static func firstLine(of path: String) throws(ODTError) -> Line? {
        var lines = try LineFile(path)
        return try lines.line(at: 0)
    }

    /// Returns the line that begins at a file offset. `nil` at the end of the file.
    mutating func line(at offset: Int) throws(ODTError) -> Line? {
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
                    .invalidFile, "\(path) has a line longer than \(Self.longestLine) bytes; check the path")
            }
            wanted = max(Self.pieceSize * 2, wanted * 2)
        }
        return nil
    }

    /// Returns the first line that begins after a file offset. `nil` if no line begins after the offset.
    mutating func line(after offset: Int) throws(ODTError) -> Line? {
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

    private mutating func load(from offset: Int, count: Int) throws(ODTError) {
        let count = min(count, size - offset)
        piece = try FileBytes.read(file, from: offset, count: count, path: path)
        pieceStart = offset
        // If fewer bytes than expected were read, the file was truncated after it was opened. `size` is corrected.
        if piece.count < count { size = offset + piece.count }
    }
}

/// The identity of a file (device and inode number), which is the same for all paths of the file.
package struct FileIdentity: Hashable, Sendable {
    private let device: UInt64
    private let number: UInt64

    /// `nil` if the descriptor is invalid.
    package init?(descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        self.init(status)
    }

    private init(_ status: stat) { (device, number) = (UInt64(status.st_dev), UInt64(status.st_ino)) }

    /// `nil` if the file does not exist.
    package init?(path: String) {
        var status = stat()
        guard PathText.withSystemPath(path, { stat($0, &status) }) == 0 else { return nil }
        self.init(status)
    }
}
