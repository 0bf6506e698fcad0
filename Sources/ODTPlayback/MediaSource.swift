import CODTGStreamer
import Glibc
import SwiftODT

/// The input of a pipeline: a file, a V4L2 camera device or a URI.
///
///     let source = try MediaSource("holiday.mp4")
///     let pipeline = try Pipeline("\(source.description) ! swiftodt ! fakesink")
///     source.setAddress(in: pipeline)
package final class MediaSource: Sendable {
    package let name: String
    /// The path of the file or device; `nil` if the source is a URI other than `file://`.
    package let path: String?
    package let isCamera: Bool
    /// A descriptor for reading from the FIFO; `nil` if the source is not a FIFO.
    private let held: Int32?

    /// - Throws: ``PlaybackError`` if the source is a file or device that cannot be read, or a URI for which there is no
    ///   element.
    package init(_ name: String) throws {
        self.name = name
        if Self.isAddress(name) {
            path = name.lowercased().hasPrefix("file://") ? FileAddress.path(of: name) : nil
        } else {
            path = name
        }
        guard let path else {
            (isCamera, held) = (false, nil)
            let scheme = name.prefix { $0 != ":" }.lowercased()
            // Before its initialisation, GStreamer knows no elements.
            if gst_is_initialized() != 0, gst_uri_protocol_is_supported(GST_URI_SRC, scheme) == 0 {
                throw PlaybackError(
                    "GStreamer has no source for \(scheme):// addresses: check the address, or install "
                        + "gstreamer1.0-plugins-good or -bad", .fileNotFound)
            }
            return
        }
        let mode = try Self.readable(path)
        isCamera = mode == S_IFCHR
        // GStreamer opens a FIFO twice. Between the two openings, this descriptor keeps the FIFO open for reading.
        // Without the descriptor, the program that writes to the FIFO would get SIGPIPE.
        held =
            mode == S_IFIFO ? PathText.withSystemPath(path) { open($0, O_RDONLY | O_NONBLOCK | O_CLOEXEC) } : nil
    }

    deinit { if let held, held >= 0 { close(held) } }

    /// The first elements of a pipeline description, which decode the source. The last one is named `decoded`.
    package var description: String {
        // Of an adaptive stream, the best variant is played: a change of the variant would end the pad.
        if path == nil { return "uridecodebin name=decoded connection-speed=4000000" }
        return "\(isCamera ? "v4l2src" : "filesrc") name=source ! decodebin name=decoded"
    }

    /// Whether the source is a FIFO. When GStreamer opens a FIFO, it blocks until another program opens the FIFO for
    /// writing.
    package var isFIFO: Bool { held != nil }

    /// Sets the path or URI of the source as a property of the pipeline's source element. A pipeline description cannot
    /// express every name.
    package func setAddress(in pipeline: Pipeline) {
        guard let path else { return pipeline["decoded"].set("uri", to: name) }
        if isCamera {
            pipeline["source"].set("device", to: path)
        } else {
            pipeline["source"].setFile(path)
        }
    }

    /// If the input is a URI and its source element has posted the error, the failure becomes a text with the address
    /// and a remedy. Its reason is then `fileNotFound`. If the failure is about the content of a file, the name of the
    /// file is prepended.
    package func explain(_ ending: inout Player.Ending) {
        guard let failure = ending.failure else { return }
        if let text = explained(failure) {
            (ending.failure, ending.reason) = (text, .fileNotFound)
        } else if ending.reason == .invalidFile, let path, !ending.isRaisedBySwiftODT {
            // The names of the elements that detect the format of a file are removed, because users do not know these
            // elements.
            let prefix = ["typefind: ", "decoded: "].first { failure.hasPrefix($0) }
            let problem =
                prefix != nil ? " is not a video" : failure.contains("damaged") ? "" : " is incomplete or damaged"
            let cause = failure.dropFirst(prefix?.count ?? 0)
            ending.failure =
                failure == StreamLinker.noVideo ? "\(path) contains no video" : "\(path)\(problem): \(cause)"
        }
    }

    /// Returns a text with the address and a remedy if the input is a URI and its source element has posted the error.
    package func explained(_ failure: String) -> String? {
        // The name that uridecodebin gives to its source.
        let prefix = "source: "
        guard path == nil, failure.hasPrefix(prefix) else { return nil }
        // The last line of the error text is the most specific one.
        let line = failure.dropFirst(prefix.count).split(separator: "\n").last ?? ""
        let cause = AddressParts.discreet(String(line), of: name)
        let remedy =
            cause.contains("(401)")
            ? "check the user name and the password" : "check the address and that its server can be reached"
        return "cannot play \(addressWithoutPassword): \(cause); \(remedy)"
    }

    /// The name for messages: an address without the parts that can contain a password.
    package var addressWithoutPassword: String { AddressParts.discreet(name, of: name) }

    /// Returns whether the source and `other` are the same file, even if the paths differ, for example because of
    /// links.
    package func isFile(_ other: String) -> Bool {
        guard let identity = path.flatMap(FileIdentity.init(path:)) else { return false }
        return identity == FileIdentity(path: other)
    }

    /// Returns whether the name is a URI. A name is not considered a URI if a file of this name exists.
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

    /// Returns the file type bits of `st_mode`.
    ///
    /// - Throws: ``PlaybackError`` if the path is a folder, an empty file or a GIF file, or cannot be read.
    private static func readable(_ path: String) throws -> mode_t {
        var status = stat()
        guard PathText.withSystemPath(path, { stat($0, &status) }) == 0 else {
            throw PlaybackError(
                errno == ENOENT ? "no such file: \(path)" : "cannot read \(path): \(String(cString: strerror(errno)))",
                .fileNotFound)
        }
        let kind = status.st_mode & S_IFMT
        if kind == S_IFDIR { throw PlaybackError("\(path) is a folder", .invalidFile) }
        guard PathText.withSystemPath(path, { access($0, R_OK) }) == 0 else {
            throw PlaybackError("no permission to read \(path)", .fileNotFound)
        }
        if kind == S_IFREG, status.st_size == 0 { throw PlaybackError("\(path) is empty", .invalidFile) }
        if kind == S_IFREG, isGIF(path) {
            throw PlaybackError(
                "GStreamer cannot find the end of GIF files: convert \(path) to a video, for example to MP4",
                .invalidFile)
        }
        return kind
    }

    private static func isGIF(_ path: String) -> Bool {
        var start = [UInt8](repeating: 0, count: 4)
        let file = PathText.withSystemPath(path) { open($0, O_RDONLY | O_CLOEXEC) }
        defer { close(file) }
        return read(file, &start, start.count) == start.count && start == Array("GIF8".utf8)
    }
}

