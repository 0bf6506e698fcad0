import CODTGStreamer
import SwiftODT

package struct VideoEncoder: Sendable {
    package enum Codec: Sendable { case h264, vp9 }

    package let element: String
    private let properties: @Sendable (_ quality: Quality, _ isLive: Bool) -> String

    package struct Quality: Sendable {
        package static let usual = 75
        /// The quality in percent, 0 (worst) to 100 (best).
        package let percent: Int

        package init(percent: Int) { self.percent = percent }

        /// The constant quantizer of H.264 encoders, from 50 at 0% (worst) to 11 at 100% (best). x264enc accepts at most
        /// 50. A common default is 23.
        var quantizer: Int { min(50, 51 - percent * 2 / 5) }
        /// The quality level of VP9, from 60 at 0% (worst) to 0 at 100% (best). VP9's scale is 0 to 63.
        var level: Int { 60 - percent * 3 / 5 }
        /// The bit rate for encoders without constant quality, from 0.5 Mbit/s below 25% to 8 Mbit/s at 100%. It
        /// doubles at each multiple of 25%.
        var bitsPerSecond: Int { 500_000 << max(0, min(5, percent / 25)) }
    }

    package func description(quality: Quality, isLive: Bool) -> String {
        let parser =
            switch element {
            // x264enc outputs AVC without a parser. h264parse would remove frames whose times do not increase. Hardware
            // encoders may need it.
            case Self.software.element: " ! video/x-h264,stream-format=avc"
            case Self.vp9.element: ""
            default: " ! h264parse"
            }
        return "\(element) name=encoder \(properties(quality, isLive))" + parser
    }

    package var format: String { element == Self.software.element || element == Self.vp9.element ? "I420" : "NV12" }

    // MARK: Choosing

    /// Chooses an encoder that works on this machine.
    ///
    /// - Parameters:
    ///   - requested: `auto`, `software` or the name of an element. For VP9, all valid values choose the same encoder.
    /// - Throws: ``PlaybackError`` if the requested encoder is unknown or does not work.
    package static func choose(_ codec: Codec, requested: String, quality: Quality) throws -> VideoEncoder {
        switch codec {
        case .vp9:
            guard ["auto", "software", vp9.element].contains(requested) else {
                throw PlaybackError(
                    "the encoder '\(requested)' does not encode VP9: use auto, software or \(vp9.element)",
                    isUsage: true)
            }
            return vp9
        case .h264:
            if requested == "software" { return software }
            let candidates = requested == "auto" ? hardware : (hardware + [software]).filter { $0.element == requested }
            for candidate in candidates where Element.isInstalled(candidate.element) {
                if EncoderProbe.succeeds(candidate.description(quality: quality, isLive: false)) { return candidate }
            }
            guard requested != "auto" else { return software }
            let known = ["auto", "software"] + (hardware + [software]).map(\.element)
            guard !candidates.isEmpty else {
                throw PlaybackError(
                    "unknown encoder '\(requested)': use one of \(known.joined(separator: ", "))", isUsage: true)
            }
            throw PlaybackError("\(requested) does not work on this machine; use the encoder 'software'")
        }
    }

    /// The names of the installed H.264 encoders that ``choose(_:requested:quality:)`` can choose.
    package static var installedForH264: [String] { (hardware + [software]).map(\.element).filter(Element.isInstalled) }

    package static let software = VideoEncoder(element: "x264enc") { quality, isLive in
        // `pass=qual` selects constant quality. A VBV buffer would limit the rate to the default bit rate, so it is
        // disabled.
        "speed-preset=veryfast pass=qual quantizer=\(quality.quantizer) vbv-buf-capacity=0"
            + (isLive ? " tune=zerolatency" : "")
    }

    private static let vp9 = VideoEncoder(element: "vp9enc") { quality, _ in
        "deadline=1 cpu-used=6 row-mt=true threads=8 end-usage=cq cq-level=\(quality.level) target-bitrate=50000000 "
            + "keyframe-max-dist=250"
    }

    private static let hardware = [
        VideoEncoder(element: "vah264enc") { quality, _ in
            let q = quality.quantizer
            return "rate-control=cqp qpi=\(q) qpp=\(q) qpb=\(q)"
        },
        VideoEncoder(element: "nvh264enc") { quality, _ in "rc-mode=constqp qp-const=\(quality.quantizer)" },
        VideoEncoder(element: "qsvh264enc") { quality, _ in
            let q = quality.quantizer
            return "rate-control=cqp qp-i=\(q) qp-p=\(q) qp-b=\(q)"
        },
        VideoEncoder(element: "vaapih264enc") { quality, _ in "rate-control=cqp init-qp=\(quality.quantizer)" },
        VideoEncoder(element: "v4l2h264enc") { quality, _ in
            "extra-controls=\"controls,video_bitrate=\(quality.bitsPerSecond)\" ! video/x-h264,level=(string)4"
        },
    ]
}

