import CODTGStreamer
import Synchronization

/// An owned reference to a pad.
///
/// `@unchecked Sendable`: GStreamer's own locks synchronise all functions that this class calls.
package final class Pad: @unchecked Sendable {
    package let pointer: UnsafeMutablePointer<GstPad>

    /// Takes ownership of the caller's reference to the pad.
    package init(_ pointer: UnsafeMutablePointer<GstPad>) { self.pointer = pointer }

    deinit { gst_object_unref(pointer) }

    /// - Parameter isChecked: Whether linking requires that the caps of the two pads are compatible. Pass `false` if a
    ///   probe converts the data.
    /// - Returns: Whether the pads were linked.
    package func link(to sink: Pad, isChecked: Bool = true) -> Bool {
        let check = isChecked ? GST_PAD_LINK_CHECK_CAPS : GST_PAD_LINK_CHECK_NOTHING
        return gst_pad_link_full(pointer, sink.pointer, check) == GST_PAD_LINK_OK
    }

    /// Blocks while the pad processes a buffer.
    package func endStream() { gst_pad_send_event(pointer, gst_event_new_eos()) }

    /// Requests a key frame from the encoder upstream of the pad.
    package func askForKeyFrame() {
        gst_pad_push_event(pointer, gst_video_event_new_upstream_force_key_unit(.max, 1, 0))
    }

    /// Sets a property of the pad from its textual form. Does nothing if the pad has no such property.
    package func set(_ property: String, to value: String) {
        let object = UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: GObject.self)
        let about = UnsafeMutableRawPointer(object.pointee.g_type_instance.g_class).assumingMemoryBound(
            to: GObjectClass.self)
        if g_object_class_find_property(about, property) != nil { gst_util_set_object_arg(object, property, value) }
    }

    /// The result of a probe's handler. `ok` passes the data on, and `drop` drops it. `handled` marks a query as
    /// answered. `remove` passes the data on and removes the probe.
    package enum ProbeResult { case ok, drop, handled, remove }

    /// Calls the handler with each buffer, on the streaming thread.
    package func watchBuffers(_ handler: @escaping @Sendable (UnsafeMutablePointer<GstBuffer>) -> ProbeResult) {
        watch(GST_PAD_PROBE_TYPE_BUFFER) { info in
            guard let buffer = gst_pad_probe_info_get_buffer(info) else { return .ok }
            return handler(buffer)
        }
    }

    /// Calls the handler with the running times at which each buffer begins and ends, in nanoseconds. The argument is
    /// `nil` if the times are unknown, for example because the buffer has no timestamp.
    package func watchTimes(_ handler: @escaping @Sendable ((begin: UInt64, end: UInt64)?) -> ProbeResult) {
        // The probe belongs to the pad, so the pad outlives the probe's closure.
        nonisolated(unsafe) let pad = pointer
        watchBuffers { handler(Self.runningTime(of: $0, at: pad)) }
    }

    /// Returns the running times at which a buffer begins and ends, in nanoseconds; `nil` if they are unknown.
    package static func runningTime(
        of buffer: UnsafeMutablePointer<GstBuffer>, at pad: UnsafeMutablePointer<GstPad>
    ) -> (begin: UInt64, end: UInt64)? {
        let begin = buffer.pointee.pts, duration = buffer.pointee.duration
        guard begin != .max, let event = gst_pad_get_sticky_event(pad, GST_EVENT_SEGMENT, 0) else { return nil }
        defer { gst_event_unref(event) }
        var segment = GstSegment()
        gst_event_copy_segment(event, &segment)
        let time = gst_segment_to_running_time(&segment, GST_FORMAT_TIME, begin)
        guard segment.format == GST_FORMAT_TIME, time != .max else { return nil }
        // A duration comes from the file and can have any value.
        let (end, isLate) = UInt64(time).addingReportingOverflow(duration == .max ? 0 : UInt64(duration))
        return (UInt64(time), isLate ? .max : end)
    }

    /// The format of the frames; `nil` before raw video caps have arrived.
    package var format: GstVideoInfo? { Self.format(at: pointer) }

    package static func format(at pad: UnsafeMutablePointer<GstPad>) -> GstVideoInfo? {
        guard let caps = gst_pad_get_current_caps(pad) else { return nil }
        defer { gst_caps_unref(caps) }
        var format = GstVideoInfo()
        return gst_video_info_from_caps(&format, caps) != 0 ? format : nil
    }

    /// Calls the handler with each downstream event, on the streaming thread.
    package func watchEvents(_ handler: @escaping @Sendable (UnsafeMutablePointer<GstEvent>) -> ProbeResult) {
        watch(GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM) { info in
            guard let event = gst_pad_probe_info_get_event(info) else { return .ok }
            return handler(event)
        }
    }

    /// Replaces each buffer with the handler's result. If the result is `nil`, the buffer passes unchanged.
    package func replaceBuffers(
        _ other: @escaping @Sendable (UnsafeMutablePointer<GstBuffer>) -> UnsafeMutablePointer<GstBuffer>?
    ) {
        watch(GST_PAD_PROBE_TYPE_BUFFER) { info in
            if let buffer = gst_pad_probe_info_get_buffer(info), let new = other(buffer) { Self.replace(info, by: new) }
            return .ok
        }
    }

    /// Replaces each downstream event with the handler's result. If the result is `nil`, the event passes unchanged.
    package func replaceEvents(
        _ other: @escaping @Sendable (UnsafeMutablePointer<GstEvent>) -> UnsafeMutablePointer<GstEvent>?
    ) {
        watch(GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM) { info in
            if let event = gst_pad_probe_info_get_event(info), let new = other(event) { Self.replace(info, by: new) }
            return .ok
        }
    }

    /// Accepts any caps: answers every accept-caps query of the pad with yes. Use it for a pad whose probe converts the
    /// data to a format that the element accepts.
    package func acceptAllCaps() {
        let asked = GstPadProbeType(
            rawValue: GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM.rawValue | GST_PAD_PROBE_TYPE_PUSH.rawValue)
        watch(asked) { info in
            guard let query = gst_pad_probe_info_get_query(info), query.pointee.type == GST_QUERY_ACCEPT_CAPS else {
                return .ok
            }
            gst_query_set_accept_caps_result(query, 1)
            return .handled
        }
    }

    private static func replace(_ info: UnsafeMutablePointer<GstPadProbeInfo>, by new: UnsafeMutableRawPointer) {
        guard let old = info.pointee.data else { return }
        info.pointee.data = new
        gst_mini_object_unref(old.assumingMemoryBound(to: GstMiniObject.self))
    }

    private final class Watch {
        private let handler: @Sendable (UnsafeMutablePointer<GstPadProbeInfo>) -> ProbeResult
        /// Orders the creation of the watch before its calls for ThreadSanitizer, which does not see GLib's locks.
        private let isMade = Atomic(false)

        init(_ handler: @escaping @Sendable (UnsafeMutablePointer<GstPadProbeInfo>) -> ProbeResult) {
            self.handler = handler
            isMade.store(true, ordering: .releasing)
        }

        func handle(_ info: UnsafeMutablePointer<GstPadProbeInfo>) -> ProbeResult {
            isMade.load(ordering: .acquiring) ? handler(info) : .ok
        }
    }

    private func watch(
        _ kind: GstPadProbeType, _ handler: @escaping @Sendable (UnsafeMutablePointer<GstPadProbeInfo>) -> ProbeResult
    ) {
        gst_pad_add_probe(
            pointer, kind,
            { _, info, watch in
                guard let info, let watch else { return GST_PAD_PROBE_OK }
                switch Unmanaged<Watch>.fromOpaque(watch).takeUnretainedValue().handle(info) {
                case .ok: return GST_PAD_PROBE_OK
                case .drop: return GST_PAD_PROBE_DROP
                case .handled: return GST_PAD_PROBE_HANDLED
                case .remove: return GST_PAD_PROBE_REMOVE
                }
            }, Unmanaged.passRetained(Watch(handler)).toOpaque(),
            { watch in if let watch { Unmanaged<Watch>.fromOpaque(watch).release() } })
    }
}
