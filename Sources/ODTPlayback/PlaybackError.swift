import CODTGStreamer
import SwiftODT

/// The text names a remedy if one is known.
package struct PlaybackError: Error, CustomStringConvertible, Sendable {
    package let description: String
    package let reason: ODTError.Reason

    package init(_ description: String, _ reason: ODTError.Reason = .failed) {
        self.description = description
        self.reason = reason
    }

    /// - Parameter isUsage: whether the cause is invalid input from the user, for example an unknown property or a
    ///   value out of range.
    package init(_ description: String, isUsage: Bool) { self.init(description, isUsage ? .invalidOption : .failed) }

    package var isUsage: Bool { reason == .invalidOption }
}

extension ODTError {
    /// Keeps the reason of a ``PlaybackError`` and of an `ODTError`. Any other error has the reason `failed`.
    package init(playback error: any Error) {
        self = (error as? PlaybackError).map { ODTError($0.reason, $0.description) } ?? ODTError(error)
    }
}

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

    /// Returns the reason of an error message of swiftodt, which determines its GStreamer error code.
    package static func reason(of message: UnsafeMutablePointer<GstMessage>) -> ODTError.Reason {
        var problem: UnsafeMutablePointer<GError>?
        gst_message_parse_error(message, &problem, nil)
        defer { g_clear_error(&problem) }
        guard let error = problem?.pointee else { return .failed }
        func isError(_ domain: GQuark, _ code: UInt32) -> Bool { error.domain == domain && error.code == Int32(code) }
        let (resource, library) = (gst_resource_error_quark(), gst_library_error_quark())
        if isError(resource, GST_RESOURCE_ERROR_NOT_FOUND.rawValue) { return .fileNotFound }
        if isError(resource, GST_RESOURCE_ERROR_READ.rawValue) { return .invalidFile }
        if isError(resource, GST_RESOURCE_ERROR_SETTINGS.rawValue) { return .unsupported }
        if isError(resource, GST_RESOURCE_ERROR_OPEN_READ.rawValue) { return .tooManyOpenFiles }
        if isError(resource, GST_RESOURCE_ERROR_NO_SPACE_LEFT.rawValue) { return .tooLittleMemory }
        if isError(library, GST_LIBRARY_ERROR_INIT.rawValue) { return .runtimeMissing }
        return isError(library, GST_LIBRARY_ERROR_SETTINGS.rawValue) ? .invalidOption : .failed
    }

    static func name(of object: UnsafeMutablePointer<GstObject>?) -> String {
        object.flatMap { String(freeing: gst_object_get_name($0)) } ?? "GStreamer"
    }
}

enum MissingElement {
    private static let packages: [(package: String, elements: Set<String>)] = [
        ("gstreamer1.0-plugins-ugly", ["x264enc"]),
        ("gstreamer1.0-libav", ["avenc_aac"]),
        ("gstreamer1.0-plugins-bad", ["h264parse", "openh264enc", "voaacenc"]),
        (
            "gstreamer1.0-plugins-good",
            [
                "aacparse", "jpegenc", "matroskamux", "mp4mux", "mpegaudioparse", "qtmux", "v4l2src", "videocrop",
                "videoflip", "vp8enc", "webmmux",
            ]
        ),
        (
            "gstreamer1.0-plugins-base",
            [
                "audioconvert", "audioresample", "decodebin", "opusenc", "opusparse", "uridecodebin", "videoconvert",
                "vorbisenc",
            ]
        ),
    ]

    static func remedy(for element: String) -> String {
        if element == "swiftodt" {
            return "install gstreamer1.0-swiftodt, or run Pipelines/setup --install in its checkout"
        }
        guard let package = packages.first(where: { $0.elements.contains(element) })?.package else {
            return "gst-inspect-1.0 lists the installed elements"
        }
        return "install its Debian package: apt install \(package)"
    }
}
