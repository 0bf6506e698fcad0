import CGStreamer
import SwiftODT

/// Tests whether an encoder really encodes. An installed encoder can still fail because of drivers, permissions or
/// a missing device.
public enum EncoderProbe {
    private static let timeout: GstClockTime = 5_000_000_000

    /// Encodes 8 frames of a test pattern, which takes at most 5 s.
    ///
    /// - Parameter description: The encoder with its properties, as in a pipeline description.
    public static func succeeds(_ description: String) -> Bool {
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
