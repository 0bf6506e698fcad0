import Glibc
import Playback
import SwiftODT

/// What of the cameras' video is recorded, how, and for how long it is kept.
struct RecordOptions: Sendable {
    static let names: Set<String> = [
        "record", "record-minutes", "record-days", "record-size", "record-encoder", "record-quality",
    ]
    static let flags: Set<String> = ["record-annotated"]
    static let help = """
          --record DIR       the cameras' video, in segments that play whatever happens: DIR/NAME/NAME-2026-11-22T15-45-01Z.mkv. H.264 and
                             H.265 are taken over as they come, anything else is encoded
          --record-annotated with what is drawn in, for which all is encoded
          --record-minutes N how long a segment is (10)
          --record-days N    older segments are deleted
          --record-size SIZE the oldest are deleted when all have more together: 500M, 40G
          --record-encoder NAME, --record-quality Q
                             as odt annotate has them, where something is encoded (auto, 75)
        """

    let folder: String
    let isAnnotated: Bool
    /// How long a segment is.
    let length: Nanoseconds
    let longestKept: Nanoseconds?
    let largest: Int?
    let quality: VideoEncoder.Quality
    private let requestedEncoder: String

    /// - Returns: `nil` where nothing is to be recorded.
    /// - Throws: ``PlaybackError`` or ``CommandLineError`` where it cannot be meant.
    init?(_ options: WatchOptions) throws {
        guard let folder = options.text("record") else {
            let others = Self.names.union(Self.flags).sorted()
            if let other = others.first(where: { options.text($0) != nil }) {
                throw CommandLineError("\(options.called(other)) needs \(options.called("record")).")
            }
            return nil
        }
        guard !folder.isEmpty else { throw CommandLineError("\(options.called("record")) names no folder.") }
        self.folder = folder.hasSuffix("/") ? folder : folder + "/"
        isAnnotated = options.has("record-annotated")
        length = Nanoseconds(seconds: 60 * (try options.number("record-minutes", in: 0.01...1440) ?? 10))
        longestKept = try options.number("record-days", in: 0.001...36_500).map { Nanoseconds(seconds: 86_400 * $0) }
        largest = try ByteSize.bytes(of: "record-size", in: options, minimum: 1 << 20)
        let percent = try options.number("record-quality", in: 0...100).map { Int($0) }
        quality = .init(percent: percent ?? VideoEncoder.Quality.usual)
        requestedEncoder = options.text("record-encoder") ?? "auto"
    }

    /// - Throws: ``PlaybackError`` where the one that is wished for does not work.
    func encoder() throws -> VideoEncoder { try .choose(.h264, wish: requestedEncoder, quality: quality) }

    /// - Throws: ``PlaybackError`` where nothing can be written there.
    func checkFolder() throws {
        PartFile.makeFolder(folder)
        guard PathText.withSystemPath(folder, { access($0, W_OK | X_OK) }) == 0 else {
            throw PlaybackError("nothing can be recorded in \(folder): \(String(cString: strerror(errno)))")
        }
    }
}
