import CODTGStreamer

/// Decides whether overlay compositions are attached to the frames, in the same way as GStreamer's text overlay
/// elements.
///
/// The caps feature of overlay compositions only states that an element downstream accepts frames with overlays. The
/// element may ignore the overlays. If the answer to an allocation query lists the overlay metadata, an element
/// downstream blends the overlays. If overlays are not attached, the caps are sent again without the caps feature.
enum OverlayNegotiation {
    /// Called after downstream has received the caps.
    ///
    /// - Parameter isForced: whether overlays are attached even if no element downstream announces that it blends them.
    /// - Returns: `attaches` is `true` if overlays are attached, and `false` if they are blended into the frames.
    ///   `isAnnounced` is `true` if an element downstream announces that it blends overlays. `nil` if a flush has
    ///   interrupted the negotiation; the next frame then negotiates again.
    static func negotiate(_ element: ElementHandle, isForced: Bool) -> (attaches: Bool, isAnnounced: Bool)? {
        let (source, sink) = (element.sourcePad, element.sinkPad)
        guard let caps = gst_pad_get_current_caps(source) else { return (isForced, false) }
        defer { gst_caps_unref(caps) }
        let hasFeature = CapsNegotiation.hasOverlay(caps)
        let isAnnounced = hasFeature && isBlended(behind: source, caps)
        guard isAnnounced || source.pointee.object.flags & GST_PAD_FLAG_FLUSHING.rawValue == 0 else {
            gst_pad_mark_reconfigure(source)
            return nil
        }
        // The element cannot draw on frames in device memory. It therefore attaches overlays even if downstream only
        // accepts frames with overlays and does not announce that it blends them.
        let attaches =
            isForced || isAnnounced || hasOverlay(sink) || hasFeature && CapsNegotiation.deviceMemory(caps) != nil
        if hasFeature, !attaches {
            let plain = CapsNegotiation.withoutOverlay(caps)
            gst_pad_push_event(source, gst_event_new_caps(plain))
            gst_caps_unref(plain)
        }
        return (attaches, isAnnounced)
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
