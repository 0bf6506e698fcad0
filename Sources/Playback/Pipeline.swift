import CGStreamer

/// A pipeline, built from its description as gst-launch-1.0 takes it.
///
///     let pipeline = try Pipeline("videotestsrc num-buffers=90 ! swiftodt name=eyes detector=motion ! fakesink")
///     try pipeline["eyes"].set("multiple-objects", to: "true")
///
/// GStreamer's own locks guard all that is called here.
public final class Pipeline: @unchecked Sendable {
    public let top: UnsafeMutablePointer<GstElement>

    /// - Throws: ``PlaybackError`` that names the element that is missing, and the package that has it.
    public init(_ description: String) throws {
        let context = gst_parse_context_new()
        defer { gst_parse_context_free(context) }
        var problem: UnsafeMutablePointer<GError>?
        let parsed = gst_parse_launch_full(description, context, GST_PARSE_FLAG_FATAL_ERRORS, &problem)
        if let missing = Self.missing(context).first {
            g_clear_error(&problem)
            throw PlaybackError("GStreamer has no element \(missing): \(MissingElement.remedy(for: missing))")
        }
        guard let parsed else { throw PlaybackError("'\(description)' is no pipeline: \(ErrorText.take(&problem))") }
        g_clear_error(&problem)
        gst_object_ref_sink(parsed)
        if g_type_check_instance_is_a(parsed.typeInstance, gst_pipeline_get_type()) != 0 {
            top = parsed
        } else {
            // A single element comes as it is, and has no bus of its own.
            top = gst_pipeline_new(nil)
            gst_object_ref_sink(top)
            gst_bin_add(bin, parsed)
            gst_object_unref(parsed)
        }
    }

    deinit { gst_object_unref(top) }

    /// The element that the description gives this name.
    public subscript(name: String) -> Element { Element(gst_bin_get_by_name(bin, name)!) }

    /// Builds what is described, a chain of elements, within the pipeline; the caller links it and lets it go on
    /// (``Element/followState()``).
    public func add(_ description: String) throws -> Element {
        var problem: UnsafeMutablePointer<GError>?
        let context = gst_parse_context_new()
        defer { gst_parse_context_free(context) }
        let parsed = gst_parse_bin_from_description_full(description, 1, context, GST_PARSE_FLAG_FATAL_ERRORS, &problem)
        if let missing = Self.missing(context).first {
            g_clear_error(&problem)
            throw PlaybackError("GStreamer has no element \(missing): \(MissingElement.remedy(for: missing))")
        }
        guard let parsed else { throw PlaybackError("'\(description)' is no chain: \(ErrorText.take(&problem))") }
        // The bin takes it over; the handle holds on to it, too.
        gst_object_ref_sink(parsed)
        gst_bin_add(bin, parsed)
        return Element(parsed)
    }

    /// Ends the stream with an error, from whatever thread, as if an element had said so.
    public func refuse(_ text: String) {
        let error = g_error_new_literal(gst_core_error_quark(), Int32(GST_CORE_ERROR_FAILED.rawValue), text)
        defer { g_error_free(error) }
        let source = UnsafeMutableRawPointer(top).assumingMemoryBound(to: GstObject.self)
        gst_element_post_message(top, gst_message_new_error(source, error, nil))
    }

    var bin: UnsafeMutablePointer<GstBin> { UnsafeMutableRawPointer(top).assumingMemoryBound(to: GstBin.self) }

    private static func missing(_ context: OpaquePointer?) -> [String] {
        guard let names = gst_parse_context_get_missing_elements(context) else { return [] }
        defer { g_strfreev(names) }
        var list: [String] = []
        while let name = names[list.count] { list.append(String(cString: name)) }
        return list
    }
}

extension UnsafeMutablePointer<GstElement> {
    /// As GLib's type system looks at it.
    var typeInstance: UnsafeMutablePointer<GTypeInstance> {
        UnsafeMutableRawPointer(self).assumingMemoryBound(to: GTypeInstance.self)
    }
}
