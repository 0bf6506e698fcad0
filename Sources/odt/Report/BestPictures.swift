import Playback
import SwiftODT

/// Each track's picture at the moment when it was seen best, and a frame for what is drawn over the whole picture: all of them from one
/// pass over the video.
final class BestPictures: VideoPass.Viewer {
    /// All pictures together, so that the page stays below 20 MB with what they grow by as text.
    private static let maximumBytes = 9 << 20
    /// How far from a frame's time a moment may be to be taken for it.
    private static let tolerance = 0.25

    /// A frame from the middle, as a JPEG file's bytes.
    private(set) var frame: [UInt8]?
    /// In the order of the tracks; none for those whose moment is not in the video.
    private(set) var pictures: [[UInt8]?]

    /// When and where a track was seen best.
    struct Moment {
        /// Among the tracks.
        let place: Int
        /// In the video's own time.
        let time: Double
        let box: Box
    }

    /// What is still to be seen, the next one last.
    private var moments: [Moment]
    /// When the frame is; `nil` where none is wanted.
    private let middle: Double?
    private let crop = JPEGCrop()
    private let (side, limit): (Int, Int)

    /// The signal that ended the pass over the video, if one did.
    private(set) var signal: Int32?

    /// Reads the video. Where it breaks off, there is what came until then, and that is said.
    ///
    /// - Throws: ``PlaybackError`` where nothing of it can be read.
    convenience init(of tracks: [ObservedTrack], in video: MediaSource, _ observations: Observations) throws {
        let moments = tracks.enumerated().compactMap { place, track in
            track.best.map { Moment(place: place, time: $0.streamTime, box: $0.box) }
        }
        try self.init(
            of: moments, count: tracks.count, frameAt: observations.middleOfVideo, among: moments.count, in: video,
            turned: observations.orientation)
    }

    /// - Parameters:
    ///   - moments: those of the video.
    ///   - count: of all tracks.
    ///   - frameAt: when the frame is; `nil` where none is wanted.
    ///   - total: how many pictures the page will have.
    init(
        of moments: [Moment], count: Int, frameAt: Double?, among total: Int, in video: MediaSource,
        turned: Orientation
    ) throws {
        pictures = Array(repeating: nil, count: count)
        self.moments = moments.sorted { $0.time > $1.time }
        middle = frameAt
        side = total <= 300 ? 256 : total <= 1500 ? 176 : 112
        limit = min(Self.maximumBytes / max(1, total), 24 << 10)
        let ending = try VideoPass.show(video, turned: turned, to: self) {
            printError("odt report: \($0)")
        }
        signal = ending.signal
        guard let failure = ending.failure else { return }
        guard hasSeen else { throw PlaybackError("no picture can be read from \(video.name): \(failure)") }
        printError("odt report: \(video.name) breaks off: \(failure)")
    }

    private var hasSeen = false

    /// How many moments the video does not have.
    var missingCount: Int { pictures.count { $0 == nil } }

    func interest(from time: Double, to end: Double) -> VideoPass.Interest {
        hasSeen = true
        if let next = moments.last, next.time < (time + end) / 2 { return .wanted }
        if frame == nil, let middle { return middle < end ? .wanted : .notWanted }
        return moments.isEmpty ? .remove : .notWanted
    }

    func process(at pixels: VideoPass.Pixels, from time: Double, to end: Double) {
        if frame == nil, let middle, middle < end { frame = crop.jpeg(of: pixels, side: 1280) }
        // Nearer to this frame than to the next.
        while let moment = moments.last, moment.time < (time + end) / 2 {
            moments.removeLast()
            guard moment.time > time - Self.tolerance else { continue }
            let box = Self.withMargin(moment.box).scaled(x: Double(pixels.width), y: Double(pixels.height))
            pictures[moment.place] = crop.jpeg(of: box, in: pixels, side: side, limit: limit)
        }
    }

    /// Some of what is around it tells where it is.
    private static func withMargin(_ box: Box) -> Box {
        let margin = 0.08
        return Box(
            x: box.x - margin * box.width, y: box.y - margin * box.height, width: box.width * (1 + 2 * margin),
            height: box.height * (1 + 2 * margin))
    }
}
