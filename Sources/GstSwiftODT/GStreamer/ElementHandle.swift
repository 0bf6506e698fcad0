import CGStreamer
import SwiftODT

/// The GStreamer element of a session, for posting messages and querying upstream.
///
/// `@unchecked Sendable`: the element outlives its session, so nothing is retained, and all functions called here are
/// thread-safe in GStreamer.
struct ElementHandle: @unchecked Sendable {
    let base: UnsafeMutablePointer<GstBaseTransform>

    init(_ base: UnsafeMutablePointer<GstBaseTransform>) { self.base = base }

    private var element: UnsafeMutablePointer<GstElement> {
        UnsafeMutableRawPointer(base).assumingMemoryBound(to: GstElement.self)
    }

    private var object: UnsafeMutablePointer<GstObject> {
        UnsafeMutableRawPointer(base).assumingMemoryBound(to: GstObject.self)
    }

    /// Posts a message and takes ownership of it.
    func post(_ message: UnsafeMutablePointer<GstMessage>) {
        gst_element_post_message(element, message)
    }

    /// Returns whether messages are pending on the application's bus, which is that of the outermost bin. Buses of
    /// inner bins forward all messages and hold none.
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

    /// Creates an element message and takes ownership of the structure.
    func elementMessage(_ structure: UnsafeMutablePointer<GstStructure>) -> UnsafeMutablePointer<GstMessage> {
        gst_message_new_element(object, structure)
    }

    /// Lets GStreamer controllers set the properties for a frame. Without a stream time they are unchanged.
    func syncProperties(to streamTime: UInt64) {
        if streamTime != .max { gst_object_sync_values(object, GstClockTime(streamTime)) }
    }

    /// Posts a latency message.
    func announceLatency() {
        post(gst_message_new_latency(object))
    }

    /// Returns whether upstream is live; `nil` if the latency query fails, such as before a decoder has negotiated.
    func isUpstreamLive() -> Bool? {
        guard let query = gst_query_new_latency() else { return nil }
        defer { gst_mini_object_unref(UnsafeMutableRawPointer(query).assumingMemoryBound(to: GstMiniObject.self)) }
        guard gst_pad_peer_query(base.pointee.sinkpad, query) != 0 else { return nil }
        var live: gboolean = 0
        gst_query_parse_latency(query, &live, nil, nil)
        return live != 0
    }

    /// Returns what upstream elements have already applied of the orientation tag.
    func turnsUpstream(tagged: Orientation) -> UpstreamOrientation {
        tagged == .identity ? UpstreamOrientation() : UpstreamOrientation(before: base.pointee.sinkpad, tagged: tagged)
    }

    /// Posts a warning; the stream continues.
    func warn(
        _ problem: ElementProblem, file: StaticString = #fileID, function: StaticString = #function, line: Int32 = #line
    ) {
        log(.warning, problem.wholeText, file: file, function: function, line: line)
        post(problem, type: GST_MESSAGE_WARNING, file: file, function: function, line: line)
    }

    /// Posts an error, which ends the stream.
    func fail(
        _ problem: ElementProblem, file: StaticString = #fileID, function: StaticString = #function, line: Int32 = #line
    ) {
        log(.error, problem.wholeText, file: file, function: function, line: line)
        post(problem, type: GST_MESSAGE_ERROR, file: file, function: function, line: line)
    }

    private func post(
        _ problem: ElementProblem, type: GstMessageType, file: StaticString, function: StaticString, line: Int32
    ) {
        // The function takes ownership of both texts.
        gst_element_message_full(
            element, type, problem.domain, problem.code, g_strdup(problem.text),
            problem.detail.map { g_strdup($0) } ?? nil, file.cString, function.cString, line)
    }
}
