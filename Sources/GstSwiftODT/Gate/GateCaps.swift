import CODTGStreamer

/// Checks that a stream consists of parsed access units, in which one buffer is one frame and key frames are marked.
enum GateCaps {
    /// The properties of parsed streams by caps name. `lengthOffset` is the index of a byte in the decoder
    /// configuration record (`codec_data`). The low two bits of this byte are the size of the length fields minus 1.
    private static let types:
        [String: (codec: AccessUnitFormat.Codec, parser: String, alignment: String, lengthOffset: gsize?)] = [
            "video/x-h264": (.h264, "h264parse", "au", 4), "video/x-h265": (.h265, "h265parse", "au", 21),
            "video/x-av1": (.av1, "av1parse", "tu", nil),
        ]

    /// Returns the format of parsed access units. For other caps, passes the problem to `fail` and returns `nil`.
    static func format(
        _ caps: UnsafeMutablePointer<GstCaps>, fail: (ElementProblem) -> Void
    ) -> AccessUnitFormat? {
        guard let structure = gst_caps_get_structure(caps, 0), let name = gst_structure_get_name(structure),
            let wanted = types[String(cString: name)]
        else {
            fail(missingParser)
            return nil
        }
        var isParsed: gboolean = 0
        gst_structure_get_boolean(structure, "parsed", &isParsed)
        let alignment = gst_structure_get_string(structure, "alignment").map { String(cString: $0) }
        guard isParsed != 0, alignment == wanted.alignment else {
            let fault =
                isParsed == 0
                ? "is not parsed" : "has alignment=\(alignment ?? "unknown") instead of alignment=\(wanted.alignment)"
            fail(
                .format(
                    "the stream \(String(cString: name)) \(fault); put \(wanted.parser) before swiftodtgate",
                    detail: "the caps are \(GstText.of(caps))"))
            return nil
        }
        let stream = gst_structure_get_string(structure, "stream-format").map { String(cString: $0) }
        let offset = stream == "byte-stream" ? nil : wanted.lengthOffset
        return AccessUnitFormat(codec: wanted.codec, lengthSize: offset.map { lengthSize(of: structure, at: $0) })
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
