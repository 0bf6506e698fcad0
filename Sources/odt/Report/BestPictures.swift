import Playback
import SwiftODT

/// Each track's picture at the moment when it was seen best, and a frame for what is drawn over the whole picture: all of them from one
/// pass over the video.
final class BestPictures: VideoPass.Viewer {
    /// All pictures together, so that the page stays below 20 MB with what they grow by as text.
    private static let mostBytes = 9 << 20
    /// How far from a frame's time a moment may be to be taken for it.
    private static let tolerance = 0.25

    /// A frame from the middle, as a JPEG file's bytes.
    private(set) var frame: [UInt8]?
    /// In the order of the tracks; none for those whose moment is not in the video.
    private(set) var pictures: [[UInt8]?]

    /// What is still to be seen, the next one last.
    private var moments: [(place: Int, best: ObservedTrack.Best)]
    private let middle: Double
    private let crop = JPEGCrop()
    private let (side, limit): (Int, Int)

    /// The signal that ended the pass over the video, if one did.
    private(set) var signal: Int32?

    /// Reads the video. Where it breaks off, there is what came until then, and that is said.
    ///
    /// - Throws: ``PlaybackError`` where nothing of it can be read.
    init(of tracks: [ObservedTrack], in video: MediaSource, _ observations: Observations) throws {
        pictures = Array(repeating: nil, count: tracks.count)
        moments = tracks.enumerated().compactMap { place, track in track.best.map { (place, $0) } }
            .sorted { $0.best.streamTime > $1.best.streamTime }
        middle = observations.middleOfVideo
        side = moments.count <= 300 ? 256 : moments.count <= 1500 ? 176 : 112
        limit = min(Self.mostBytes / max(1, moments.count), 24 << 10)
        let ending = try VideoPass.show(video, turned: observations.orientation, to: self) {
            complain("odt report: \($0)")
        }
        signal = ending.signal
        guard let failure = ending.failure else { return }
        guard hasSeen else { throw PlaybackError("no picture can be read from \(video.name): \(failure)") }
        complain("odt report: \(video.name) breaks off: \(failure)")
    }

    private var hasSeen = false

    /// How many moments the video does not have.
    var missingCount: Int { pictures.count { $0 == nil } }

    func interest(from time: Double, to end: Double) -> VideoPass.Interest {
        hasSeen = true
        if let next = moments.last, next.best.streamTime < (time + end) / 2 { return .wanted }
        if frame == nil { return middle < end ? .wanted : .notWanted }
        return moments.isEmpty ? .enough : .notWanted
    }

    func look(at pixels: VideoPass.Pixels, from time: Double, to end: Double) {
        if frame == nil, middle < end { frame = crop.jpeg(of: pixels, side: 1280) }
        // Nearer to this frame than to the next.
        while let (place, best) = moments.last, best.streamTime < (time + end) / 2 {
            moments.removeLast()
            guard best.streamTime > time - Self.tolerance else { continue }
            let box = Self.withMargin(best.box).scaled(x: Double(pixels.width), y: Double(pixels.height))
            pictures[place] = crop.jpeg(of: box, in: pixels, side: side, limit: limit)
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
