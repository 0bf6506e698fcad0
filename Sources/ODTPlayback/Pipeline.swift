import CODTGStreamer
import Glibc
import GstFrames
import SwiftODT

/// A pipeline that is built from a description in the syntax of `gst-launch-1.0`.
///
///     let pipeline = try Pipeline("videotestsrc num-buffers=90 ! swiftodt name=odt detector=motion ! fakesink")
///     try pipeline["odt"].set("multiple-objects", to: "true")
///
/// `@unchecked Sendable`: GStreamer's own locks synchronise all functions that this class calls.
package final class Pipeline: @unchecked Sendable {
    package let top: UnsafeMutablePointer<GstElement>

    /// - Parameter isFromUser: Whether the user has written the description, so that an error in it is invalid input.
    /// - Throws: ``PlaybackError`` if the description is invalid or an element is missing. For a missing element, the
    ///   text names the Debian package.
    package init(_ description: String, isFromUser: Bool = false) throws {
        let parsed = try Self.parse(description, as: "pipeline", isFromUser: isFromUser) {
            gst_parse_launch_full(description, $0, GST_PARSE_FLAG_FATAL_ERRORS, &$1)
        }
        if g_type_check_instance_is_a(parsed.typeInstance, gst_pipeline_get_type()) != 0 {
            top = parsed
        } else {
            // For a description of a single element, the parser returns the element without a pipeline. Only a pipeline
            // has a bus.
            top = gst_pipeline_new(nil)
            gst_object_ref_sink(top)
            gst_bin_add(bin, parsed)
            gst_object_unref(parsed)
        }
    }

    deinit { gst_object_unref(top) }

    /// The element must exist.
    package subscript(name: String) -> Element { Element(gst_bin_get_by_name(bin, name)!) }

    /// Calls a function for each message on the thread that posts the message. Replaces an earlier function.
    ///
    /// - Parameter body: Returns whether the message is queued on the bus. If not, it takes ownership of the message.
    package func interceptMessages(_ body: @escaping @Sendable (UnsafeMutablePointer<GstMessage>) -> Bool) {
        guard let bus = gst_element_get_bus(top) else { return }
        defer { gst_object_unref(bus) }
        gst_bus_set_sync_handler(
            bus,
            { _, message, context in
                guard let message, let context else { return GST_BUS_PASS }
                let interceptor = Unmanaged<MessageInterceptor>.fromOpaque(context).takeUnretainedValue()
                return interceptor.body(message) ? GST_BUS_PASS : GST_BUS_DROP
            }, Unmanaged.passRetained(MessageInterceptor(body)).toOpaque(),
            { context in if let context { Unmanaged<MessageInterceptor>.fromOpaque(context).release() } })
    }

    private final class MessageInterceptor: Sendable {
        let body: @Sendable (UnsafeMutablePointer<GstMessage>) -> Bool

        init(_ body: @escaping @Sendable (UnsafeMutablePointer<GstMessage>) -> Bool) { self.body = body }
    }

    /// Builds a chain of elements from a description and adds it to the pipeline as a bin. The caller links the bin and
    /// starts it with ``Element/followState()``.
    package func add(_ description: String) throws -> Element {
        let parsed = try Self.parse(description, as: "chain of elements") {
            gst_parse_bin_from_description_full(description, 1, $0, GST_PARSE_FLAG_FATAL_ERRORS, &$1)
        }
        // The pipeline's bin holds one reference, and the returned ``Element`` holds another one.
        gst_bin_add(bin, parsed)
        return Element(parsed)
    }

    /// Keeps further data out of the decodebins, and waits until data has left them. decodebin of GStreamer 1.22
    /// crashes if it is stopped while it adds an element.
    ///
    /// - Parameter time: The maximum time to wait in nanoseconds. A full queue can hold data in a decodebin.
    func isolateDecoders(within time: Nanoseconds) {
        let deadline = MonotonicClock.now + time
        for sink in decoders.compactMap({ $0.pad("sink") }) {
            let pad = sink.pointer
            g_mutex_lock(&pad.pointee.object.lock)
            pad.pointee.object.flags |= GST_PAD_FLAG_FLUSHING.rawValue
            g_mutex_unlock(&pad.pointee.object.lock)
            // A thread that pushes data through the pad holds this lock. It can hold the lock for long, so this thread
            // does not block on it.
            while g_rec_mutex_trylock(&pad.pointee.stream_rec_lock) == 0 {
                guard MonotonicClock.now < deadline else { return }
                usleep(2_000)
            }
            g_rec_mutex_unlock(&pad.pointee.stream_rec_lock)
        }
    }

    /// Returns the kind of a demuxer that has stopped reading a file without finding a stream; `nil` if there is none.
    ///
    /// Usually, the demuxer also posts an error. decodebin of GStreamer 1.22 drops the error if it is posted while
    /// decodebin still adds the demuxer, and then waits forever for a stream. The demuxer reads the file in its own
    /// task, which runs while it waits for data. A task that is paused before there is a source pad is never resumed.
    func demuxerWithoutStreams() -> String? {
        // A pipeline that plays needs no further checks.
        let change = gst_element_get_state(top, nil, nil, 0)
        guard change == GST_STATE_CHANGE_ASYNC || change == GST_STATE_CHANGE_FAILURE else { return nil }
        for decoder in decoders {
            let decoderBin = UnsafeMutableRawPointer(decoder.pointer).assumingMemoryBound(to: GstBin.self)
            for element in Self.elements(of: gst_bin_iterate_elements(decoderBin)) {
                guard let sink = element.pad("sink"), gst_pad_get_task_state(sink.pointer) == GST_TASK_PAUSED,
                    gst_element_foreach_src_pad(element.pointer, { _, _, _ in 1 }, nil) == 0
                else { continue }
                return element.kind
            }
        }
        return nil
    }

    private var decoders: [Element] { Self.elements(of: gst_bin_iterate_all_by_element_factory_name(bin, "decodebin")) }

    /// Frees the iterator. If elements are added or removed meanwhile, some are missing.
    private static func elements(of iterator: UnsafeMutablePointer<GstIterator>?) -> [Element] {
        defer { gst_iterator_free(iterator) }
        var (elements, value) = ([Element](), GValue())
        while gst_iterator_next(iterator, &value) == GST_ITERATOR_OK {
            if let object = g_value_dup_object(&value) {
                elements.append(Element(UnsafeMutableRawPointer(object).assumingMemoryBound(to: GstElement.self)))
            }
            g_value_unset(&value)
        }
        return elements
    }

    /// Posts an error message on the bus, as an element does. The player then ends the stream. May be called on any
    /// thread.
    package func refuse(_ text: String, _ reason: ODTError.Reason = .failed) {
        let known = ErrorCode.of(reason)
        let error = g_error_new_literal(
            known?.domain ?? gst_core_error_quark(), known?.code ?? Int32(GST_CORE_ERROR_FAILED.rawValue), text)
        defer { g_error_free(error) }
        let source = UnsafeMutableRawPointer(top).assumingMemoryBound(to: GstObject.self)
        gst_element_post_message(top, gst_message_new_error(source, error, nil))
    }

    var bin: UnsafeMutablePointer<GstBin> { UnsafeMutableRawPointer(top).assumingMemoryBound(to: GstBin.self) }

    /// Parses a description. The caller owns the result.
    ///
    /// - Parameter call: Calls one of GStreamer's functions.
    private static func parse(
        _ description: String, as kind: String, isFromUser: Bool = false,
        by call: (OpaquePointer?, inout UnsafeMutablePointer<GError>?) -> UnsafeMutablePointer<GstElement>?
    ) throws -> UnsafeMutablePointer<GstElement> {
        // GStreamer reads a description only up to the first NUL character.
        guard !description.utf8.contains(0) else {
            throw PlaybackError("a \(kind) contains a NUL character; remove it", isUsage: true)
        }
        let context = gst_parse_context_new()
        defer { gst_parse_context_free(context) }
        var problem: UnsafeMutablePointer<GError>?
        defer { g_clear_error(&problem) }
        let parsed = call(context, &problem)
        // The list also contains elements that exist, but have no property of this name.
        let isMissing = problem.map { $0.pointee.code == Int32(GST_PARSE_ERROR_NO_SUCH_ELEMENT.rawValue) } ?? false
        if isMissing, let missing = Self.missing(context).first {
            throw PlaybackError(
                "GStreamer has no element \(missing): \(MissingElement.remedy(for: missing))", .runtimeMissing)
        }
        guard let parsed else {
            throw PlaybackError(
                "'\(description)' is not a valid \(kind): \(ErrorText.take(&problem))", isUsage: isFromUser)
        }
        gst_object_ref_sink(parsed)
        return parsed
    }

    private static func missing(_ context: OpaquePointer?) -> [String] {
        guard let names = gst_parse_context_get_missing_elements(context) else { return [] }
        defer { g_strfreev(names) }
        var list: [String] = []
        while let name = names[list.count] { list.append(String(cString: name)) }
        return list
    }
}

extension UnsafeMutablePointer<GstElement> {
    var typeInstance: UnsafeMutablePointer<GTypeInstance> {
        UnsafeMutableRawPointer(self).assumingMemoryBound(to: GTypeInstance.self)
    }
}
