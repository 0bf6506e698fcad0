import CGStreamer

/// Decides whether overlay compositions are attached to the frames, in the same way as GStreamer's text overlay
/// elements. The value is created after downstream has received the caps.
///
/// The caps feature of overlay compositions only states that an element downstream accepts frames with overlays. The
/// element may ignore the overlays. If the answer to an allocation query lists the overlay metadata, an element
/// downstream blends the overlays. If overlays are not attached, the caps are sent again without the caps feature.
struct OverlayNegotiation {
    /// Whether overlays are attached instead of being blended into the frames.
    let attaches: Bool
    /// Whether an element downstream announces that it blends overlays.
    let isAnnounced: Bool

    /// - Parameter isForced: whether overlays are attached even if no element downstream announces that it blends them.
    init(_ element: ElementHandle, isForced: Bool) {
        let (source, sink) = (element.sourcePad, element.sinkPad)
        guard let caps = gst_pad_get_current_caps(source) else {
            (attaches, isAnnounced) = (isForced, false)
            return
        }
        defer { gst_caps_unref(caps) }
        let hasFeature = CapsNegotiation.hasOverlay(caps)
        isAnnounced = hasFeature && Self.isBlended(behind: source, caps)
        // The element cannot draw on frames in device memory, so it attaches overlays if downstream at least accepts
        // them.
        attaches =
            isForced || isAnnounced || Self.hasOverlay(sink)
            || hasFeature && CapsNegotiation.deviceMemory(caps) != nil
        guard hasFeature, !attaches else { return }
        let plain = CapsNegotiation.withoutOverlay(caps)
        gst_pad_push_event(source, gst_event_new_caps(plain))
        gst_caps_unref(plain)
    }

    private static func isBlended(
        behind source: UnsafeMutablePointer<GstPad>, _ caps: UnsafeMutablePointer<GstCaps>
    ) -> Bool {
        guard let query = gst_query_new_allocation(caps, 0) else { return false }
        defer { gst_query_unref(query) }
        return gst_pad_peer_query(source, query) != 0
            && gst_query_find_allocation_meta(query, gst_video_overlay_composition_meta_api_get_type(), nil) != 0
    }

    /// Returns whether an element upstream attaches overlays.
    private static func hasOverlay(_ sink: UnsafeMutablePointer<GstPad>) -> Bool {
        guard let caps = gst_pad_get_current_caps(sink) else { return false }
        defer { gst_caps_unref(caps) }
        return CapsNegotiation.hasOverlay(caps)
    }
}
