import CODTGStreamer
import Glibc
import ODTPlayback
import SwiftODT
import Synchronization

/// The recording of all cameras. The cameras share a folder, its size limit and the choice of the encoder.
final class Recording: Sendable {
    let options: RecordOptions
    private let encoder: VideoEncoder
    private let locks: FolderLocks
    private let count = Mutex(0)
    let retention: SegmentRetention
    /// A recorded segment that reaches this size in bytes is ended early. The size is a small part of the size limit,
    /// so that there are always older segments to delete.
    var largestSegment: Int {
        options.folder.largest.map { max(1, $0 / (8 * max(1, count.withLock { $0 }))) } ?? .max
    }

    /// - Throws: ``PlaybackError`` if recording is impossible, or if another `odt watch` records one of the cameras in
    ///   the same folder.
    init(_ options: RecordOptions, cameras: [String]) throws {
        retention = try options.folder.retention(to: "record", hasPictures: false)
        encoder = try options.encoder()
        (self.options, locks) = (options, FolderLocks(in: options.folder))
        try use(cameras)
    }

    /// Records these cameras from now on.
    func use(_ cameras: [String]) throws {
        for name in try locks.add(cameras) { Self.adopt(in: options.folder.path + name + "/", of: name) }
        count.withLock { $0 = cameras.count }
    }

    /// Gives the final names to the segments that an interrupted `odt watch` or a failure left unfinished.
    ///
    /// - Parameter folder: The camera's folder, ending in a slash.
    static func adopt(in folder: String, of camera: String) {
        // Finished segments are skipped, because a folder can contain thousands of them.
        let unfinished = PartFile.names(in: folder).compactMap { file in
            SegmentName(file, camera: camera).flatMap { $0.text == file ? nil : $0.text }
        }
        for name in Set(unfinished) {
            for part in PartFile.interrupted(of: folder + name) where !PathText.exists(folder + name) {
                PartFile.rename(part, to: folder + name)
            }
        }
    }

    /// The description of the branch that records annotated frames; `nil` if the original video is recorded instead.
    var annotatedChain: String? { options.isAnnotated ? chain(for: "video/x-raw") : nil }

    /// Returns the description of the branch that converts a stream to the format of a recorded segment. The branch
    /// ends in the sink element `recorded`.
    ///
    /// - Parameter kind: The name of the stream's caps, such as `video/x-h264`.
    func chain(for kind: String) -> String {
        // While the disk is slow, the queue holds up to 10 s or 64 MiB. If it is full, frames are dropped.
        let wait =
            "queue name=waiting leaky=downstream max-size-buffers=0 max-size-bytes=67108864 max-size-time=10000000000"
        let end = "fakesink name=recorded sync=false async=false"
        switch kind {
        case "video/x-h264": return "\(wait) ! h264parse ! video/x-h264,stream-format=avc,alignment=au ! \(end)"
        case "video/x-h265": return "\(wait) ! h265parse ! video/x-h265,stream-format=hvc1,alignment=au ! \(end)"
        default:
            // Raw frames are large, so the queue holds at most 8 frames. H.264 needs an even width and height.
            return "queue name=waiting leaky=downstream max-size-buffers=8 max-size-bytes=0 max-size-time=0 "
                + "! videoconvert ! videoscale "
                + "! video/x-raw,format=\(encoder.format),width=[2,16384,2],height=[2,16384,2] "
                + "! \(encoder.description(quality: options.quality, isLive: true)) ! \(end)"
        }
    }

    /// Makes the recording branch of a pipeline wait for the disk instead of dropping frames. Use it only for sources
    /// that can wait, such as files. The queue then no longer signals that it is full (``CameraRecorder``).
    static func keepEveryFrame(of pipeline: Pipeline) {
        pipeline["waiting"].set("leaky", to: "no")
        pipeline["waiting"].set("silent", to: "true")
    }
}

struct RecordOptions: Sendable {
    static let names: Set<String> = [
        "record", "record-minutes", "record-days", "record-size", "record-encoder", "record-quality",
    ]
    static let flags: Set<String> = ["record-annotated"]
    static let help = """
          --record DIR       record the video in segments that stay playable after a crash:
                             DIR/NAME/NAME-2026-11-22T15-45-01Z.mkv. H.264 and H.265 are copied, other formats are encoded
          --record-annotated record annotated video, which is always encoded
          --record-minutes N length of a segment in minutes, 0.01 to 1,440 (default: 10)
          --record-days N    delete segments that are older than N days (default: keep all)
          --record-size SIZE delete the oldest segments while their total size exceeds SIZE: 500M, 40G (default: no limit)
          --record-encoder NAME, --record-quality Q
                             encoder and quality of encoded video, as for odt annotate (default: auto, 75)
        """

    let folder: SegmentFolder
    let isAnnotated: Bool
    /// The length of a recorded segment in nanoseconds.
    let length: Nanoseconds
    let quality: VideoEncoder.Quality
    private let requestedEncoder: String
    /// The name of the option for the encoder, for error messages.
    private let encoderOption: String

    /// - Returns: `nil` if `--record` is not given.
    init?(_ options: WatchOptions) throws {
        try options.refuse(Self.names.union(Self.flags), without: "record")
        guard let folder = try SegmentFolder("record", options) else { return nil }
        self.folder = folder
        isAnnotated = options.has("record-annotated")
        length = Nanoseconds(seconds: 60 * (try options.number("record-minutes", in: 0.01...1440) ?? 10))
        let percent = try options.number("record-quality", in: 0...100).map { Int($0) }
        quality = .init(percent: percent ?? VideoEncoder.Quality.usual)
        requestedEncoder = options.text("record-encoder") ?? "auto"
        encoderOption = options.called("record-encoder")
    }

    func encoder() throws -> VideoEncoder {
        do {
            return try .choose(.h264, requested: requestedEncoder, quality: quality)
        } catch let error as PlaybackError {
            throw PlaybackError("\(encoderOption): \(error)", isUsage: error.isUsage)
        }
    }
}
