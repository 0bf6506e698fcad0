import Glibc

/// What is played: a file, a camera or an address.
///
///     let source = try MediaSource("holiday.mp4")
///     let pipeline = try Pipeline("\(source.description) ! swiftodt ! fakesink")
///     source.give(to: pipeline)
public final class MediaSource: Sendable {
    public let name: String
    /// The file or the device; `nil` for an address.
    public let path: String?
    public let isCamera: Bool
    /// The reading end of a FIFO.
    private let held: Int32?

    /// - Throws: ``PlaybackError`` where it is a file and cannot be read.
    public init(_ name: String) throws {
        self.name = name
        if Self.isAddress(name) {
            path = name.lowercased().hasPrefix("file://") ? FileAddress.path(of: name) : nil
        } else {
            path = name
        }
        guard let path else {
            (isCamera, held) = (false, nil)
            return
        }
        let mode = try Self.readable(path)
        isCamera = mode == S_IFCHR
        // GStreamer opens it twice. Who has begun to write would find no reader in between, and end by a broken pipe.
        held =
            mode == S_IFIFO ? PathText.withSystemPath(path) { open($0, O_RDONLY | O_NONBLOCK | O_CLOEXEC) } : nil
    }

    deinit { if let held, held >= 0 { close(held) } }

    /// The beginning of a pipeline that decodes it; its last element is called `decoded`.
    public var description: String {
        if path == nil { return "uridecodebin name=decoded" }
        return "\(isCamera ? "v4l2src" : "filesrc") name=source ! decodebin name=decoded"
    }

    /// Whether it is a FIFO: opening it waits until another program writes to it.
    public var isFIFO: Bool { held != nil }

    /// Names the source by property, because the text of a pipeline cannot say every name.
    public func give(to pipeline: Pipeline) {
        guard let path else { return pipeline["decoded"].set("uri", to: name) }
        if isCamera {
            pipeline["source"].set("device", to: path)
        } else {
            pipeline["source"].setFile(path)
        }
    }

    /// Whether it is this file, by whatever links and spellings.
    public func isFile(_ other: String) -> Bool {
        guard let path, let one = Self.identity(of: path), let two = Self.identity(of: other) else { return false }
        return one == two
    }

    /// Whether it is an address, and no file of such a name.
    public static func isAddress(_ name: String) -> Bool {
        guard let mark = name.indices.first(where: { name[$0...].hasPrefix("://") }) else { return false }
        let scheme = name[..<mark].utf8
        guard let first = scheme.first, isLetter(first),
            scheme.allSatisfy({ isLetter($0) || "0123456789+.-".utf8.contains($0) })
        else { return false }
        var status = stat()
        return PathText.withSystemPath(name) { lstat($0, &status) } != 0
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7a).contains(byte | 0x20) }

    private static func identity(of path: String) -> [UInt]? {
        var status = stat()
        return PathText.withSystemPath(path) { stat($0, &status) } == 0
            ? [UInt(status.st_dev), UInt(status.st_ino)] : nil
    }

    /// What kind of file it is.
    private static func readable(_ path: String) throws -> mode_t {
        var status = stat()
        guard PathText.withSystemPath(path, { stat($0, &status) }) == 0 else {
            throw PlaybackError(
                errno == ENOENT ? "there is no \(path)" : "\(path) cannot be read: \(String(cString: strerror(errno)))")
        }
        let kind = status.st_mode & S_IFMT
        if kind == S_IFDIR { throw PlaybackError("\(path) is a folder") }
        guard PathText.withSystemPath(path, { access($0, R_OK) }) == 0 else {
            throw PlaybackError("\(path) may not be read")
        }
        return kind
    }
}
