import CGStreamer
import Playback
import SwiftODT

/// The container format of the annotated video, selected by the file name extension.
struct Container: Sendable {
    let endings: [String]
    /// The muxer that writes it.
    let muxer: String
    /// The demuxer that reads it.
    let demuxer: String
    /// The encoder chain for sound that the container does not support as it is.
    let soundEncoder: String
    /// The video codec.
    let codec: VideoEncoder.Codec

    // The file is written in fragments of half a second, so that an interrupted file can be played. Finishing turns
    // it into an ordinary file.
    private static let fragments = "fragment-duration=500 fragment-mode=first-moov-then-finalise"
    private static let aac = "audioconvert ! audioresample ! avenc_aac bitrate=192000 ! aacparse"

    static let all = [
        Container(
            endings: [".mp4", ".m4v"], muxer: "mp4mux \(fragments)", demuxer: "qtdemux", soundEncoder: aac, codec: .h264
        ),
        Container(
            endings: [".mov"], muxer: "qtmux \(fragments)", demuxer: "qtdemux", soundEncoder: aac, codec: .h264),
        Container(
            endings: [".mkv"], muxer: "matroskamux", demuxer: "matroskademux", soundEncoder: aac, codec: .h264),
        Container(
            endings: [".webm"], muxer: "webmmux", demuxer: "matroskademux",
            soundEncoder: "audioconvert ! audioresample ! opusenc bitrate=128000", codec: .vp9),
    ]

    static let endings = all.flatMap(\.endings)

    private static let timeout: GstClockTime = 5_000_000_000

    /// Returns whether a file of this format contains at least one video frame.
    func holdsPicture(_ path: String) -> Bool {
        guard
            let pipeline = try? Pipeline(
                "filesrc name=source ! \(demuxer) name=demuxer demuxer.video_0 ! fakesink name=picture")
        else { return false }
        pipeline["source"].setFile(path)
        let isThere = Monitor(false)
        pipeline["picture"].pad("sink")?.watchBuffers { _ in
            isThere.update { $0 = true }
            return .remove
        }
        gst_element_set_state(pipeline.top, GST_STATE_PAUSED)
        defer { gst_element_set_state(pipeline.top, GST_STATE_NULL) }
        guard let bus = gst_element_get_bus(pipeline.top) else { return false }
        defer { gst_object_unref(bus) }
        let wanted = GstMessageType(rawValue: GST_MESSAGE_ASYNC_DONE.rawValue | GST_MESSAGE_ERROR.rawValue)
        if let message = gst_bus_timed_pop_filtered(bus, Self.timeout, wanted) {
            gst_mini_object_unref(UnsafeMutableRawPointer(message).assumingMemoryBound(to: GstMiniObject.self))
        }
        return isThere.read { $0 }
    }

    /// Returns the container with this extension, or `nil`.
    static func named(_ ending: String) -> Container? {
        all.first { $0.endings.contains(ending.lowercased()) }
    }
}
