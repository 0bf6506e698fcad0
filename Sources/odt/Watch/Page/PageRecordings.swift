import GstFrames
import ODTPlayback
import SwiftODT
import Synchronization

/// Serves recordings and clips to the live page. Also serves the results about the recordings from the database.
///
/// Of a camera with redaction, only files whose header states the same redaction are served.
final class PageRecordings: Sendable {
    /// The maximum number of recorded segments in a list.
    private static let maximum = 5_000

    private let folder: String?
    private let clips: String?
    private let store: String?
    /// Selects the files of each camera that may be shown. If a camera has no filter here, none of its files is served.
    private let filters = Mutex<[String: RedactionFilter]>([:])

    /// - Parameters:
    ///   - folder: The folder of the recordings, ending in a slash; `nil` without recordings.
    ///   - clips: The folder of the clips, ending in a slash; `nil` without clips.
    ///   - store: The path of the database; `nil` without one.
    init(folder: String?, clips: String?, store: String?) {
        (self.folder, self.clips, self.store) = (folder, clips, store)
    }

    func use(_ cameras: [ConfiguredCamera]) {
        var new: [String: RedactionFilter] = [:]
        for camera in cameras { new[camera.name] = camera.redaction }
        filters.withLock { $0 = new }
    }

    /// Returns whether a redaction equals the camera's current one, so that pictures made with it may be shown.
    func permits(_ redaction: RedactionFilter, of camera: String) -> Bool {
        filters.withLock { $0[camera] } == redaction
    }

    /// Returns the response to a request of a video or picture; `nil` if there is no such file.
    func file(_ file: String, of camera: String, isClip: Bool, isPlayed: Bool) -> PageResponse? {
        let kinds = isClip ? [".mkv": "video/x-matroska", ".jpg": "image/jpeg"] : [".mkv": "video/x-matroska"]
        guard let folder = isClip ? clips : folder, let dot = file.lastIndex(of: "."),
            let kind = kinds[String(file[dot...])], let video = segment(file[..<dot] + ".mkv", camera)?.text
        else { return nil }
        guard canShow("\(folder)\(camera)/\(video)", of: camera) else { return Self.unredactedRefusal }
        return .file("\(folder)\(camera)/\(file)", kind: kind, isPlayed: isPlayed)
    }

    /// Returns the newest recorded segments of a camera, the newest first; `nil` if the camera is unknown.
    func list(of camera: String) -> JSONValue? {
        guard filters.withLock({ $0[camera] }) != nil else { return nil }
        guard let folder else { return .object(["isRecorded": .bool(false)]) }
        let found = PartFile.names(in: folder + camera).compactMap { file in
            SegmentName(file, camera: camera).map { (name: $0, isFinished: $0.text == file) }
        }.sorted { ($0.name.time, $0.name.number) > ($1.name.time, $1.name.number) }
        return .object([
            "isRecorded": .bool(true), "isCutOff": .bool(found.count > Self.maximum),
            "segments": .array(
                found.prefix(Self.maximum).map {
                    .object([
                        "file": .string($0.name.text), "time": milliseconds($0.name.time),
                        "isFinished": .bool($0.isFinished),
                    ])
                }),
        ])
    }

    /// Returns the times and the events of a finished segment; `nil` if no segment has this name.
    func details(_ file: String, of camera: String) -> PageResponse? {
        guard let folder, let name = segment(file, camera) else { return nil }
        let path = "\(folder)\(camera)/\(name.text)"
        guard PathText.exists(path) else { return nil }
        guard canShow(path, of: camera) else { return Self.unredactedRefusal }
        let isRedacted = filters.withLock { $0[camera]?.properties != nil }
        let isAnnotated = isRedacted || RecordedContent.annotated.isContent(of: path)
        func describe(_ results: RecordedResults?) throws -> JSONValue {
            let times = try results?.times(of: name)
            let began = times?.began ?? Int64(name.time / 1_000_000)
            var members: [String: JSONValue] = [
                "began": .number(Double(began)), "isAnnotated": .bool(isAnnotated), "hasStore": .bool(results != nil),
                "isH265": .bool(RecordedContent.isH265(path)),
                "orientation": .string(RecordedContent.orientation(of: path).nick),
            ]
            if let times {
                (members["ended"], members["session"]) = (.number(Double(times.ended)), .number(Double(times.session)))
                members["length"] = .number(Double(times.length) / 1_000)
                members["events"] = .array(
                    try results?.events(of: camera, session: times.session, from: times.began, to: times.ended) ?? [])
            }
            return .object(members)
        }
        // The video can also be played if the database is damaged.
        let members = (try? describe(store.map(RecordedResults.init))) ?? (try? describe(nil))
        return members.map(PageResponse.json)
    }

    /// Returns the boxes of a period in frames of the requested orientation, by default in upright frames. Returns
    /// `nil` without a database, or if the camera is unknown.
    func boxes(of camera: String, _ request: PageRequest) -> PageResponse? {
        guard let store, filters.withLock({ $0[camera] }) != nil else { return nil }
        guard let from = request.value("from").flatMap({ Int64($0) }),
            let to = request.value("to").flatMap({ Int64($0) }),
            from >= 0, to >= from, to - from <= RecordedResults.longest
        else { return .sentence(400, "from= and to= must be milliseconds since 1970, at most 120,000 apart.") }
        let session = request.value("session").flatMap { Int64($0) }
        let orientation = request.value("orientation").flatMap(Orientation.init(nick:)) ?? .identity
        do {
            let results = try RecordedResults(store)
            return .json(try results.boxes(of: camera, session: session, from: from, to: to, in: orientation))
        } catch {
            return .sentence(503, "The database cannot be read now.")
        }
    }

    /// Parses the file name of a finished segment. A valid name cannot lead to another folder.
    private func segment(_ file: some StringProtocol, _ camera: String) -> SegmentName? {
        guard filters.withLock({ $0[camera] }) != nil, let name = SegmentName(String(file), camera: camera),
            name.text == file
        else { return nil }
        return name
    }

    private func canShow(_ path: String, of camera: String) -> Bool {
        filters.withLock { $0[camera] }?.permits(path) ?? false
    }

    private static let unredactedRefusal = PageResponse.sentence(
        403, "This video was recorded without the redaction that the camera has now, so it is not shown.")
}
