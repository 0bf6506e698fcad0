import CODTGStreamer
import CSwiftODTElement

// Implements the functions of CShims/CSwiftODTElement/include/swiftodt-session.h.

private func session(_ handle: SwiftOdtSession?) -> Session {
    Unmanaged<Session>.fromOpaque(handle!).takeUnretainedValue()
}

@_cdecl("swiftodt_install_properties")
func installProperties(_ objectClass: UnsafeMutablePointer<GObjectClass>) {
    for (place, property) in Settings.properties.enumerated() {
        g_object_class_install_property(objectClass, guint(place + 1), property.makeSpec())
    }
}

@_cdecl("swiftodt_session_new")
func sessionNew(_ element: UnsafeMutablePointer<GstBaseTransform>) -> SwiftOdtSession? {
    Unmanaged.passRetained(Session(element: ElementHandle(element))).toOpaque()
}

@_cdecl("swiftodt_session_free")
func sessionFree(_ handle: SwiftOdtSession?) {
    guard let handle else { return }
    Unmanaged<Session>.fromOpaque(handle).release()
}

@_cdecl("swiftodt_session_set_property")
func sessionSetProperty(_ handle: SwiftOdtSession?, _ id: UInt32, _ value: UnsafePointer<GValue>) {
    session(handle).set(id, to: value)
}

@_cdecl("swiftodt_session_get_property")
func sessionGetProperty(_ handle: SwiftOdtSession?, _ id: UInt32, _ value: UnsafeMutablePointer<GValue>) {
    session(handle).get(id, into: value)
}

@_cdecl("swiftodt_session_start")
func sessionStart(_ handle: SwiftOdtSession?) -> gboolean { session(handle).start() ? 1 : 0 }

@_cdecl("swiftodt_session_stop")
func sessionStop(_ handle: SwiftOdtSession?) { session(handle).stop() }

@_cdecl("swiftodt_session_unlock")
func sessionUnlock(_ handle: SwiftOdtSession?) { session(handle).signals.close() }

@_cdecl("swiftodt_session_notice_caps")
func sessionNoticeCaps(_ handle: SwiftOdtSession?, _ caps: UnsafeMutablePointer<GstCaps>) {
    session(handle).notice(caps)
}

@_cdecl("swiftodt_session_accepts")
func sessionAccepts(_ handle: SwiftOdtSession?, _ caps: UnsafeMutablePointer<GstCaps>) -> gboolean {
    session(handle).accepts(caps) ? 1 : 0
}

@_cdecl("swiftodt_session_transform_caps")
func sessionTransformCaps(
    _ handle: SwiftOdtSession?, _ direction: GstPadDirection, _ caps: UnsafeMutablePointer<GstCaps>
) -> UnsafeMutablePointer<GstCaps> {
    let negotiation = session(handle).negotiation
    return direction == GST_PAD_SINK ? negotiation.output(for: caps) : negotiation.input(for: caps)
}

@_cdecl("swiftodt_session_preferred_caps")
func sessionPreferredCaps(
    _ handle: SwiftOdtSession?, _ caps: UnsafeMutablePointer<GstCaps>
) -> UnsafeMutablePointer<GstCaps> { session(handle).negotiation.preferred(caps) }

@_cdecl("swiftodt_session_negotiate_overlay")
func sessionNegotiateOverlay(_ handle: SwiftOdtSession?) { session(handle).negotiateOverlay() }

@_cdecl("swiftodt_session_is_passthrough")
func sessionIsPassthrough(_ handle: SwiftOdtSession?) -> gboolean { session(handle).neverWritesBuffers ? 1 : 0 }

@_cdecl("swiftodt_session_submit")
func sessionSubmit(_ handle: SwiftOdtSession?, _ buffer: UnsafeMutablePointer<GstBuffer>) -> GstFlowReturn {
    session(handle).submit(buffer)
}

@_cdecl("swiftodt_session_produce")
func sessionProduce(
    _ handle: SwiftOdtSession?, _ drain: gboolean,
    _ output: UnsafeMutablePointer<UnsafeMutablePointer<GstMiniObject>?>
) -> GstFlowReturn {
    session(handle).produce(draining: drain != 0, into: output)
}

@_cdecl("swiftodt_session_is_frame_next")
func sessionIsFrameNext(_ handle: SwiftOdtSession?) -> gboolean { session(handle).isFrameNext ? 1 : 0 }

@_cdecl("swiftodt_session_has_queued_caps")
func sessionHasQueuedCaps(_ handle: SwiftOdtSession?) -> gboolean { session(handle).hasQueuedCaps ? 1 : 0 }

@_cdecl("swiftodt_session_drop_refused")
func sessionDropRefused(_ handle: SwiftOdtSession?, isEnd: gboolean) {
    session(handle).dropRefused(isEnd: isEnd != 0)
}

@_cdecl("swiftodt_session_check_flow")
func sessionCheckFlow(_ handle: SwiftOdtSession?, _ flow: GstFlowReturn) -> gboolean {
    session(handle).check(flow) ? 1 : 0
}

@_cdecl("swiftodt_session_notice")
func sessionNotice(_ handle: SwiftOdtSession?, _ event: UnsafeMutablePointer<GstEvent>) -> gboolean {
    session(handle).notice(event) ? 1 : 0
}

@_cdecl("swiftodt_session_filter_event")
func sessionFilterEvent(_ handle: SwiftOdtSession?, _ event: UnsafeMutablePointer<GstEvent>)
    -> UnsafeMutablePointer<GstEvent>
{ session(handle).withoutBinaryTags(event) }

@_cdecl("swiftodt_session_latency")
func sessionLatency(_ handle: SwiftOdtSession?, _ live: gboolean) -> GstClockTime {
    session(handle).latency(isLive: live != 0)
}

@_cdecl("swiftodt_session_frames_held")
func sessionFramesHeld(_ handle: SwiftOdtSession?) -> guint { session(handle).framesHeld }

@_cdecl("swiftodt_session_reset_tracks")
func sessionResetTracks(_ handle: SwiftOdtSession?) { session(handle).signals.requestReset() }

@_cdecl("swiftodt_session_detect_now")
func sessionDetectNow(_ handle: SwiftOdtSession?) { session(handle).signals.requestDetection() }
