import CGStreamer

/// Decides whether frames carry overlay compositions, after downstream has received the caps, as the text overlay
/// elements of GStreamer do.
///
/// The caps feature states that an element passes or blends them; the allocation query, that it blends them.
struct OverlayNegotiation {
    /// Whether overlays are attached instead of being blended into the frames.
    let attaches: Bool
    /// Whether an element downstream announces that it blends overlays.
    let isAnnounced: Bool

    /// - Parameter isForced: whether overlays are attached whatever downstream announces.
    init(_ element: ElementHandle, isForced: Bool) {
        let (source, sink) = (element.base.pointee.srcpad!, element.base.pointee.sinkpad!)
        guard let caps = gst_pad_get_current_caps(source) else {
            (attaches, isAnnounced) = (isForced, false)
            return
        }
        defer { CapsNegotiation.release(caps) }
        let hasFeature = CapsNegotiation.hasOverlay(caps)
        isAnnounced = hasFeature && Self.isBlended(behind: source, caps)
        // Frames in device memory cannot be drawn on.
        attaches =
            isForced || isAnnounced || Self.hasOverlay(sink)
            || hasFeature && CapsNegotiation.deviceMemory(caps) != nil
        guard hasFeature, !attaches else { return }
        let plain = CapsNegotiation.withoutOverlay(caps)
        gst_pad_push_event(source, gst_event_new_caps(plain))
        CapsNegotiation.release(plain)
    }

    private static func isBlended(
        behind source: UnsafeMutablePointer<GstPad>, _ caps: UnsafeMutablePointer<GstCaps>
    ) -> Bool {
        guard let query = gst_query_new_allocation(caps, 0) else { return false }
        defer { gst_mini_object_unref(UnsafeMutableRawPointer(query).assumingMemoryBound(to: GstMiniObject.self)) }
        return gst_pad_peer_query(source, query) != 0
            && gst_query_find_allocation_meta(query, gst_video_overlay_composition_meta_api_get_type(), nil) != 0
    }

    /// Returns whether upstream attaches overlays.
    private static func hasOverlay(_ sink: UnsafeMutablePointer<GstPad>) -> Bool {
        guard let caps = gst_pad_get_current_caps(sink) else { return false }
        defer { CapsNegotiation.release(caps) }
        return CapsNegotiation.hasOverlay(caps)
    }
}
