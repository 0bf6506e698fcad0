import CODTGStreamer
import SwiftODT
import Testing

@testable import ODTPlayback

/// The reason of a failure determines the exit code of `odt`.
@Suite struct PlaybackErrorTests {
    init() { gst_init(nil, nil) }

    /// Returns the text and the reason of an error of the named element, after a report of a missing decoder.
    private func explained(
        _ name: String, _ domain: GQuark, _ code: UInt32, lacking format: String? = nil, followsWarning: Bool = false,
        detail: String = ""
    ) throws -> (text: String, reason: ODTError.Reason) {
        let element = try #require(gst_element_factory_make("identity", name))
        gst_object_ref_sink(element)
        defer { gst_object_unref(element) }
        let source = UnsafeMutableRawPointer(element).assumingMemoryBound(to: GstObject.self)
        var missing = MissingDecoders()
        if let format {
            let text =
                "missing-plugin, type=(string)decoder, name=(string)\"Odd decoder\", detail=(GstCaps)\"\(format)\""
            let structure = try #require(gst_structure_from_string(text, nil))
            let report = try #require(gst_message_new_element(source, structure))
            defer { gst_message_unref(report) }
            missing.note(report)
        }
        let error = g_error_new_literal(domain, Int32(code), "it failed")
        defer { g_error_free(error) }
        if followsWarning {
            let warning = try #require(gst_message_new_warning(source, error, nil))
            defer { gst_message_unref(warning) }
            #expect(missing.explained(warning).text.contains("Odd decoder"))
        }
        let message = try #require(gst_message_new_error(source, error, detail))
        defer { gst_message_unref(message) }
        return missing.explained(message)
    }

    @Test func errorsOfTheInputDifferFromThoseOfTheMachine() throws {
        let (resource, library) = (gst_resource_error_quark(), gst_library_error_quark())
        for (name, domain, code, reason) in [
            ("swiftodt", resource, GST_RESOURCE_ERROR_NOT_FOUND.rawValue, .runtimeMissing),
            ("swiftodt", library, GST_LIBRARY_ERROR_INIT.rawValue, .runtimeMissing),
            ("swiftodt", resource, GST_RESOURCE_ERROR_NO_SPACE_LEFT.rawValue, .outOfResources),
            ("swiftodt", resource, GST_RESOURCE_ERROR_READ.rawValue, .invalidFile),
            ("swiftodt", library, GST_LIBRARY_ERROR_FAILED.rawValue, .redactionNotGuaranteed),
            ("encoder", library, GST_LIBRARY_ERROR_FAILED.rawValue, .failed),
            ("source", resource, GST_RESOURCE_ERROR_READ.rawValue, .fileNotFound),
            ("file", resource, GST_RESOURCE_ERROR_WRITE.rawValue, .outOfResources),
            ("decoder", resource, GST_RESOURCE_ERROR_READ.rawValue, .failed),
            ("source", gst_stream_error_quark(), GST_STREAM_ERROR_FAILED.rawValue, .failed),
            ("decoded", gst_stream_error_quark(), GST_STREAM_ERROR_TYPE_NOT_FOUND.rawValue, .invalidFile),
            ("demuxer", gst_stream_error_quark(), GST_STREAM_ERROR_DEMUX.rawValue, .invalidFile),
        ] as [(String, GQuark, UInt32, ODTError.Reason)] {
            let found = try explained(name, domain, code)
            #expect(found.reason == reason && found.text == "\(name): it failed", "\(name) \(code)")
        }
    }

    @Test func errorOfSourceOmitsRequest() throws {
        let found = try explained(
            "source", gst_resource_error_quark(), GST_RESOURCE_ERROR_NOT_FOUND.rawValue,
            detail: "gstsouphttpsrc.c(1724): parse (): /GstPipeline:p/source:\n"
                + "Service Unavailable (503), URL: http://camera/1, Redirect to: (NULL)")
        #expect(found.text == "source: it failed\nService Unavailable (503)")
    }

    @Test func missingDecodersAreNamed() throws {
        for (format, reason) in [
            ("video/x-odd", .fileNotFound), ("audio/x-odd", .fileNotFound), ("application/zip", .failed),
        ] as [(String, ODTError.Reason)] {
            let found = try explained(
                "decoded", gst_core_error_quark(), GST_CORE_ERROR_MISSING_PLUGIN.rawValue, lacking: format)
            #expect(found.reason == reason)
            #expect(found.text.contains("GStreamer has no Odd decoder: install gstreamer1.0-libav"))
        }
        let late = try explained(
            "decoded", gst_core_error_quark(), GST_CORE_ERROR_MISSING_PLUGIN.rawValue, lacking: "video/x-odd",
            followsWarning: true)
        #expect(late.reason == .fileNotFound && !late.text.contains("Odd decoder"))
        let damaged = try explained(
            "decoder", gst_stream_error_quark(), GST_STREAM_ERROR_DECODE.rawValue, lacking: "audio/x-odd")
        #expect(damaged.reason == .invalidFile)
        let model = try explained(
            "swiftodt", gst_resource_error_quark(), GST_RESOURCE_ERROR_NOT_FOUND.rawValue, lacking: "audio/x-odd")
        #expect(model.reason == .runtimeMissing)
    }
}
