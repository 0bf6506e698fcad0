import CODTGStreamer
import GstFrames
import ODTPlayback
import SwiftODT

/// One picture of each track, and a background frame for heat maps and zones. The picture shows the track's detection
/// with the highest score.
struct BestPictures {
    /// The background frame as a JPEG file; `nil` if no frame was extracted.
    fileprivate(set) var frame: [UInt8]?
    /// The best pictures as JPEG files, one per track, in the order of the tracks; `nil` for a track whose best
    /// detection is not in the video.
    fileprivate(set) var pictures: [[UInt8]?]
    /// The number of the signal that ended the extraction; `nil` if no signal did.
    fileprivate(set) var signal: Int32?

    /// The maximum number of pictures. More pictures would be too small to show an object. The shortest tracks get
    /// none.
    private static let maximumCount = 5_000
    private var omittedCount = 0

    var missingCount: Int { pictures.count { $0 == nil } - omittedCount }

    fileprivate init(count: Int) { pictures = Array(repeating: nil, count: count) }

    /// Reads the video. If the video ends with an error, keeps the pictures extracted so far and prints the error.
    ///
    /// - Parameter shown: The source and the recording that the video shows, as in ``ObservedTrack/Key``.
    /// - Throws: ``PlaybackError`` if no frame can be read.
    init(
        of tracks: [ObservedTrack], in video: MediaSource, showing shown: (source: Int, recording: Int),
        _ observations: Observations
    ) throws {
        let moments = tracks.enumerated().compactMap { place, track -> PicturePass.Moment? in
            guard (track.key.source, track.key.recording) == shown, let best = track.best else { return nil }
            return PicturePass.Moment(place: place, time: best.streamTime, box: best.box)
        }
        let longest = Self.longest(moments.map(\.place), of: tracks)
        let middle = observations.hasOneRecording ? observations.middleOfVideo : moments.map(\.time).min()
        self = try PicturePass(
            of: moments.filter { longest.contains($0.place) }, count: tracks.count, frameAt: middle,
            among: longest.count, in: video, turned: observations.orientationOfVideo(of: shown.source)
        ).found
        omittedCount = moments.count - longest.count
    }

    /// Reads recorded segments, the video files that `odt watch` writes. Only segments with the best detection of a
    /// track are read, and reading stops after the last such detection. Segments that cannot be read are skipped.
    ///
    /// - Parameter tracks: Tracks from a database. Their stream times are wall-clock times.
    init(of tracks: [ObservedTrack], in segments: [StoredSegment], _ observations: Observations) {
        self.init(count: tracks.count)
        // Segments are searched by session (one connection to a camera) and not only by time. The sessions of one
        // camera overlap in time if files are watched faster than real time.
        // Retention limits delete segments, so a missing file is not an error.
        let segments = segments.filter { PathText.exists($0.file) }
        let bySession = Dictionary(grouping: segments, by: \.session)
        var moments: [String: [PicturePass.Moment]] = [:]
        for (place, track) in tracks.enumerated() {
            guard let best = track.best, let session = observations.recording(of: track) else { continue }
            for segment in bySession[session] ?? [] {
                guard let time = segment.place(of: best.streamTime) else { continue }
                moments[segment.file, default: []].append(.init(place: place, time: time, box: best.box))
                break
            }
        }
        let places = moments.values.flatMap { $0.map(\.place) }
        let longest = Self.longest(places, of: tracks)
        omittedCount = places.count - longest.count
        moments = moments.mapValues { $0.filter { longest.contains($0.place) } }.filter { !$1.isEmpty }
        for segment in segments {
            guard let wanted = moments[segment.file] else { continue }
            do {
                let found = try PicturePass(
                    of: wanted, count: tracks.count, frameAt: frame == nil ? wanted.map(\.time).min() : nil,
                    among: longest.count, in: MediaSource(segment.file),
                    turned: RecordedContent.orientation(of: segment.file)
                ).found
                for moment in wanted { pictures[moment.place] = found.pictures[moment.place] }
                frame = frame ?? found.frame
                signal = found.signal
            } catch { printError("odt report: \(error)") }
            if signal != nil { return }
        }
    }

    private static func longest(_ places: [Int], of tracks: [ObservedTrack]) -> Set<Int> {
        Set(places.sorted { tracks[$0].duration > tracks[$1].duration }.prefix(maximumCount))
    }
}

/// Extracts pictures in a single pass over a video at maximum speed.
///
/// `@unchecked Sendable`: while the pipeline plays, only the streaming thread uses its state.
private final class PicturePass: @unchecked Sendable {
    /// The maximum size of all pictures together, in bytes. It keeps the page below 20 MB, including the Base64
    /// encoding.
    private static let maximumBytes = 9 << 20
    /// The picture of a detection is taken from a frame that is at most this many seconds later than the detection.
    private static let tolerance = 0.25
    /// The margin around an object as a fraction of its size.
    private static let margin = 0.08

    private(set) var found: BestPictures

    struct Moment {
        /// The track's index in the list of tracks.
        let place: Int
        /// The stream time in seconds.
        let time: Double
        let box: Box
    }

