import CGStreamer
import Playback
import SwiftODT

/// The recording of all cameras: one folder with its limits, one choice of encoder.
final class Recording: Sendable {
    let options: RecordOptions
    private let encoder: VideoEncoder
    /// Two watches that record into one folder would rename and replace each other's segments.
    private let locks: [FolderLock]
    let retention: SegmentRetention
    /// A segment is cut short at this size, so that there are always some to delete.
    let largestSegment: Int

    /// - Parameter cameras: those that are recorded.
    /// - Throws: ``PlaybackError`` where nothing can be recorded, or another watch records the same cameras there.
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
            "another odt watch records into \(folder): end it, give this camera another name (NAME=SOURCE), or name another folder "
                + "(--record DIR)")
    }

    /// Gives segments that a power cut left in the middle the names that they were to have.
    private func adopt(_ camera: String) {
        let folder = options.folder + camera + "/"
        for name in Set(PartFile.names(in: folder).compactMap { SegmentName($0, camera: camera)?.text }) {
            for part in PartFile.interrupted(of: folder + name) where !PathText.isThere(folder + name) {
                PartFile.rename(part, to: folder + name)
            }
        }
    }

    /// The branch that records what is drawn in; `nil` where the camera's own picture is kept.
    var annotatedChain: String? { options.isAnnotated ? chain(for: "video/x-raw") : nil }

    /// What makes of a stream what a segment holds, up to the fake sink `recorded`.
    ///
    /// - Parameter kind: its caps' name.
    func chain(for kind: String) -> String {
        // What is kept waits here while the disk is slow, and is left out when it is slow for too long.
        let wait =
            "queue name=waiting leaky=downstream max-size-buffers=0 max-size-bytes=67108864 max-size-time=10000000000"
        let end = "fakesink name=recorded sync=false async=false"
        switch kind {
        case "video/x-h264": return "\(wait) ! h264parse ! video/x-h264,stream-format=avc,alignment=au ! \(end)"
        case "video/x-h265": return "\(wait) ! h265parse ! video/x-h265,stream-format=hvc1,alignment=au ! \(end)"
        default:
            // Frames are large, and few may wait. H.264 counts pixels in twos.
            return "queue name=waiting leaky=downstream max-size-buffers=8 max-size-bytes=0 max-size-time=0 "
                + "! videoconvert ! videoscale "
                + "! video/x-raw,format=\(encoder.format),width=[2,16384,2],height=[2,16384,2] "
                + "! \(encoder.description(quality: options.quality, isLive: true)) ! \(end)"
        }
    }

    /// Has a pipeline wait for the disk: what is no camera's can.
    static func keepEveryFrame(of pipeline: Pipeline) { pipeline["waiting"].set("leaky", to: "no") }
}
