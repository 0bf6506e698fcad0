import CGStreamer
import SwiftODT

/// Lists the installed decoder elements for a codec.
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
    private static let timeout: GstClockTime = 5_000_000_000

    /// Encodes 8 frames of a test pattern and returns whether this succeeded. Takes at most 5 s.
    ///
    /// - Parameter description: The encoder element with its properties, as in a pipeline description.
    package static func succeeds(_ description: String) -> Bool {
        guard
            let pipeline = try? Pipeline(
                "videotestsrc num-buffers=8 ! video/x-raw,format=NV12,width=640,height=480,framerate=25/1 "
                    + "! \(description) ! fakesink name=end signal-handoffs=false")
        else { return false }
        let counted = Monitor(0)
        pipeline["end"].pad("sink")?.watchBuffers { _ in
            counted.update { $0 += 1 }
            return .ok
        }
        gst_element_set_state(pipeline.top, GST_STATE_PLAYING)
        defer { gst_element_set_state(pipeline.top, GST_STATE_NULL) }
        guard let bus = gst_element_get_bus(pipeline.top) else { return false }
        defer { gst_object_unref(bus) }
        let wanted = GstMessageType(rawValue: GST_MESSAGE_EOS.rawValue | GST_MESSAGE_ERROR.rawValue)
        guard let message = gst_bus_timed_pop_filtered(bus, timeout, wanted) else { return false }
        defer { gst_mini_object_unref(UnsafeMutableRawPointer(message).assumingMemoryBound(to: GstMiniObject.self)) }
        return message.pointee.type == GST_MESSAGE_EOS && counted.read { $0 } > 0
    }
}
