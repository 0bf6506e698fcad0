import CGStreamer
import Playback
import SwiftODT

/// Plays a video once at maximum speed and passes selected frames to a viewer.
enum VideoPass {
    /// A viewer's answer for one frame. `remove` means that no further frames are wanted.
    enum Interest { case wanted, notWanted, remove }

    /// The pixels of a frame, four bytes each (red, green, blue, unused). Valid only during the call that receives
    /// them.
    struct Pixels {
        let base: UnsafePointer<UInt8>
        /// The number of bytes from one row of pixels to the next.
        let stride: Int
        let width: Int
        let height: Int
    }

    /// A receiver of frames. All calls come from one thread, in the order of the video. All times are stream times in
    /// seconds.
    protocol Viewer: AnyObject {
        /// Returns whether the viewer wants the frame that is shown from `time` until `end`.
        func interest(from time: Double, to end: Double) -> Interest
        /// Processes a frame that the viewer wanted. The frame has been turned upright.
        func process(at pixels: Pixels, from time: Double, to end: Double)
    }

    /// Plays the video from its start. Frames that the viewer does not want are decoded but not converted. Playing also
    /// succeeds if the viewer ends it.
    ///
    /// - Parameters:
    ///   - turned: The transformation that turns frames upright. With `identity`, the orientation tag of the video is
    ///     used instead.
    ///   - notify: Shows a message to the user. Called on any thread.
    static func show(
        _ video: MediaSource, turned: Orientation, to viewer: Viewer, notify: @escaping @Sendable (String) -> Void
    ) throws -> Player.Ending {
        try PluginSearch.startGStreamer()
        let pipeline = try Pipeline(
            "\(video.description) ! videoflip name=upright video-direction=\(directions[turned] ?? "auto") ! videoconvert "
                + "! video/x-raw,format=RGBx ! fakesink name=seen sync=false async=false")
        video.give(to: pipeline)
        guard let decoded = pipeline["upright"].pad("sink"), let upright = pipeline["seen"].pad("sink") else {
            throw PlaybackError("the pipeline has no entry or exit pad")
        }
        let progress = Progress(of: pipeline, name: video.name)
        progress.watch(decoded)
        var configuration = Player.Configuration()
        configuration.hasBegun = { progress.frames > 0 }
        configuration.end = { decoded.endStream() }
        configuration.tick = { progress.show() }
        let player = Player(pipeline, configuration) { text in
            progress.clear()
            notify(text)
        }
        // Pads retain their probes' closures, so the closures hold only weak references to the pads.
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

    /// The values of videoflip's property `video-direction`.
    static let directions: [Orientation: String] = [
        .rotate90: "90r", .rotate180: "180", .rotate270: "90l", .flipHorizontal: "horiz", .flipVertical: "vert",
        .transpose: "ul-lr", .transverse: "ur-ll",
    ]
}

/// Drops the frames that the viewer does not want.
///
/// `@unchecked Sendable`: its methods are called only on the streaming thread.
private final class Gate: @unchecked Sendable {
    private let viewer: VideoPass.Viewer
    private let end: () -> Void
    private var shown = (time: 0.0, end: 0.0)

    init(_ viewer: VideoPass.Viewer, end: @escaping () -> Void) { (self.viewer, self.end) = (viewer, end) }

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

extension StreamLinker {
    /// Links only the video. The linker must stay alive while the pipeline plays, because the decoder's signals call it
    /// without holding a reference.
    convenience init(videoOf pipeline: Pipeline, notify: @escaping @Sendable (String) -> Void) {
        self.init(pipeline, muxer: nil, soundEncoder: "", notify: notify, refuse: { pipeline.refuse($0) })
        listen(to: pipeline["decoded"])
    }
}

extension Pad {
    func streamTime(of buffer: UnsafeMutablePointer<GstBuffer>) -> Nanoseconds? {
        guard let event = gst_pad_get_sticky_event(pointer, GST_EVENT_SEGMENT, 0) else { return nil }
        defer { gst_event_unref(event) }
        var segment: UnsafePointer<GstSegment>?
        gst_event_parse_segment(event, &segment)
        let time = gst_segment_to_stream_time(segment, GST_FORMAT_TIME, buffer.pointee.pts)
        return time < UInt64(Int64.max) ? Nanoseconds(time) : nil
    }

    /// The format of the frames; `nil` before raw video caps have arrived.
    var format: GstVideoInfo? {
        guard let caps = gst_pad_get_current_caps(pointer) else { return nil }
        defer { gst_caps_unref(caps) }
        var format = GstVideoInfo()
        return gst_video_info_from_caps(&format, caps) != 0 ? format : nil
    }

    /// Maps a frame for reading during the call of `body`. Returns `nil` if the frame cannot be mapped.
    func withFrame<Result>(
        of buffer: UnsafeMutablePointer<GstBuffer>, _ body: (GstVideoFrame) -> Result
    ) -> Result? {
        var frame = GstVideoFrame()
        guard var format, gst_video_frame_map(&frame, &format, buffer, GST_MAP_READ) != 0 else { return nil }
        defer { gst_video_frame_unmap(&frame) }
        return body(frame)
    }
}

/// An owned reference to a buffer.
///
/// `@unchecked Sendable`: the buffer is only read, and its reference count is atomic.
final class HeldBuffer: @unchecked Sendable {
    let pointer: UnsafeMutablePointer<GstBuffer>

    init(_ pointer: UnsafeMutablePointer<GstBuffer>) {
        gst_buffer_ref(pointer)
        self.pointer = pointer
    }

    deinit { gst_buffer_unref(pointer) }

    var size: Int { Int(gst_buffer_get_size(pointer)) }
}