    /// The best detections whose pictures are still missing, sorted by descending time.
    private var moments: [Moment]
    /// The stream time of the background frame in seconds; `nil` if no background frame is needed.
    private let middle: Double?
    private let crop = JPEGCrop()
    private let (side, limit): (Int, Int)
    private var hasSeen = false
    /// The current frame is shown from `time` to `end`. Both are stream times in seconds.
    private var shown = (time: 0.0, end: 0.0)

    /// - Parameters:
    ///   - count: The number of all tracks, including tracks without a best detection in this video.
    ///   - frameAt: The stream time of the background frame in seconds; `nil` if no background frame is needed.
    ///   - total: The number of pictures on the page. With more pictures, each one is smaller.
    ///   - turned: The transformation that turns frames upright; `nil` for that of the video's orientation tag.
    init(
        of moments: [Moment], count: Int, frameAt: Double?, among total: Int, in video: MediaSource,
        turned: Orientation?
    ) throws {
        found = BestPictures(count: count)
        self.moments = moments.sorted { $0.time > $1.time }
        middle = frameAt
        side = total <= 300 ? 256 : total <= 1500 ? 176 : 112
        limit = min(Self.maximumBytes / max(1, total), 24 << 10)
        let ending = try play(video, turned: turned)
        found.signal = ending.signal
        guard let failure = ending.failure.map({ AddressParts.discreet($0, of: video.name) }) else { return }
        guard hasSeen else {
            throw PlaybackError(
                "cannot read a frame from \(video.addressWithoutPassword): \(failure)", ending.reason ?? .failed)
        }
        printError("odt report: \(video.addressWithoutPassword) ends early: \(failure)")
    }

    /// Plays the video until its end, or until all pictures are extracted. Frames without pictures are decoded but not
    /// converted.
    private func play(_ video: MediaSource, turned: Orientation?) throws -> Player.Ending {
        try PluginSearch.startGStreamer()
        let direction = turned?.nick ?? "auto"
        let pipeline = try Pipeline(
            "\(video.description) videoconvert name=video ! videoflip name=upright video-direction=\(direction) "
                + "! videoconvert ! video/x-raw,format=RGBx ! fakesink name=seen sync=false async=false")
        video.setAddress(in: pipeline)
        guard let decoded = pipeline["video"].pad("sink"), let upright = pipeline["seen"].pad("sink") else {
            throw PlaybackError("the pipeline has no entry or exit pad")
        }
        let progress = Progress(of: pipeline, name: video.name)
        progress.watch(decoded)
        var configuration = Player.Configuration()
        configuration.hasBegun = { progress.frames > 0 }
        configuration.end = { decoded.endStream() }
        configuration.tick = { progress.show() }
        let notify: @Sendable (String) -> Void = { text in
            progress.clear()
            printError("odt report: \(text)")
        }
        let linker = StreamLinker(videoOf: pipeline, notify: notify)
        let player = Player(pipeline, configuration, notify: notify)
        // The messages state the rotation of the input of `odt annotate`. Its output is already upright.
        decoded.watchEvents { [weak pipeline] event in
            if AnnotationPipeline.isUpright(event) { pipeline?["upright"].set("video-direction", to: "identity") }
            return .ok
        }
        // Pads retain their probes' closures, so the closures hold only weak references to the pads.
        decoded.watchBuffers { [weak decoded, weak player] buffer in
            decoded.map { self.needs(buffer, on: $0, of: player) } == true ? .ok : .drop
        }
        upright.observeBuffers { [weak upright] buffer in upright?.withPixels(of: buffer) { self.process($0) } }
        let ending = withExtendedLifetime((decoded, upright, linker)) { player.play { _ in } }
        player.stop()
        progress.clear()
        return ending
    }

    /// Returns whether a picture is taken from a frame. If no further picture is needed, ends the pass.
    private func needs(_ buffer: UnsafeMutablePointer<GstBuffer>, on pad: Pad, of player: Player?) -> Bool {
        guard let time = pad.streamTime(of: buffer).map({ Double($0) / 1e9 }) else { return false }
        let duration = buffer.pointee.duration
        shown = (time, time + (duration < 10_000_000_000 ? Double(duration) / 1e9 : 0.04))
        hasSeen = true
        if let next = moments.last, next.time < (shown.time + shown.end) / 2 { return true }
        if found.frame == nil, let middle { return middle < shown.end }
        if moments.isEmpty { player?.askToEnd() }
        return false
    }

    /// Takes pictures from a frame, which has been turned upright.
    private func process(_ pixels: FramePixels) {
        let (time, end) = shown
        if found.frame == nil, let middle, middle < end { found.frame = crop.jpeg(of: pixels, side: 1280) }
        // A detection belongs to the frame that is nearest in time. The next frame begins at `end`, so detections
        // before the middle between `time` and `end` belong to this frame or to earlier frames.
        while let moment = moments.last, moment.time < (time + end) / 2 {
            moments.removeLast()
            guard moment.time > time - Self.tolerance else { continue }
            let box = moment.box.grown(by: Self.margin).scaled(x: Double(pixels.width), y: Double(pixels.height))
            found.pictures[moment.place] = crop.jpeg(of: box, in: pixels, side: side, limit: limit)
        }
    }
}
