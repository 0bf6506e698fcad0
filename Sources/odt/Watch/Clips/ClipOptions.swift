import Glibc
import Playback
import SwiftODT

/// The options of `--clips`.
struct ClipOptions: Sendable {
    static let names: Set<String> = ["clips", "clips-before", "clips-after", "clips-days", "clips-size"]
    static let help = """
          --clips DIR        with --record: save a clip and a picture when an object appears, enters a zone or crosses a
                             line. If groups [event NAME] have clip=true, only those of their events:
                             DIR/NAME/NAME-2026-11-22T15-45-01Z.mkv and .jpg
          --clips-before SECONDS, --clips-after SECONDS
                             video before and after the event, 0 to 60 (default: 5)
          --clips-days N, --clips-size SIZE
                             delete the oldest clips and pictures, as for recordings (default: keep all)
        """

    /// The folder for the clips, ending in a slash.
    let folder: String
    /// The time before the event in nanoseconds.
    let before: Nanoseconds
    /// The time after the event in nanoseconds.
    let after: Nanoseconds
    private let longestKept: Nanoseconds?
    private let largest: Int?

    /// - Returns: `nil` if `--clips` is not given.
    /// - Throws: ``PlaybackError`` or ``CommandLineError`` if an option is invalid.
    init?(_ options: WatchOptions) throws {
        try options.refuse(Self.names, without: "clips")
        guard let folder = options.text("clips") else { return nil }
        try options.refuse(["clips"], without: "record")
        guard !folder.isEmpty else { throw CommandLineError("\(options.called("clips")) needs a folder.") }
        self.folder = folder.hasSuffix("/") ? folder : folder + "/"
        if try RecordOptions(options)?.folder == self.folder {
            throw CommandLineError("\(options.called("clips")) needs another folder than \(options.called("record")).")
        }
        before = try options.number("clips-before", in: 0...60).map { Nanoseconds(seconds: $0) } ?? 5_000_000_000
        after = try options.number("clips-after", in: 0...60).map { Nanoseconds(seconds: $0) } ?? 5_000_000_000
        longestKept = try options.number("clips-days", in: 0.001...36_500).map { Nanoseconds(seconds: 86_400 * $0) }
        largest = try ByteSize.bytes(of: "clips-size", in: options, minimum: 1 << 20)
    }

    /// - Throws: ``PlaybackError`` if the folder is not writable.
    func retention() throws -> SegmentRetention {
        PartFile.makeFolder(folder)
        guard PathText.withSystemPath(folder, { access($0, W_OK | X_OK) }) == 0 else {
            throw PlaybackError("cannot save clips in \(folder): \(String(cString: strerror(errno)))")
        }
        return SegmentRetention(folder, longest: longestKept, largest: largest, hasPictures: true)
    }
}

/// The clips of all cameras, which share a folder and its limits.
struct Clips: Sendable {
    let options: ClipOptions
    let retention: SegmentRetention

    /// - Throws: ``PlaybackError`` if the folder is not writable.
    init(_ options: ClipOptions, cameras: [String]) throws {
        (self.options, retention) = (options, try options.retention())
        for camera in cameras { adopt(camera) }
    }

    /// Renames the clips that an interrupted watch left unfinished to their final names, and deletes its unfinished
    /// pictures.
    func adopt(_ camera: String) {
        let folder = options.folder + camera + "/"
        Recording.adopt(in: folder, of: camera)
        let pictures = PartFile.names(in: folder).filter { $0.hasSuffix(".jpg") }.compactMap {
            SegmentName($0.dropLast(4) + ".mkv", camera: camera).map { PartFile.parts(of: $0.text).stem + ".jpg" }
        }
        for name in Set(pictures) {
            for part in PartFile.interrupted(of: folder + name) { _ = PathText.withSystemPath(part) { unlink($0) } }
        }
    }
}

/// A clip whose file is complete.
struct SavedClip: Sendable {
    /// The path of the video.
    let path: String
    /// The name of the picture in the same folder; `nil` if no picture of the object was taken.
    let picture: String?
    /// The wall-clock times at which the clip begins and ends, in nanoseconds since 1970.
    let (from, to): (Nanoseconds, Nanoseconds)
    /// The running times at which the clip begins and ends, in nanoseconds.
    let (start, end): (Nanoseconds, Nanoseconds)

    /// The file name of the video.
    var video: String {
        let (_, stem, ending) = PartFile.parts(of: path)
        return stem + ending
    }
}
