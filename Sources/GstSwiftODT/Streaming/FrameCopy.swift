import CGStreamer

/// A copy of a frame that is made along with the reading of it: what is about to be read is copied just before, so that the way to
/// memory, which is what either costs, is gone once for both.
///
/// The frame stays what it is. Whoever draws on it puts the copy in the place of its memory (see ``DrawingBufferPool``); where nobody does,
/// the copy is dropped.
final class FrameCopy {
    /// Held here, so that nobody else takes it.
    let memory: UnsafeMutablePointer<GstMemory>
    private let original: UnsafeMutablePointer<GstMemory>
    private var source = GstMapInfo()
    private var target = GstMapInfo()
    /// So many bytes are copied, from the first on.
    private var done = 0

    /// `nil` where the bytes do not lie in one piece that can be read, or there is no memory for them; both last until ``finish()``.
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

    /// Copies all that lies before `end`, an address in the frame, and is not copied yet. Planes that lie elsewhere than one after the
    /// other are copied whole when they are first reached: later than is best, and never twice.
    func reach(_ end: UnsafeRawPointer) { copy(upTo: min(end - UnsafeRawPointer(source.data), Int(source.size))) }

    /// Copies the rest. Nothing is read of the frame, and nothing changed, from then on.
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
