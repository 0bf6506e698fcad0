import CGStreamer

/// Reference counting of buffers. Swift does not import GStreamer's macros for it.
enum GstBufferReference {
    static func release(_ buffer: UnsafeMutablePointer<GstBuffer>) {
        gst_mini_object_unref(UnsafeMutableRawPointer(buffer).assumingMemoryBound(to: GstMiniObject.self))
    }

    /// Takes ownership of a buffer and returns one with writable metadata: the same buffer, or a shallow copy if it has
    /// other references.
    static func makeWritable(_ buffer: UnsafeMutablePointer<GstBuffer>) -> UnsafeMutablePointer<GstBuffer> {
        let object = UnsafeMutableRawPointer(buffer).assumingMemoryBound(to: GstMiniObject.self)
        return UnsafeMutableRawPointer(gst_mini_object_make_writable(object)!)
            .assumingMemoryBound(to: GstBuffer.self)
    }

    static func hasFlag(_ buffer: UnsafeMutablePointer<GstBuffer>, _ flag: GstBufferFlags) -> Bool {
        buffer.pointee.mini_object.flags & flag.rawValue != 0
    }
}
