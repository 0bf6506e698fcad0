import CODTGStreamer
import ODTPlayback
import SwiftODT
import Synchronization

/// Selects the first video stream of a camera and links it. Other streams, such as audio, are not decoded.
enum CameraSource {
    /// Connects callbacks to the decoder's signals. The connections keep the callbacks alive.
    ///
    /// - Parameters:
    ///   - keepsCoded: Whether H.264 and H.265 streams are passed on without decoding.
    ///   - frameTimeout: If no frame arrives for this time in nanoseconds, the camera counts as lost.
    ///   - skipsParsers: Whether the decoder omits its parser, because the stream is parsed already.
    ///   - linkPad: Called before data flows, with the pad and format of the first video stream. `hasLength` is whether
    ///     the duration of the stream is known.
    ///   - refuse: Ends the stream with an error, whose text is the argument.
    static func listen(
        to decoded: Element, keepsCoded: Bool, frameTimeout: Nanoseconds, skipsParsers: Bool = false,
        linkPad: @escaping @Sendable (Pad, StreamKind, _ hasLength: Bool) -> Void,
        refuse: @escaping @Sendable (String) -> Void
    ) {
        let callbacks = DecoderCallbacks(keepsCoded, frameTimeout, linkPad, refuse)
        // `decodebin` lacks the signal `source-setup` of `uridecodebin`, because its source is a separate element of
        // the pipeline.
        decoded.connect("source-setup", isOptional: true) { callbacks.setUp(Element($0.object(1))) }
        decoded.connect("deep-element-added") { call in
            let element = Element(call.object(2))
            // Without this property, decodebin waits for further streams in an MJPEG stream and buffers megabytes
            // meanwhile.
            if element.kind == "multipartdemux" { element.set("single-stream", to: "true") }
        }
        decoded.connect("autoplug-continue") { call in
            g_value_set_boolean(call.result, callbacks.isToBeDecoded(StreamKind(call.caps(2))) ? 1 : 0)
        }
        if skipsParsers {
            decoded.connect("autoplug-select") { call in
                let factory: UnsafeMutablePointer<GstObject> = call.object(3)
                defer { gst_object_unref(factory) }
                let isParser = gst_element_factory_list_is_type(OpaquePointer(factory), parser) != 0
                g_value_set_enum(call.result, isParser ? Selection.skips : Selection.tries)
            }
        }
        decoded.connect("pad-added") { callbacks.linkPad(Pad($0.object(1))) }
        decoded.connect("no-more-pads") { _ in callbacks.check() }
    }

    /// The values of `GstAutoplugSelectResult`, which has no public header.
    private enum Selection { static let (tries, skips): (gint, gint) = (0, 2) }

    /// `GST_ELEMENT_FACTORY_TYPE_PARSER`, a macro that Swift does not import.
    private static let parser = GstElementFactoryListType(1) << 6

    /// The state shared by the handlers of one decoder's signals.
    private final class DecoderCallbacks: Sendable {
        private let keepsCoded: Bool
        private let frameTimeout: Nanoseconds
        private let take: @Sendable (Pad, StreamKind, Bool) -> Void
        private let refuse: @Sendable (String) -> Void
        private let hasVideo = Atomic(false)

        init(
            _ keepsCoded: Bool, _ frameTimeout: Nanoseconds,
            _ take: @escaping @Sendable (Pad, StreamKind, Bool) -> Void,
            _ refuse: @escaping @Sendable (String) -> Void
        ) {
            (self.keepsCoded, self.frameTimeout, self.take, self.refuse) = (keepsCoded, frameTimeout, take, refuse)
        }

        /// By default, the jitter buffer of `rtspsrc` would delay the live page by 2 s. The change from UDP to TCP, by
        /// default after 5 s without packets, must happen before the camera counts as lost.
        func setUp(_ source: Element) {
            guard source.kind == "rtspsrc" else { return }
            source.set("latency", to: "200")
            source.set("timeout", to: "\(min(5_000_000, frameTimeout / 2_000))")
        }

        func isToBeDecoded(_ stream: StreamKind) -> Bool {
            stream.medium == .other && !(keepsCoded && ["video/x-h264", "video/x-h265"].contains(stream.name))
        }

        func linkPad(_ pad: Pad) {
            guard let caps = gst_pad_get_current_caps(pad.pointer) ?? gst_pad_query_caps(pad.pointer, nil) else {
                return
            }
            defer { gst_caps_unref(caps) }
            let stream = StreamKind(caps)
            guard stream.name.hasPrefix("video/") || stream.name.hasPrefix("image/") else { return }
            guard !hasVideo.exchange(true, ordering: .relaxed) else { return }
            var length: gint64 = 0
            take(pad, stream, gst_pad_query_duration(pad.pointer, GST_FORMAT_TIME, &length) != 0 && length > 0)
        }

        func check() {
            if !hasVideo.load(ordering: .relaxed) { refuse("the source contains no video") }
        }
    }
}
