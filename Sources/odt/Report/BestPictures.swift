import Playback
import SwiftODT

/// Extracts each track's best picture, and a background frame for maps and zones, in one pass over a video.
final class BestPictures: VideoPass.Viewer {
    /// The maximum size of all pictures in bytes, which keeps the page below 20 MB including Base64 encoding.
    private static let maximumBytes = 9 << 20
    /// The maximum distance in seconds between a moment and its frame.
    private static let tolerance = 0.25

    /// A JPEG file of a frame in the middle of the video.
    private(set) var frame: [UInt8]?
    /// JPEG files in the order of the tracks; `nil` for tracks whose best moment is not in the video.
    private(set) var pictures: [[UInt8]?]

    /// When and where the best picture of a track was visible.
    struct Moment {
        /// The index of the track.
        let place: Int
        /// The stream time in seconds.
        let time: Double
        let box: Box
    }

    /// The remaining moments, the next one last.
    private var moments: [Moment]
    /// The stream time of the background frame in seconds; `nil` if none is needed.
    private let middle: Double?
    private let crop = JPEGCrop()
    private let (side, limit): (Int, Int)

    /// The signal that ended the pass, if there was one.
    private(set) var signal: Int32?

    /// Reads the video. If the video ends with an error, keeps the pictures until then and logs the error.
    ///
    /// - Throws: ``PlaybackError`` if no frame can be read.
    convenience init(of tracks: [ObservedTrack], in video: MediaSource, _ observations: Observations) throws {
        let moments = tracks.enumerated().compactMap { place, track in
            track.best.map { Moment(place: place, time: $0.streamTime, box: $0.box) }
        }
        try self.init(
            of: moments, count: tracks.count, frameAt: observations.middleOfVideo, among: moments.count, in: video,
            turned: observations.orientation)
    }

    /// - Parameters:
    ///   - moments: The moments in this video.
    ///   - count: The number of all tracks.
    ///   - frameAt: The stream time of the background frame in seconds; `nil` if none is needed.
    ///   - total: The number of pictures on the page, which determines their size.
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
        guard hasSeen else { throw PlaybackError("cannot read a frame from \(video.name): \(failure)") }
        printError("odt report: \(video.name) ends early: \(failure)")
    }

    private var hasSeen = false

    /// The number of tracks without a picture.
    var missingCount: Int { pictures.count { $0 == nil } }

    func interest(from time: Double, to end: Double) -> VideoPass.Interest {
        hasSeen = true
        if let next = moments.last, next.time < (time + end) / 2 { return .wanted }
        if frame == nil, let middle { return middle < end ? .wanted : .notWanted }
        return moments.isEmpty ? .remove : .notWanted
    }

    func process(at pixels: VideoPass.Pixels, from time: Double, to end: Double) {
        if frame == nil, let middle, middle < end { frame = crop.jpeg(of: pixels, side: 1280) }
        // This frame is closer to the moment than the next frame.
        while let moment = moments.last, moment.time < (time + end) / 2 {
            moments.removeLast()
            guard moment.time > time - Self.tolerance else { continue }
            let box = Self.withMargin(moment.box).scaled(x: Double(pixels.width), y: Double(pixels.height))
            pictures[moment.place] = crop.jpeg(of: box, in: pixels, side: side, limit: limit)
        }
    }

    /// Adds a margin of 8% on each side, which shows the object's surroundings.
    private static func withMargin(_ box: Box) -> Box {
        let margin = 0.08
        return Box(
            x: box.x - margin * box.width, y: box.y - margin * box.height, width: box.width * (1 + 2 * margin),
            height: box.height * (1 + 2 * margin))
    }
}
