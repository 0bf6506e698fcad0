import CGStreamer

/// Text representations of GStreamer values for the log.
enum GstText {
    static func of(_ caps: UnsafePointer<GstCaps>?) -> String {
        guard let caps, let text = gst_caps_to_string(caps) else { return "none" }
        defer { g_free(text) }
        return String(cString: text)
    }

    static func of(_ value: UnsafePointer<GValue>) -> String {
        guard let text = gst_value_serialize(value) else { return "nothing" }
        defer { g_free(text) }
        return String(cString: text)
    }

    static var version: String {
        guard let text = gst_version_string() else { return "GStreamer" }
        defer { g_free(text) }
        return String(cString: text)
    }
}
