import Glibc

/// The input of a pipeline: a file, a V4L2 camera device or a URI.
///
///     let source = try MediaSource("holiday.mp4")
///     let pipeline = try Pipeline("\(source.description) ! swiftodt ! fakesink")
///     source.give(to: pipeline)
package final class MediaSource: Sendable {
    package let name: String
    /// The path of the file or device; `nil` if the source is a URI that is not a file.
    package let path: String?
    package let isCamera: Bool
    /// A descriptor of the reading end of a FIFO; `nil` for other sources.
    private let held: Int32?

    /// - Throws: ``PlaybackError`` if the source is a file that cannot be read.
    package init(_ name: String) throws {
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
        // GStreamer opens the FIFO twice. Without this descriptor the writer would find no reader between the two
        // and get SIGPIPE.
        held =
            mode == S_IFIFO ? PathText.withSystemPath(path) { open($0, O_RDONLY | O_NONBLOCK | O_CLOEXEC) } : nil
    }

    deinit { if let held, held >= 0 { close(held) } }

    /// The start of a pipeline description that decodes the source. Its last element is named `decoded`.
    package var description: String {
        if path == nil { return "uridecodebin name=decoded" }
        return "\(isCamera ? "v4l2src" : "filesrc") name=source ! decodebin name=decoded"
    }

    /// Whether the source is a FIFO. Opening it blocks until another program opens it for writing.
    package var isFIFO: Bool { held != nil }

    /// Sets the name of the source as a property, because a pipeline description cannot express every name.
    package func give(to pipeline: Pipeline) {
        guard let path else { return pipeline["decoded"].set("uri", to: name) }
        if isCamera {
            pipeline["source"].set("device", to: path)
        } else {
            pipeline["source"].setFile(path)
        }
    }

    /// Returns whether the source is the same file, also through links or with another spelling of the path.
    package func isFile(_ other: String) -> Bool {
        guard let path, let one = Self.identity(of: path), let two = Self.identity(of: other) else { return false }
        return one == two
    }

    /// Returns whether the name is a URI and no file of this name exists.
    package static func isAddress(_ name: String) -> Bool {
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

    /// Returns the file type bits of `st_mode`.
    private static func readable(_ path: String) throws -> mode_t {
        var status = stat()
        guard PathText.withSystemPath(path, { stat($0, &status) }) == 0 else {
            throw PlaybackError(
                errno == ENOENT ? "no such file: \(path)" : "cannot read \(path): \(String(cString: strerror(errno)))")
        }
        let kind = status.st_mode & S_IFMT
        if kind == S_IFDIR { throw PlaybackError("\(path) is a folder") }
        guard PathText.withSystemPath(path, { access($0, R_OK) }) == 0 else {
            throw PlaybackError("no permission to read \(path)")
        }
        return kind
    }
}
