import CGStreamer

/// Checks that a stream consists of parsed access units, in which one buffer is one frame and key frames are marked.
enum GateCaps {
    private static let types = [
        "video/x-h264": (parser: "h264parse", alignment: "au"), "video/x-h265": (parser: "h265parse", alignment: "au"),
        "video/x-av1": (parser: "av1parse", alignment: "tu"),
    ]

    /// Returns `nil` for caps that describe parsed access units.
    static func problem(with caps: UnsafeMutablePointer<GstCaps>) -> ElementProblem? {
        guard let structure = gst_caps_get_structure(caps, 0), let name = gst_structure_get_name(structure) else {
            return missingParser
        }
        let type = String(cString: name)
        guard let wanted = types[type] else { return missingParser }
        var isParsed: gboolean = 0
        gst_structure_get_boolean(structure, "parsed", &isParsed)
        let alignment = gst_structure_get_string(structure, "alignment").map { String(cString: $0) }
        guard isParsed == 0 || alignment != wanted.alignment else { return nil }
        let fault =
            isParsed == 0
            ? "is not parsed" : "has alignment=\(alignment ?? "unknown") instead of alignment=\(wanted.alignment)"
        return .format(
            "the stream \(type) \(fault); put \(wanted.parser) before swiftodtgate",
            detail: "the caps are \(GstText.of(caps))")
    }

    /// The caps must have no ``problem(with:)``.
    static func format(_ caps: UnsafeMutablePointer<GstCaps>) -> AccessUnitFormat? {
        guard let structure = gst_caps_get_structure(caps, 0), let name = gst_structure_get_name(structure) else {
            return nil
        }
        let stream = gst_structure_get_string(structure, "stream-format").map { String(cString: $0) }
        // `codec_data` is the decoder configuration record. The low two bits of the byte at the given offset are the
        // size of the length fields minus 1.
        switch String(cString: name) {
        case "video/x-h264":
            let size = stream == "byte-stream" ? nil : lengthSize(of: structure, at: 4)
            return AccessUnitFormat(codec: .h264, lengthSize: size)
        case "video/x-h265":
            let size = stream == "byte-stream" ? nil : lengthSize(of: structure, at: 21)
            return AccessUnitFormat(codec: .h265, lengthSize: size)
        case "video/x-av1": return AccessUnitFormat(codec: .av1)
        default: return nil
        }
    }

    private static func lengthSize(of structure: UnsafeMutablePointer<GstStructure>, at offset: gsize) -> Int {
        guard let value = gst_structure_get_value(structure, "codec_data"),
            value.pointee.g_type == gst_buffer_get_type(), let boxed = g_value_get_boxed(value)
        else { return 4 }
        var byte: UInt8 = 3
        gst_buffer_extract(boxed.assumingMemoryBound(to: GstBuffer.self), offset, &byte, 1)
        return Int(byte & 3) + 1
    }

    static let missingParser = ElementProblem.format(
        "the type of the stream is unknown; put h264parse, h265parse or av1parse before swiftodtgate")
}
