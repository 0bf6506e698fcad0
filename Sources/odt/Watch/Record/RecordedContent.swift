import Glibc
import GstFrames
import ODTPlayback
import SwiftODT

/// What the frames of a recorded file show. The header of the file states the content, so that a later run can check
/// the file.
enum RecordedContent: Equatable, Sendable {
    /// The frames of the camera, and the transformation that turns them upright. The mark states the transformation,
    /// because `matroskamux` does not store the orientation tag in all versions of GStreamer.
    case original(Orientation)
    case annotated
    /// Annotated frames with guaranteed redaction, and the properties that requested it
    /// (``RedactionRequest/properties``).
    case redacted(String)

    /// - Parameter orientation: The orientation of the original frames; `nil` if it is not known yet.
    init(of plan: CameraPlan, isAnnotated: Bool, orientation: Orientation? = nil) throws {
        guard isAnnotated else { self = .original(orientation ?? .identity); return }
        let request = try plan.redaction()
        self = request.map { $0.isStrict ? .redacted($0.properties) : .annotated } ?? .annotated
    }

    var isRedacted: Bool { if case .redacted = self { true } else { false } }

    /// The text that identifies the content. The header of the file contains it as the name of the writing application.
    ///
    /// Earlier builds wrote "redacted box-style=blur;" with any `privacy-labels`. The marks of their files never match.
    var mark: String {
        switch self {
        case .original(.identity): SegmentRetention.mark
        case .original(let orientation): SegmentRetention.mark + ": orientation \(orientation.nick);"
        case .annotated: SegmentRetention.mark + ": annotated;"
        case .redacted(let properties):
            // Only the end of a mark has a semicolon, so that no mark is the beginning of another one.
            SegmentRetention.mark + ": redacted with "
                + "\(properties.replacing("%", with: "%25").replacing(";", with: "%3B"));"
        }
    }

    /// Returns whether a file has this content, according to its header. A mark that is not completely in the first
    /// 4,096 bytes is not found.
    func isContent(of path: String) -> Bool { Self.header(of: path, contains: mark) }

    /// Returns the transformation that turns the frames of a file upright, according to the file's header.
    static func orientation(of path: String) -> Orientation {
        Orientation.allCases.first { $0 != .identity && Self.original($0).isContent(of: path) } ?? .identity
    }

    /// Returns whether a file contains H.265 video, which many browsers do not play.
    static func isH265(_ path: String) -> Bool { header(of: path, contains: "V_MPEGH/ISO/HEVC") }

    private static func header(of path: String, contains text: String) -> Bool {
        let file = PathText.withSystemPath(path) { open($0, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK) }
        guard file >= 0 else { return false }
        defer { close(file) }
        return SegmentRetention.header(of: file, contains: text) ?? false
    }
}

/// Selects the recorded files of a camera that may be shown.
struct RedactionFilter: Equatable, Sendable {
    /// The redaction with which the files have to be recorded (``RedactionRequest/properties``); `nil` if the camera has
    /// no redaction, so that all files may be shown.
    let properties: String?

    init(properties: String?) { self.properties = properties }

    /// Returns `nil` if the properties cannot be evaluated. They may request redaction, so no file may be shown.
    init?(of plan: CameraPlan) {
        do { properties = try plan.redaction()?.properties } catch { return nil }
    }

    func permits(_ path: String) -> Bool { properties.map { RecordedContent.redacted($0).isContent(of: path) } ?? true }
}

extension Orientation {
    /// - Parameter nick: A value of the element's property `orientation`. With `auto`, this initializer returns `nil`.
    init?(nick: String) {
        guard let orientation = Self.allCases.first(where: { $0.nick == nick }) else { return nil }
        self = orientation
    }
}
