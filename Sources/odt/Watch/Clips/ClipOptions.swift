import Glibc
import ODTPlayback
import SwiftODT

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

    let folder: SegmentFolder
    /// How long before the event a clip begins, in nanoseconds.
    let before: Nanoseconds
    /// How long after the event a clip ends, in nanoseconds.
    let after: Nanoseconds

    /// - Returns: `nil` if `--clips` is not given.
    init?(_ options: WatchOptions) throws {
        try options.refuse(Self.names, without: "clips")
        guard let folder = try SegmentFolder("clips", options) else { return nil }
        try options.refuse(["clips"], without: "record")
        self.folder = folder
        if let recordings = try RecordOptions(options)?.folder, recordings.isSame(as: folder) {
            throw CommandLineError("\(options.called("clips")) needs another folder than \(options.called("record")).")
        }
        before = try options.number("clips-before", in: 0...60).map { Nanoseconds(seconds: $0) } ?? 5_000_000_000
        after = try options.number("clips-after", in: 0...60).map { Nanoseconds(seconds: $0) } ?? 5_000_000_000
    }
}

/// The clips of all cameras, which share a folder and its limits.
struct Clips: Sendable {
    let options: ClipOptions
    let retention: SegmentRetention
    private let locks: FolderLocks

    init(_ options: ClipOptions, cameras: [CameraPlan]) throws {
        (self.options, retention) = (options, try options.folder.retention(to: "save clips", hasPictures: true))
        locks = FolderLocks(in: options.folder)
        try use(cameras)
    }

    /// Saves clips of these cameras, too, from now on.
    func use(_ cameras: [CameraPlan]) throws {
        for name in try locks.add(cameras.filter(\.savesClips).map(\.name)) { adopt(name) }
    }

    /// Completes the files that an interrupted `odt watch` left unfinished: clips get their final names, and pictures
    /// are deleted.
    private func adopt(_ camera: String) {
        let folder = options.folder.path + camera + "/"
        Recording.adopt(in: folder, of: camera)
        let pictures = PartFile.names(in: folder).filter { $0.hasSuffix(".jpg") }.compactMap { file in
            SegmentName(file.dropLast(4) + ".mkv", camera: camera).map { PartFile.parts(of: $0.text).stem + ".jpg" }
                .flatMap { $0 == file ? nil : $0 }
        }
        for name in Set(pictures) {
            for part in PartFile.interrupted(of: folder + name) { _ = PathText.withSystemPath(part) { unlink($0) } }
        }
    }
}

struct SavedClip: Sendable {
    let path: String
    let isH265: Bool
    /// The name of the picture in the same folder; `nil` if no picture was taken.
    let picture: String?
    /// The wall-clock times of the clip's first and last frame, in nanoseconds since 1970.
    let (from, to): (Nanoseconds, Nanoseconds)
    /// The running times of the clip's first and last frame, in nanoseconds.
    let (start, end): (Nanoseconds, Nanoseconds)

    var video: String {
        let (_, stem, ending) = PartFile.parts(of: path)
        return stem + ending
    }
}
