import CODTGStreamer

/// The GStreamer element of a session. The handle holds no reference to the element, because the element outlives its
/// session.
///
/// `@unchecked Sendable`: all GStreamer functions that are called here are thread-safe.
struct ElementHandle: @unchecked Sendable {
    let element: UnsafeMutablePointer<GstElement>
    let sinkPad: UnsafeMutablePointer<GstPad>
    let sourcePad: UnsafeMutablePointer<GstPad>

    private var object: UnsafeMutablePointer<GstObject> {
        UnsafeMutableRawPointer(element).assumingMemoryBound(to: GstObject.self)
    }

    /// Takes ownership of the message.
    func post(_ message: UnsafeMutablePointer<GstMessage>) {
        gst_element_post_message(element, message)
    }

    /// Whether the application's bus has messages that have not been read. The application's bus is the bus of the
    /// outermost bin. The buses of inner bins forward all messages and hold none.
    var hasPendingMessages: Bool {
        var outermost = object
        gst_object_ref(outermost)
        while let parent = gst_object_get_parent(outermost) {
            gst_object_unref(outermost)
            outermost = parent
        }
        defer { gst_object_unref(outermost) }
        let element = UnsafeMutableRawPointer(outermost).assumingMemoryBound(to: GstElement.self)
        guard let bus = gst_element_get_bus(element) else { return false }
        defer { gst_object_unref(bus) }
        return gst_bus_have_pending(bus) != 0
    }

    /// Takes ownership of the structure.
    func sendUpstream(_ structure: UnsafeMutablePointer<GstStructure>) {
        _ = gst_pad_push_event(sinkPad, gst_event_new_custom(GST_EVENT_CUSTOM_UPSTREAM, structure))
    }

    /// Takes ownership of the structure.
    func elementMessage(_ structure: UnsafeMutablePointer<GstStructure>) -> UnsafeMutablePointer<GstMessage> {
        gst_message_new_element(object, structure)
    }

    /// Sets the controlled properties of the element to their values at a stream time in nanoseconds (see
    /// `GstController`). If the stream time is unknown (`UInt64.max`), the properties are not changed.
    func syncProperties(to streamTime: UInt64) {
        if streamTime != .max { gst_object_sync_values(object, GstClockTime(streamTime)) }
    }

    /// Posts a latency message, which makes the pipeline query the latency again.
    func announceLatency() {
        post(gst_message_new_latency(object))
    }

    /// Returns whether the flow of frames that were pushed because of an event or query is OK. Posts an error if caps
    /// were refused, because the flow cannot be returned to upstream. The element that returns `GST_FLOW_ERROR` has
    /// posted an error itself, and an unlinked pad is no error of this element.
    func check(_ flow: GstFlowReturn) -> Bool {
        if flow.rawValue < GST_FLOW_EOS.rawValue, flow != GST_FLOW_ERROR { fail(.refusedCaps(flow)) }
        return flow == GST_FLOW_OK
    }

    /// Requests another allocation query from the upstream elements.
    func requestAllocation() { _ = gst_pad_push_event(sinkPad, gst_event_new_reconfigure()) }

    func warn(
        _ problem: ElementProblem, file: StaticString = #fileID, function: StaticString = #function, line: Int32 = #line
    ) {
        log(.warning, problem.wholeText, file: file, function: function, line: line)
        post(problem, type: GST_MESSAGE_WARNING, file: file, function: function, line: line)
    }

    func fail(
        _ problem: ElementProblem, file: StaticString = #fileID, function: StaticString = #function, line: Int32 = #line
    ) {
        log(.error, problem.wholeText, file: file, function: function, line: line)
        post(problem, type: GST_MESSAGE_ERROR, file: file, function: function, line: line)
    }

    private func post(
        _ problem: ElementProblem, type: GstMessageType, file: StaticString, function: StaticString, line: Int32
    ) {
        // `gst_element_message_full` takes ownership of both texts.
        gst_element_message_full(
            element, type, problem.domain, problem.code, g_strdup(problem.text),
            problem.detail.flatMap { g_strdup($0) }, file.cString, function.cString, line)
    }
}

extension ElementHandle {
    init(_ base: UnsafeMutablePointer<GstBaseTransform>) {
        self.init(
            element: UnsafeMutableRawPointer(base).assumingMemoryBound(to: GstElement.self),
            sinkPad: base.pointee.sinkpad, sourcePad: base.pointee.srcpad)
    }
}
