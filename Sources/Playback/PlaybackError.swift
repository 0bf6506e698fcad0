import CGStreamer

/// An error of playing or writing media. The text names a remedy if one is known.
package struct PlaybackError: Error, CustomStringConvertible, Sendable {
    package let description: String
    /// Whether the cause is invalid input from the user, for example an unknown property or a value out of range.
    package let isUsage: Bool

    package init(_ description: String, isUsage: Bool = false) {
        self.description = description
        self.isUsage = isUsage
    }
}

/// Converts errors of GLib and GStreamer to text.
package enum ErrorText {
    /// Returns the text of an error and frees the error.
    static func take(_ problem: inout UnsafeMutablePointer<GError>?) -> String {
        guard let error = problem else { return "unknown error" }
        defer { g_clear_error(&problem) }
        return String(cString: error.pointee.message)
    }

    /// Returns the text of an error or warning message. It consists of the element's name, the message, and the debug
    /// details without the location in GStreamer's source code.
    package static func of(_ message: UnsafeMutablePointer<GstMessage>, isWarning: Bool = false) -> String {
        var problem: UnsafeMutablePointer<GError>?
        var detail: UnsafeMutablePointer<gchar>?
        if isWarning {
            gst_message_parse_warning(message, &problem, &detail)
        } else {
            gst_message_parse_error(message, &problem, &detail)
        }
        defer { g_free(detail) }
        let lines = detail.map { String(cString: $0).split(separator: "\n").map(String.init) } ?? []
        let text = name(of: message.pointee.src) + ": " + take(&problem)
        return ([text] + lines.dropFirst(lines.first?.contains("): ") == true ? 1 : 0)).joined(separator: "\n")
    }

    static func name(of object: UnsafeMutablePointer<GstObject>?) -> String {
        guard let object, let name = gst_object_get_name(object) else { return "GStreamer" }
        defer { g_free(name) }
        return String(cString: name)
    }
}
