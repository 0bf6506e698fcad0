import CODTGStreamer
import GstFrames
import SwiftODT

/// Percent escapes such as `%40` in URIs.
package enum PercentEscapes {
    /// Returns the decoded text; `nil` if an escape lacks two hexadecimal digits, if an escape stands for a zero byte,
    /// or if the result is not UTF-8.
    package static func decoded(_ text: Substring) -> String? {
        guard let decoded = g_uri_unescape_string(String(text), nil) else { return nil }
        defer { g_free(decoded) }
        return String(validatingCString: decoded)
    }

    /// Returns a path in which escapes replace all bytes except ASCII letters, digits, `-._~` and the characters in
    /// `kept`.
    package static func encoded(_ path: String, keeping kept: String? = nil) -> String {
        PathText.withSystemPath(path) { String(freeing: g_uri_escape_string($0, kept, 0)) } ?? path
    }
}
