import CGStreamer
import Playback
import SwiftODT

/// The recording of all cameras, which share a folder, its size limit and an encoder.
final class Recording: Sendable {
    let options: RecordOptions
    private let encoder: VideoEncoder
    /// Prevent a second watch from recording the same cameras there, because both would rename and replace each
    /// other's segments.
    private let locks: [FolderLock]
    let retention: SegmentRetention
    /// The size at which a segment is ended early, so that there are always older segments to delete.
    let largestSegment: Int

    /// - Parameter cameras: The names of the recorded cameras.
    /// - Throws: ``PlaybackError`` if recording is impossible, or another watch records the same cameras in the folder.
    init(_ options: RecordOptions, cameras: [String]) throws {
        try options.checkFolder()
        encoder = try options.encoder()
        locks = try cameras.map { try Self.lock(options.folder + $0) }
        self.options = options
        retention = SegmentRetention(options.folder, longest: options.longestKept, largest: options.largest)
        largestSegment = options.largest.map { max(1, $0 / (8 * max(1, cameras.count))) } ?? .max
        cameras.forEach(adopt)
    }

    private static func lock(_ folder: String) throws -> FolderLock {
        PartFile.makeFolder(folder)
        if let lock = FolderLock(folder) { return lock }
        throw PlaybackError(
            "another odt watch records in \(folder): end it, give this camera another name (NAME=SOURCE), "
                + "or choose another folder (--record DIR)")
    }

    /// Renames the unfinished segments of an interrupted watch to their final names.
    private func adopt(_ camera: String) {
        let folder = options.folder + camera + "/"
        for name in Set(PartFile.names(in: folder).compactMap { SegmentName($0, camera: camera)?.text }) {
            for part in PartFile.interrupted(of: folder + name) where !PathText.isThere(folder + name) {
                PartFile.rename(part, to: folder + name)
            }
        }
    }

    /// The description of the branch that records annotated frames; `nil` if the original video is recorded.
    var annotatedChain: String? { options.isAnnotated ? chain(for: "video/x-raw") : nil }

    /// Returns the description of the branch that converts a stream to a segment's format, up to the sink `recorded`.
    ///
    /// - Parameter kind: The name of the stream's caps.
    func chain(for kind: String) -> String {
        // The queue holds up to 10 s or 64 MiB while the disk is slow; beyond that, frames are dropped.
        let wait =
            "queue name=waiting leaky=downstream max-size-buffers=0 max-size-bytes=67108864 max-size-time=10000000000"
        let end = "fakesink name=recorded sync=false async=false"
        switch kind {
        case "video/x-h264": return "\(wait) ! h264parse ! video/x-h264,stream-format=avc,alignment=au ! \(end)"
        case "video/x-h265": return "\(wait) ! h265parse ! video/x-h265,stream-format=hvc1,alignment=au ! \(end)"
        default:
            // Raw frames are large, so the queue holds at most 8. H.264 needs an even width and height.
            return "queue name=waiting leaky=downstream max-size-buffers=8 max-size-bytes=0 max-size-time=0 "
                + "! videoconvert ! videoscale "
                + "! video/x-raw,format=\(encoder.format),width=[2,16384,2],height=[2,16384,2] "
                + "! \(encoder.description(quality: options.quality, isLive: true)) ! \(end)"
        }
    }

    /// Makes a pipeline wait for the disk instead of dropping frames, for sources that can wait, such as files.
    static func keepEveryFrame(of pipeline: Pipeline) { pipeline["waiting"].set("leaky", to: "no") }
}
