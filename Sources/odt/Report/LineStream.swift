import Glibc
import Playback

/// The lines of a file of any length, one after the other; no more of it is in memory than the longest of them.
///
///     var lines = try LineStream("messages.jsonl")
///     while let line = try lines.next() { print(lines.number, line.count) }
struct LineStream: ~Copyable {
    /// What is longer is not made of lines.
    static let longestLine = 64 << 20

    let path: String
    /// Of the line that came last, counted from 1.
    private(set) var number = 0
    /// Whether the line that came last had an end: the last one of a file that was cut off has none.
    private(set) var isWhole = true

    private let file: Int32
    private var bytes: [UInt8] = []
    /// What of `bytes` has not been handed out yet begins here, and has no line's end before there.
    private var (start, sought) = (0, 0)
    private var isAtEnd = false
    private var part = [UInt8](repeating: 0, count: 1 << 20)

    /// - Parameter path: `-` is the standard input.
    /// - Throws: ``ByteStreamError`` that says why it cannot be read.
    init(_ path: String) throws {
        self.path = path
        file = path == "-" ? STDIN_FILENO : PathText.withSystemPath(path) { open($0, O_RDONLY | O_CLOEXEC) }
        guard file >= 0 else { throw ByteStreamError("read", path) }
    }

    deinit { if file != STDIN_FILENO { close(file) } }

    /// The next line without its end; `nil` behind the last one.
    ///
    /// - Throws: ``ByteStreamError`` where the file cannot be read, ``ReportError`` where it has lines that are none.
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
                "\(path):\(number + 1): is a line of more than \(Self.longestLine >> 20) MB: this is no file of messages."
            )
        }
        let count = part.withUnsafeMutableBytes { Glibc.read(file, $0.baseAddress, $0.count) }
        if count < 0, errno == EINTR { return }
        guard count >= 0 else { throw ByteStreamError("read", path) }
        isAtEnd = count == 0
        bytes += part[..<count]
    }
}
