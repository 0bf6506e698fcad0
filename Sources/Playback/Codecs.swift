import CGStreamer

/// Lists the decoders and encoders that are installed for a codec.
///
///     Codecs.encoders(to: "video/x-h264")    // ["x264enc"]
public enum Codecs {
    /// Returns the names of the decoder elements that accept these caps, highest rank first.
    public static func decoders(of caps: String) -> [String] { elements(Kind.decoder, taking: caps, GST_PAD_SINK) }

    /// Returns the names of the encoder elements that produce these caps, highest rank first.
    public static func encoders(to caps: String) -> [String] { elements(Kind.encoder, taking: caps, GST_PAD_SRC) }

    private static func elements(
        _ kind: GstElementFactoryListType, taking text: String, _ direction: GstPadDirection
    ) -> [String] {
        guard let caps = gst_caps_from_string(text) else { return [] }
        defer { gst_caps_unref(caps) }
        let all = gst_element_factory_list_get_elements(kind, GST_RANK_MARGINAL)
        defer { gst_plugin_feature_list_free(all) }
        let fitting = gst_element_factory_list_filter(all, caps, direction, 0)
        defer { gst_plugin_feature_list_free(fitting) }
        return sequence(first: fitting, next: { $0?.pointee.next }).prefix { $0 != nil }
            .compactMap { $0?.pointee.data }
            .map { ErrorText.name(of: $0.assumingMemoryBound(to: GstObject.self)) }
    }

    /// Values of GStreamer's `GST_ELEMENT_FACTORY_TYPE_...` macros, which Swift does not import.
    private enum Kind {
        static let decoder: GstElementFactoryListType = 1 << 0
        static let encoder: GstElementFactoryListType = 1 << 1
    }
}
