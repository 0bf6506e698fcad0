import CODTGStreamer
import GstFrames
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

extension ODTError.Reason {
    /// Whether the operation fails with every input, because something is missing on the machine or a limit is reached.
    package var concernsEveryInput: Bool { [.runtimeMissing, .tooManyOpenFiles, .outOfResources].contains(self) }
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
    /// details without the location in GStreamer's source code. The generated name of a pipeline is left out.
    package static func of(_ message: UnsafeMutablePointer<GstMessage>) -> String {
        var detail: UnsafeMutablePointer<gchar>?
        var problem = error(of: message, detail: &detail)
        defer { g_free(detail) }
        let lines = detail.map { String(cString: $0).split(separator: "\n").map { withoutRequest(String($0)) } } ?? []
        let source = message.pointee.src
        let text = (isPipeline(source) ? "" : name(of: source) + ": ") + take(&problem)
        return ([text] + lines.dropFirst(lines.first?.contains("): ") == true ? 1 : 0)).joined(separator: "\n")
    }

    /// Returns a line of details without the address and the redirection that souphttpsrc appends:
    /// `Not Found (404), URL: http://camera/1, Redirect to: (NULL)`.
    private static func withoutRequest(_ line: String) -> String {
        guard line.contains(", Redirect to: "), let mark = line.firstRange(of: ", URL: ") else { return line }
        return String(line[..<mark.lowerBound])
    }

    /// Returns the reason of an error or warning of swiftodt, which determines its GStreamer error code.
    package static func reason(of message: UnsafeMutablePointer<GstMessage>) -> ODTError.Reason {
        let error = code(of: message)
        return ErrorCode.all.first { ($0.domain, $0.code) == error }?.reason ?? .failed
    }

    /// The codes of the errors of demuxers, decoders and decodebin about the content of the input.
    private static let contentCodes = [
        GST_STREAM_ERROR_TYPE_NOT_FOUND, GST_STREAM_ERROR_WRONG_TYPE, GST_STREAM_ERROR_DECODE, GST_STREAM_ERROR_DEMUX,
    ].map { Int32($0.rawValue) }

    /// Returns the reason of an error or warning of any element. `fileNotFound` means that the input cannot be read.
    ///
    /// - Parameter lacksDecoder: Whether GStreamer has reported a missing decoder of video or sound. Only some errors can be
    ///   its consequence.
    static func reason(of message: UnsafeMutablePointer<GstMessage>, lacksDecoder: Bool) -> ODTError.Reason {
        let reason = reason(of: message)
        let error = code(of: message)
        let isResource = error.domain == gst_resource_error_quark()
        switch name(of: message.pointee.src) {
        // A file that this element lacks, for example the model, belongs to its settings and not to one input.
        case "swiftodt": return reason == .fileNotFound ? .runtimeMissing : reason
        // The names of the elements that read the input and write the annotated video.
        case "source" where isResource: return .fileNotFound
        case "file" where isResource && error.code == Int32(GST_RESOURCE_ERROR_WRITE.rawValue): return .outOfResources
        default:
            // The pipeline itself posts the errors of ``Pipeline/refuse(_:_:)``.
            let isPipeline = isPipeline(message.pointee.src)
            let isAboutDecoder =
                isPipeline || error.domain == gst_core_error_quark()
                || error == (gst_stream_error_quark(), Int32(GST_STREAM_ERROR_CODEC_NOT_FOUND.rawValue))
            if reason == .outOfResources { return reason }
            if lacksDecoder && isAboutDecoder { return .fileNotFound }
            if isPipeline { return reason }
            let isAboutContent = error.domain == gst_stream_error_quark() && contentCodes.contains(error.code)
            return isAboutContent ? .invalidFile : .failed
        }
    }

    private static func isPipeline(_ object: UnsafeMutablePointer<GstObject>?) -> Bool {
        let instance = UnsafeMutableRawPointer(object)?.assumingMemoryBound(to: GTypeInstance.self)
        return g_type_check_instance_is_a(instance, gst_pipeline_get_type()) != 0
    }

    private static func code(of message: UnsafeMutablePointer<GstMessage>) -> (domain: GQuark, code: Int32) {
        var problem = error(of: message)
        defer { g_clear_error(&problem) }
        return problem.map { ($0.pointee.domain, $0.pointee.code) } ?? (0, 0)
    }

    /// The caller frees the error and the debug details.
    private static func error(
        of message: UnsafeMutablePointer<GstMessage>, detail: UnsafeMutablePointer<UnsafeMutablePointer<gchar>?>? = nil
    ) -> UnsafeMutablePointer<GError>? {
        var error: UnsafeMutablePointer<GError>?
        let isWarning = message.pointee.type == GST_MESSAGE_WARNING
        (isWarning ? gst_message_parse_warning : gst_message_parse_error)(message, &error, detail)
        return error
    }

    static func name(of object: UnsafeMutablePointer<GstObject>?) -> String {
        object.flatMap { String(freeing: gst_object_get_name($0)) } ?? "GStreamer"
    }
}

/// The decoders that GStreamer has reported as missing. Errors and warnings name those since the previous one.
package struct MissingDecoders: Sendable {
    private var names: [String] = []
    /// Whether a decoder of video or sound is among them. Files of other formats contain no video.
    private var includesMedia = false

    package init() {}

    /// Notes the decoder if the message reports a missing one.
    package mutating func note(_ message: UnsafeMutablePointer<GstMessage>) {
        guard let structure = gst_message_get_structure(message),
            MessageFields(structure).name == "missing-plugin", let name = MessageFields(structure).text("name")
        else { return }
        if !names.contains(name) { names.append(name) }
        guard let value = gst_structure_get_value(structure, "detail"), value.pointee.g_type == gst_caps_get_type(),
            let caps = gst_value_get_caps(value)
        else { return }
        let kind = StreamKind(UnsafeMutablePointer(mutating: caps)).name
        if kind.hasPrefix("video/") || kind.hasPrefix("audio/") { includesMedia = true }
    }

    /// Returns the text of an error or warning, which names the missing decoders, and its reason. Forgets their names.
    /// An error can follow a warning about a decoder, so ``includesMedia`` stays.
    package mutating func explained(
        _ message: UnsafeMutablePointer<GstMessage>
    ) -> (text: String, reason: ODTError.Reason) {
        defer { names = [] }
        var text = ErrorText.of(message)
        if !names.isEmpty {
            text +=
                "\nGStreamer has no \(names.joined(separator: ", no ")): install gstreamer1.0-libav (most decoders) "
                + "or gstreamer1.0-plugins-good, -bad or -ugly (others)"
        }
        return (text, ErrorText.reason(of: message, lacksDecoder: includesMedia))
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
                "aacparse", "ac3parse", "dcaparse", "flacdec", "flacenc", "flacparse", "jpegenc", "matroskamux",
                "mp4mux", "mpegaudioparse", "qtmux", "speexdec", "v4l2src", "videocrop", "videoflip", "vp9enc",
                "webmmux",
            ]
        ),
        (
            "gstreamer1.0-plugins-base",
            [
                "audioconvert", "audioresample", "decodebin", "opusenc", "opusparse", "uridecodebin", "videoconvert",
                "vorbisenc", "vorbisparse", "vorbistag",
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
