import CGStreamer

/// Converts subtitles from Pango markup to plain text, because no container supports markup. For example, `<i>no</i>`
/// becomes `no`, and `&amp;` becomes `&`.
enum MarkupRemoval {
    static func begin(at pad: Pad) {
        // Without this call, caps queries from upstream would reach the muxer. The muxer rejects markup.
        pad.acceptAllCaps()
        pad.replaceEvents { event in
            guard event.pointee.type == GST_EVENT_CAPS else { return nil }
            return gst_event_new_caps(plain)
        }
        pad.replaceBuffers { buffer in
            var map = GstMapInfo()
            guard gst_buffer_map(buffer, &map, GST_MAP_READ) != 0 else { return nil }
            let text = plainText(UnsafeBufferPointer(start: map.data, count: Int(map.size)))
            gst_buffer_unmap(buffer, &map)
            guard let copy = gst_buffer_new_memdup(text, gsize(text.count)) else { return nil }
            gst_buffer_copy_into(
                copy, buffer,
                GstBufferCopyFlags(rawValue: GST_BUFFER_COPY_TIMESTAMPS.rawValue | GST_BUFFER_COPY_FLAGS.rawValue), 0,
                gsize.max)
            return copy
        }
    }

    /// `nonisolated(unsafe)`: the caps are constant, and their reference count is atomic.
    nonisolated(unsafe) private static let plain = gst_caps_from_string("text/x-raw, format=(string)utf8")

    private static let entities: [(String, String)] = [
        ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&#39;", "'"), ("&amp;", "&"),
    ]

    /// Removes tags and resolves entities. A `<` without a following `>` is kept.
    static func plainText(_ bytes: some Collection<UInt8>) -> [UInt8] {
        var text: [UInt8] = []
        var rest = Array(bytes)[...]
        while let byte = rest.first {
            if byte == UInt8(ascii: "<"), let end = rest.firstIndex(of: UInt8(ascii: ">")) {
                rest = rest[(end + 1)...]
            } else if byte == UInt8(ascii: "&"),
                let (entity, plain) = entities.first(where: { rest.starts(with: $0.0.utf8) })
            {
                text += plain.utf8
                rest = rest.dropFirst(entity.utf8.count)
            } else {
                text.append(byte)
                rest = rest.dropFirst()
            }
        }
        return text
    }
}