/// The container format of the annotated video, selected by the file name extension.
package struct Container: Sendable {
    package let endings: [String]
    /// The muxer element that writes the container, with its properties.
    package let muxer: String
    package let demuxer: String
    /// The elements that encode sound if the container does not support the sound's own format.
    package let soundEncoder: String
    package let codec: VideoEncoder.Codec

    // The file is written in fragments of half a second, so that an interrupted file can be played. When the muxer
    // finishes the file, it becomes an ordinary file without fragments.
    private static let fragments = "fragment-duration=500 fragment-mode=first-moov-then-finalise"
    private static let aac = "audioconvert ! audioresample ! avenc_aac bitrate=192000 ! aacparse"

    package static let all = [
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

    package static let endings = all.flatMap(\.endings)

    /// Returns whether a file of this container format holds at least one video frame.
    package func holdsPicture(_ path: String) -> Bool {
        let description = "filesrc name=source ! \(demuxer) name=demuxer demuxer.video_0 ! fakesink name=end"
        guard let pipeline = try? Pipeline(description) else { return false }
        pipeline["source"].setFile(path)
        return pipeline.probe(GST_STATE_PAUSED, until: GST_MESSAGE_ASYNC_DONE).hasBuffer
    }

    package static func named(_ ending: String) -> Container? {
        all.first { $0.endings.contains(ending.lowercased()) }
    }
}

package enum Codecs {
    /// Returns the names of the decoder elements that accept these caps, sorted by descending rank.
    package static func decoders(of text: String) -> [String] {
        guard let caps = gst_caps_from_string(text) else { return [] }
        defer { gst_caps_unref(caps) }
        let all = gst_element_factory_list_get_elements(decoderType, GST_RANK_MARGINAL)
        defer { gst_plugin_feature_list_free(all) }
        let fitting = gst_element_factory_list_filter(all, caps, GST_PAD_SINK, 0)
        defer { gst_plugin_feature_list_free(fitting) }
        return sequence(first: fitting, next: { $0?.pointee.next }).prefix { $0 != nil }
            .compactMap { $0?.pointee.data }
            .map { ErrorText.name(of: $0.assumingMemoryBound(to: GstObject.self)) }
    }

    /// `GST_ELEMENT_FACTORY_TYPE_DECODER`, a macro that Swift does not import.
    private static let decoderType: GstElementFactoryListType = 1 << 0
}

/// Tests whether an encoder element works. An installed encoder can fail because of drivers, permissions or a missing
/// device.
package enum EncoderProbe {
    /// Encodes 8 frames of a test pattern and returns whether this succeeded. Takes at most 5 s.
    package static func succeeds(_ description: String) -> Bool {
        guard
            let pipeline = try? Pipeline(
                "videotestsrc num-buffers=8 ! video/x-raw,format=NV12,width=640,height=480,framerate=25/1 "
                    + "! \(description) ! fakesink name=end signal-handoffs=false")
        else { return false }
        let (message, hasBuffer) = pipeline.probe(GST_STATE_PLAYING, until: GST_MESSAGE_EOS)
        return message == GST_MESSAGE_EOS && hasBuffer
    }
}

extension Pipeline {
    /// Sets the state and waits at most 5 s for a message of the type `wanted` or an error. Then stops the pipeline.
    ///
    /// - Returns: The type of the message, and whether a buffer has reached the sink `end`.
    fileprivate func probe(
        _ state: GstState, until wanted: GstMessageType
    ) -> (message: GstMessageType?, hasBuffer: Bool) {
        let hasBuffer = Monitor(false)
        self["end"].pad("sink")?.watchBuffers { _ in
            hasBuffer.update { $0 = true }
            return .remove
        }
        gst_element_set_state(top, state)
        defer { gst_element_set_state(top, GST_STATE_NULL) }
        guard let bus = gst_element_get_bus(top) else { return (nil, false) }
        defer { gst_object_unref(bus) }
        let types = GstMessageType(rawValue: wanted.rawValue | GST_MESSAGE_ERROR.rawValue)
        let message = gst_bus_timed_pop_filtered(bus, 5_000_000_000, types)
        defer { if let message { gst_message_unref(message) } }
        return (message?.pointee.type, hasBuffer.read { $0 })
    }
}
