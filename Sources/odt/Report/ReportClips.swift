import ODTPlayback
import SwiftODT

struct ReportClip {
    /// The indices of the source and of the recording, as in ``ObservedTrack/Key``.
    let (source, recording): (Int, Int)
    /// The times on the report's time axis, in seconds.
    let (began, ended): (Double, Double)
    /// The address of the video, relative to the page.
    let video: String
    /// The address of the picture, relative to the page; `nil` if there is none.
    let picture: String?
    let isH265: Bool
}

/// Selects the clips of a database to which a page links. A clip of a camera with redaction is linked only if the
/// clip's header states that it was recorded with the same redaction.
struct ReportClips {
    private(set) var clips: [ReportClip] = []
    /// The number of clips whose files are missing, and of clips that must not be shown.
    private(set) var (missingCount, hiddenCount) = (0, 0)

    /// - Parameters:
    ///   - folder: The folder to which the clips were moved; `nil` if the clips were not moved.
    ///   - page: The path of the page.
    init(_ messages: StoredMessages, _ observations: Observations, in folder: String?, of page: String) throws {
        let from = Self.components(of: page).dropLast()
        for clip in try messages.clips() {
            guard let (source, recording) = observations.place(ofCamera: clip.camera, session: clip.session) else {
                continue
            }
            func moved(_ path: String) -> String { folder.map { Self.moved(path, of: clip.camera, to: $0) } ?? path }
            let file = moved(clip.file)
            guard PathText.exists(file) else {
                missingCount += 1
                continue
            }
            guard messages.filters[clip.camera]?.permits(file) == true else {
                hiddenCount += 1
                continue
            }
            let picture = clip.picture.map(moved).flatMap { PathText.exists($0) ? $0 : nil }
            clips.append(
                ReportClip(
                    source: source, recording: recording, began: clip.began, ended: clip.ended,
                    video: Self.address(of: file, from: from),
                    picture: picture.map { Self.address(of: $0, from: from) }, isH265: RecordedContent.isH265(file)))
        }
    }

    /// Returns the path that a camera's file has after the clips were moved to `folder`.
    static func moved(_ path: String, of camera: String, to folder: String) -> String {
        "\(folder)/\(camera)/\(path.split(separator: "/").last ?? "")"
    }

    /// - Parameter folder: The components of the path of the page's folder.
    static func address(of file: String, from folder: some Collection<String>) -> String {
        let path = components(of: file)
        let common = zip(path, folder).prefix { $0 == $1 }.count
        let up = Array(repeating: "..", count: folder.count - common)
        return (up + path.dropFirst(common).map { PercentEscapes.encoded($0) }).joined(separator: "/")
    }

    private static func components(of path: String) -> [String] {
        PartFile.target(of: path).split(separator: "/").map(String.init)
    }
}
