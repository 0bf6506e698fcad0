import Glibc
import SwiftODT

/// Reads a file of any size line by line. Memory use is proportional to the longest line.
struct LineStream: ~Copyable {
    /// The maximum length of a line in bytes. A file with a longer line is considered not to be text.
    static let longestLine = 64 << 20

    let path: String
    /// The number of the line that was returned last. The first line has the number 1.
    private(set) var number = 0
    /// Whether the line that was returned last ended in a line feed. The last line of a truncated file does not.
    private(set) var isWhole = true

    private let file: Int32
    private var bytes: [UInt8] = []
    /// `start` is the index of the first byte that has not been returned. The bytes from `start` to `sought` contain no
    /// line feed.
    private var (start, sought) = (0, 0)
    private var isAtEnd = false
    private var part = [UInt8](repeating: 0, count: 1 << 20)

    /// - Parameter path: The path of the file; `-` is standard input.
    init(_ path: String) throws {
        self.path = path
        file = path == "-" ? STDIN_FILENO : PathText.withSystemPath(path) { open($0, O_RDONLY | O_CLOEXEC) }
        guard file >= 0 else { throw ByteStreamError("read", path) }
    }

    deinit { if file != STDIN_FILENO { close(file) } }

    /// Returns the next line without its line feed; `nil` at the end of the file.
    mutating func next() throws -> ArraySlice<UInt8>? {
        while true {
            let feed = bytes.withUnsafeBytes { all -> Int? in
                guard let base = all.baseAddress else { return nil }
                return memchr(base + sought, 0x0A, all.count - sought).map { base.distance(to: UnsafeRawPointer($0)) }
            }
            if let feed {
                defer { (start, sought) = (feed + 1, feed + 1) }
                (number, isWhole) = (number + 1, true)
                return bytes[start..<feed]
            }
            sought = bytes.count
            if isAtEnd {
                guard start < bytes.count else { return nil }
                defer { start = bytes.count }
                (number, isWhole) = (number + 1, false)
                return bytes[start...]
            }
            try readOn()
        }
    }

    private mutating func readOn() throws {
        bytes.removeFirst(start)
        (start, sought) = (0, sought - start)
        guard bytes.count <= Self.longestLine else {
            throw ReportError(
                "\(path):\(number + 1): the line is longer than \(Self.longestLine >> 20) MB: this is not a file of messages."
            )
        }
        let count = part.withUnsafeMutableBytes { Glibc.read(file, $0.baseAddress, $0.count) }
        if count < 0, errno == EINTR { return }
        guard count >= 0 else { throw ByteStreamError("read", path) }
        isAtEnd = count == 0
        bytes += part[..<count]
    }
}
