import CGStreamer
import Playback
import SwiftODT

/// One pass over a video, as fast as it can be read, that looks at some of its frames.
enum VideoPass {
    /// Whether a frame is to be looked at.
    enum Interest { case wanted, notWanted, remove }

    /// Red, green, blue and an unused byte of each pixel, as long as it is looked at.
    struct Pixels {
        let base: UnsafePointer<UInt8>
        /// Bytes from row to row.
        let stride: Int
        let width: Int
        let height: Int
    }

    /// Who looks at frames. Times are in seconds of the video; all is called on one thread, in the video's order.
    protocol Viewer: AnyObject {
        /// Whether to look at the frame that is shown from `time` to `end`.
        func interest(from time: Double, to end: Double) -> Interest
        /// Gets a frame that was wanted, upright.
        func process(at pixels: Pixels, from time: Double, to end: Double)
    }

    /// Plays the video from its beginning. Frames that nobody wants are decoded and no more.
    ///
    /// - Parameters:
    ///   - turned: what has to be done to see it upright; where that is nothing, what the video itself says.
    ///   - notify: says a sentence to people, on whatever thread.
    /// - Returns: how it ended; well, too, where the viewer has enough.
    /// - Throws: ``PlaybackError`` where an element is missing.
    static func show(
        _ video: MediaSource, turned: Orientation, to viewer: Viewer, notify: @escaping @Sendable (String) -> Void
    ) throws -> Player.Ending {
        try PluginSearch.startGStreamer()
        let pipeline = try Pipeline(
            "\(video.description) ! videoflip name=upright video-direction=\(directions[turned] ?? "auto") ! videoconvert "
                + "! video/x-raw,format=RGBx ! fakesink name=seen sync=false async=false")
        video.give(to: pipeline)
        guard let decoded = pipeline["upright"].pad("sink"), let upright = pipeline["seen"].pad("sink") else {
            throw PlaybackError("the pipeline has no ends")
        }
        let progress = Progress(of: pipeline, name: PartFile.parts(of: video.name).stem)
        progress.watch(decoded)
        var configuration = Player.Configuration()
        configuration.hasBegun = { progress.frames > 0 }
        configuration.end = { decoded.endStream() }
        configuration.tick = { progress.show() }
        let player = Player(pipeline, configuration) { text in
            progress.clear()
            notify(text)
        }
        // What a pad holds on to must not hold on to the pad.
        let gate = Gate(viewer) { [weak player] in player?.askToEnd() }
        decoded.watchBuffers { [weak decoded] buffer in
            decoded.map { gate.passes(buffer, on: $0) } == true ? .ok : .drop
        }
        upright.watchBuffers { [weak upright] buffer in
            if let upright { gate.process(at: buffer, on: upright) }
            return .ok
        }
        let ending = withExtendedLifetime((decoded, upright)) { player.play { _ in } }
        player.stop()
        progress.clear()
        return ending
    }

    /// As videoflip calls them.
    private static let directions: [Orientation: String] = [
        .rotate90: "90r", .rotate180: "180", .rotate270: "90l", .flipHorizontal: "horiz", .flipVertical: "vert",
        .transpose: "ul-lr", .transverse: "ur-ll",
    ]
}

/// Lets the wanted frames through. All of it happens on the streaming thread.
private final class Gate: @unchecked Sendable {
    private let viewer: VideoPass.Viewer
    private let end: () -> Void
    private var shown = (time: 0.0, end: 0.0)

    init(_ viewer: VideoPass.Viewer, end: @escaping () -> Void) { (self.viewer, self.end) = (viewer, end) }

    /// Whether a frame is worth to be turned and converted.
    func passes(_ buffer: UnsafeMutablePointer<GstBuffer>, on pad: Pad) -> Bool {
        guard let time = pad.streamTime(of: buffer).map({ Double($0) / 1e9 }) else { return false }
        let duration = buffer.pointee.duration
        shown = (time, time + (duration < 10_000_000_000 ? Double(duration) / 1e9 : 0.04))
        switch viewer.interest(from: shown.time, to: shown.end) {
        case .wanted: return true
        case .notWanted: return false
        case .remove:
            end()
            return false
        }
    }

    func process(at buffer: UnsafeMutablePointer<GstBuffer>, on pad: Pad) {
        _ = pad.withFrame(of: buffer) { frame in
            guard let base = frame.data.0 else { return }
            let pixels = VideoPass.Pixels(
                base: base.assumingMemoryBound(to: UInt8.self), stride: Int(frame.info.stride.0),
                width: Int(frame.info.width), height: Int(frame.info.height))
            viewer.process(at: pixels, from: shown.time, to: shown.end)
        }
    }
}
