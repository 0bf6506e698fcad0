import Glibc
import Playback
import SwiftODT

/// The options of `--record`.
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

    let folder: String
    let isAnnotated: Bool
    /// The duration of a segment.
    let length: Nanoseconds
    let longestKept: Nanoseconds?
    let largest: Int?
    let quality: VideoEncoder.Quality
    private let requestedEncoder: String

    /// - Returns: `nil` without `--record`.
    /// - Throws: ``PlaybackError`` or ``CommandLineError`` if an option is invalid.
    init?(_ options: WatchOptions) throws {
        guard let folder = options.text("record") else {
            let others = Self.names.union(Self.flags).sorted()
            if let other = others.first(where: { options.text($0) != nil }) {
                throw CommandLineError("\(options.called(other)) needs \(options.called("record")).")
            }
            return nil
        }
        guard !folder.isEmpty else { throw CommandLineError("\(options.called("record")) needs a folder.") }
        self.folder = folder.hasSuffix("/") ? folder : folder + "/"
        isAnnotated = options.has("record-annotated")
        length = Nanoseconds(seconds: 60 * (try options.number("record-minutes", in: 0.01...1440) ?? 10))
        longestKept = try options.number("record-days", in: 0.001...36_500).map { Nanoseconds(seconds: 86_400 * $0) }
        largest = try ByteSize.bytes(of: "record-size", in: options, minimum: 1 << 20)
        let percent = try options.number("record-quality", in: 0...100).map { Int($0) }
        quality = .init(percent: percent ?? VideoEncoder.Quality.usual)
        requestedEncoder = options.text("record-encoder") ?? "auto"
    }

    /// - Throws: ``PlaybackError`` if the requested encoder does not work.
    func encoder() throws -> VideoEncoder { try .choose(.h264, wish: requestedEncoder, quality: quality) }

    /// - Throws: ``PlaybackError`` if the folder is not writable.
    func checkFolder() throws {
        PartFile.makeFolder(folder)
        guard PathText.withSystemPath(folder, { access($0, W_OK | X_OK) }) == 0 else {
            throw PlaybackError("cannot record in \(folder): \(String(cString: strerror(errno)))")
        }
    }
}
