import CODTGStreamer
import CSwiftODTElement

// Implements the functions of CShims/CSwiftODTElement/include/swiftodt-gate.h.

private func session(_ handle: SwiftOdtGateSession?) -> GateSession {
    Unmanaged<GateSession>.fromOpaque(handle!).takeUnretainedValue()
}

@_cdecl("swiftodt_gate_install_properties")
func gateInstallProperties(_ objectClass: UnsafeMutablePointer<GObjectClass>) {
    for (place, property) in GateSettings.properties.enumerated() {
        g_object_class_install_property(objectClass, guint(place + 1), property.makeSpec())
    }
}

@_cdecl("swiftodt_gate_session_new")
func gateSessionNew(_ element: UnsafeMutablePointer<GstSwiftOdtGate>) -> SwiftOdtGateSession? {
    let handle = ElementHandle(
        element: UnsafeMutableRawPointer(element).assumingMemoryBound(to: GstElement.self),
        sinkPad: element.pointee.sinkpad, sourcePad: element.pointee.srcpad)
    return Unmanaged.passRetained(GateSession(element: handle)).toOpaque()
}

@_cdecl("swiftodt_gate_session_free")
func gateSessionFree(_ handle: SwiftOdtGateSession?) {
    guard let handle else { return }
    Unmanaged<GateSession>.fromOpaque(handle).release()
}

@_cdecl("swiftodt_gate_session_set_property")
func gateSessionSetProperty(_ handle: SwiftOdtGateSession?, _ id: UInt32, _ value: UnsafePointer<GValue>) {
    session(handle).set(id, to: value)
}

@_cdecl("swiftodt_gate_session_get_property")
func gateSessionGetProperty(_ handle: SwiftOdtGateSession?, _ id: UInt32, _ value: UnsafeMutablePointer<GValue>) {
    session(handle).get(id, into: value)
}

@_cdecl("swiftodt_gate_session_start")
func gateSessionStart(_ handle: SwiftOdtGateSession?) { session(handle).start() }

@_cdecl("swiftodt_gate_session_stop")
func gateSessionStop(_ handle: SwiftOdtGateSession?) { session(handle).stop() }

@_cdecl("swiftodt_gate_session_accepts")
func gateSessionAccepts(_ handle: SwiftOdtGateSession?, _ caps: UnsafeMutablePointer<GstCaps>) -> gboolean {
    session(handle).accepts(caps) ? 1 : 0
}

@_cdecl("swiftodt_gate_session_push")
func gateSessionPush(_ handle: SwiftOdtGateSession?, _ buffer: UnsafeMutablePointer<GstBuffer>) -> GstFlowReturn {
    session(handle).push(buffer)
}

@_cdecl("swiftodt_gate_session_notice")
func gateSessionNotice(_ handle: SwiftOdtGateSession?, _ event: UnsafeMutablePointer<GstEvent>) {
    session(handle).notice(event)
}

@_cdecl("swiftodt_gate_session_drain")
func gateSessionDrain(_ handle: SwiftOdtGateSession?) -> gboolean { session(handle).interrupt(.streamChange) ? 1 : 0 }

@_cdecl("swiftodt_gate_session_notice_upstream")
func gateSessionNoticeUpstream(_ handle: SwiftOdtGateSession?, _ event: UnsafeMutablePointer<GstEvent>) {
    session(handle).noticeUpstream(event)
}

@_cdecl("swiftodt_gate_session_open")
func gateSessionOpen(_ handle: SwiftOdtGateSession?) { session(handle).requestOpening() }
