import CODTGStreamer
import ODTPlayback
import SwiftODT
import Synchronization

/// Selects the first video stream of a camera and links it. Other streams, such as audio, are not decoded.
enum CameraSource {
    /// Connects callbacks to the decoder's signals. The signals keep the callbacks alive.
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
        connect(decoded, "source-setup", sourceSetUp, callbacks)
        connect(decoded, "deep-element-added", elementAdded, callbacks)
        connect(decoded, "autoplug-continue", decodes, callbacks)
        if skipsParsers { connect(decoded, "autoplug-select", selected, callbacks) }
        connect(decoded, "pad-added", padAdded, callbacks)
        connect(decoded, "no-more-pads", complete, callbacks)
    }

    /// The state shared by the handlers of one decoder's signals. The signal connections retain it.
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

    // MARK: Callbacks of the decoder

    private typealias SetUp = @convention(c) (gpointer, UnsafeMutablePointer<GstElement>, gpointer) -> Void
    private typealias ElementAdded =
        @convention(c) (gpointer, gpointer, UnsafeMutablePointer<GstElement>, gpointer) -> Void
    private typealias Continue =
        @convention(c) (gpointer, UnsafeMutablePointer<GstPad>, UnsafeMutablePointer<GstCaps>, gpointer) -> gboolean
    private typealias Select =
        @convention(c) (
            gpointer, UnsafeMutablePointer<GstPad>, UnsafeMutablePointer<GstCaps>, OpaquePointer, gpointer
        ) -> gint
    private typealias Added = @convention(c) (gpointer, UnsafeMutablePointer<GstPad>, gpointer) -> Void
    private typealias Complete = @convention(c) (gpointer, gpointer) -> Void

    private static let sourceSetUp = unsafeBitCast(
        { _, source, callbacks in
            gst_object_ref(source)
            Unmanaged<DecoderCallbacks>.fromOpaque(callbacks).takeUnretainedValue().setUp(Element(source))
        } as SetUp, to: GCallback.self)

    private static let elementAdded = unsafeBitCast(
        { _, _, element, _ in
            gst_object_ref(element)
            let element = Element(element)
            // Without this property, decodebin waits for further streams in an MJPEG stream and buffers megabytes
            // meanwhile.
            if element.kind == "multipartdemux" { element.set("single-stream", to: "true") }
        } as ElementAdded, to: GCallback.self)

    private static let decodes = unsafeBitCast(
        { _, _, caps, callbacks in
            Unmanaged<DecoderCallbacks>.fromOpaque(callbacks).takeUnretainedValue().isToBeDecoded(StreamKind(caps))
                ? 1 : 0
        } as Continue, to: GCallback.self)

    /// The values of `GstAutoplugSelectResult`, which has no public header.
    private enum Selection { static let (tries, skips): (gint, gint) = (0, 2) }

    /// `GST_ELEMENT_FACTORY_TYPE_PARSER`, a macro that Swift does not import.
    private static let parser = GstElementFactoryListType(1) << 6

    private static let selected = unsafeBitCast(
        { _, _, _, factory, _ in
            gst_element_factory_list_is_type(factory, parser) != 0
                ? Selection.skips : Selection.tries
        } as Select, to: GCallback.self)

    private static let padAdded = unsafeBitCast(
        { _, pad, callbacks in
            gst_object_ref(pad)
            Unmanaged<DecoderCallbacks>.fromOpaque(callbacks).takeUnretainedValue().linkPad(Pad(pad))
        } as Added, to: GCallback.self)

    private static let complete = unsafeBitCast(
        { _, callbacks in Unmanaged<DecoderCallbacks>.fromOpaque(callbacks).takeUnretainedValue().check() } as Complete,
        to: GCallback.self)

    private static func connect(
        _ decoded: Element, _ signal: String, _ callback: GCallback, _ callbacks: DecoderCallbacks
    ) {
        // Not every decoder has all signals: `decodebin` lacks the signal `source-setup` of `uridecodebin`, because its
        // source is a separate element of the pipeline.
        guard g_signal_lookup(signal, decoded.pointer.kind) != 0 else { return }
        g_signal_connect_data(
            decoded.gobject, signal, callback, Unmanaged.passRetained(callbacks).toOpaque(),
            { callbacks, _ in if let callbacks { Unmanaged<DecoderCallbacks>.fromOpaque(callbacks).release() } },
            GConnectFlags(0))
    }
}

extension UnsafeMutablePointer<GstElement> {
    fileprivate var kind: GType {
        UnsafeMutableRawPointer(self).assumingMemoryBound(to: GTypeInstance.self).pointee.g_class.pointee.g_type
    }
}
