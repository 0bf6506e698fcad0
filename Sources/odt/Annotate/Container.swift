import CGStreamer
import Playback
import SwiftODT

/// What kind of file the annotated video becomes, by its ending.
struct Container: Sendable {
    let endings: [String]
    /// The muxer that writes it.
    let muxer: String
    /// The demuxer that reads it.
    let demuxer: String
    /// What encodes sound that it cannot take as it is.
    let soundEncoder: String
    /// What its video is encoded as.
    let codec: VideoEncoder.Codec

    // Written in fragments of half a second, which play as far as they got; a proper end makes an ordinary file of them.
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

    private static let patience: GstClockTime = 5_000_000_000

    /// Whether a file of this kind holds at least one picture.
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
        if let message = gst_bus_timed_pop_filtered(bus, Self.patience, wanted) {
            gst_mini_object_unref(UnsafeMutableRawPointer(message).assumingMemoryBound(to: GstMiniObject.self))
        }
        return isThere.read { $0 }
    }

    /// `nil` where no container has this ending.
    static func named(_ ending: String) -> Container? {
        all.first { $0.endings.contains(ending.lowercased()) }
    }
}
