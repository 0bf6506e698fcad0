import CGStreamer

/// A copy of a frame that is made in step with reading it. Each part is copied just before it is read, so the frame
/// passes through memory once for both.
///
/// The original is unchanged. Drawing replaces the buffer's memory by the copy (see ``DrawingBufferPool``); an unused
/// copy is discarded.
final class FrameCopy {
    /// Referenced by the copy, so that the pool does not reuse it.
    let memory: UnsafeMutablePointer<GstMemory>
    private let original: UnsafeMutablePointer<GstMemory>
    private var source = GstMapInfo()
    private var target = GstMapInfo()
    /// The number of bytes copied so far.
    private var done = 0

    /// Returns `nil` if the frame is not one readable block of memory, or no memory is available. Both blocks stay
    /// mapped until ``finish()``.
    init?(of buffer: UnsafeMutablePointer<GstBuffer>, into take: (gsize) -> UnsafeMutablePointer<GstMemory>?) {
        guard gst_buffer_n_memory(buffer) == 1, let original = gst_buffer_peek_memory(buffer, 0),
            original.pointee.size > 0, let memory = take(original.pointee.size)
        else { return nil }
        (self.original, self.memory) = (original, memory)
        DrawingBufferPool.hold(memory)
        guard gst_memory_map(original, &source, GST_MAP_READ) != 0 else { return nil }
        guard gst_memory_map(memory, &target, GST_MAP_WRITE) != 0 else {
            gst_memory_unmap(original, &source)
            return nil
        }
    }

    deinit { DrawingBufferPool.release(memory) }

    /// Copies all bytes before the address `end` that are not yet copied. If planes are not in order of their
    /// addresses, a plane is copied completely when it is first reached; no byte is copied twice.
    func reach(_ end: UnsafeRawPointer) { copy(upTo: min(end - UnsafeRawPointer(source.data), Int(source.size))) }

    /// Copies the remaining bytes and unmaps both blocks.
    func finish() {
        copy(upTo: Int(source.size))
        gst_memory_unmap(memory, &target)
        gst_memory_unmap(original, &source)
    }

    private func copy(upTo end: Int) {
        guard end > done else { return }
        UnsafeMutableRawPointer(target.data + done).copyMemory(from: source.data + done, byteCount: end - done)
        done = end
    }
}