/// The parts of a URI behind its scheme.
package struct AddressParts {
    /// The user name and the password, with the `@` behind them; empty if there are none.
    let credentials: Substring
    /// The host and the port.
    package let host: Substring
    let path: Substring
    /// The query without the `?` before it; empty if there is none.
    let query: Substring

    /// - Parameter text: The URI without its scheme.
    private init(_ text: Substring) {
        let authority = text.prefix { !"/?#".contains($0) }
        let begin = authority.lastIndex(of: "@").map { authority.index(after: $0) } ?? authority.startIndex
        (credentials, host) = (authority[..<begin], authority[begin...])
        path = text[authority.endIndex...].prefix { !"?#".contains($0) }
        query = text[path.endIndex...].prefix { $0 != "#" }.dropFirst()
    }

    package init?(of address: String) {
        guard let mark = address.firstRange(of: "://") else { return nil }
        self.init(address[mark.upperBound...])
    }

    /// The parts that can contain a password, also without their percent escapes, the longest first.
    private var secrets: [String] {
        // A short query such as `1` may be a part of any text.
        // What looks like a query with `@` may be a part of a password, see ``withoutSecrets(_:)``.
        let isQuery = !(host.contains(":") && query.contains("@")) && (query.contains("=") || query.utf8.count >= 8)
        let queries = isQuery ? [query] : []
        let parameters = components.filter(Self.hasParameter).map { "/\($0)" }
        let texts = (([credentials] + queries).map { String($0) } + parameters).filter { !$0.isEmpty }
        let decoded = texts.compactMap { PercentEscapes.decoded($0[...]) }
        return (texts + decoded).sorted { $0.utf8.count > $1.utf8.count }
    }

    private var components: [Substring] { path.split(separator: "/", omittingEmptySubsequences: false) }

    /// Some cameras expect the password in the path: `/user=admin&password=secret&channel=1`.
    private static func hasParameter(_ component: Substring) -> Bool {
        (PercentEscapes.decoded(component) ?? String(component)).contains("=")
    }

    /// Removes all parts of URIs that can contain a password from a text: credentials, query, and parameters in the
    /// path.
    ///
    /// - Parameter source: A source whose secrets are also removed outside of URIs, if it is a URI.
    package static func discreet(_ text: String, of source: String) -> String {
        guard MediaSource.isAddress(source), !source.lowercased().hasPrefix("file:"),
            let parts = AddressParts(of: source)
        else { return text }
        return withoutSecrets(parts.secrets.reduce(text) { $0.replacing($1, with: "") })
    }

    /// Removes the credentials, the query, the fragment and the path components with parameters from each URI in a
    /// text.
    fileprivate static func withoutSecrets(_ text: String) -> String {
        var (result, rest) = ("", text[...])
        while let mark = rest.firstRange(of: "://") {
            result += rest[..<mark.upperBound]
            rest = rest[mark.upperBound...]
            var address = rest.prefix { !$0.isWhitespace && !"\"'<>".contains($0) }
            while let last = address.last, ",.;:)".contains(last) { address.removeLast() }
            rest = rest[address.endIndex...]
            let parts = AddressParts(address)
            let host = parts.host.hasPrefix("[") ? "" : parts.host
            let port = host.drop { $0 != ":" }.dropFirst()
            // If the characters of a password are not escaped, the host and the text after it contain parts of it.
            let isReadable =
                port.allSatisfy(\.isNumber) && !(host.contains(":") && address[parts.host.endIndex...].contains("@"))
            let path = parts.components.filter { !hasParameter($0) }.joined(separator: "/")
            result += isReadable ? String(parts.host) + path : "..."
        }
        return result + String(rest)
    }
}
