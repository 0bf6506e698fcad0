import CGStreamer

/// The reference counting of buffers, whose C macros Swift cannot see.
enum GstBufferReference {
    static func release(_ buffer: UnsafeMutablePointer<GstBuffer>) {
        gst_mini_object_unref(UnsafeMutableRawPointer(buffer).assumingMemoryBound(to: GstMiniObject.self))
    }

    /// Takes over the buffer and gives back one whose metadata may be changed: itself, or a shallow copy where somebody
    /// else holds it too.
    static func makeWritable(_ buffer: UnsafeMutablePointer<GstBuffer>) -> UnsafeMutablePointer<GstBuffer> {
        let object = UnsafeMutableRawPointer(buffer).assumingMemoryBound(to: GstMiniObject.self)
        return UnsafeMutableRawPointer(gst_mini_object_make_writable(object)!)
            .assumingMemoryBound(to: GstBuffer.self)
    }

    static func hasFlag(_ buffer: UnsafeMutablePointer<GstBuffer>, _ flag: GstBufferFlags) -> Bool {
        buffer.pointee.mini_object.flags & flag.rawValue != 0
    }
}
