import CODTGStreamer

/// A pool of memory for copies of frames. A frame must be copied before drawing if another element, usually a decoder,
/// still references its memory.
///
/// GStreamer itself would allocate new memory for each copy. For large frames, the page faults in new memory take
/// longer than the copy. The pool therefore reuses memory that no buffer references any more. It releases memory that
/// has been idle for ``maximumIdleFrames`` frames. Only the memory of a buffer is replaced. The buffer and its metadata
/// stay the same. The pool never waits: if all of its memory is referenced downstream, it allocates more.
///
/// A pool belongs to the streaming thread. Memory that is still referenced when the pool is released is freed when its
/// last reference is released.
final class DrawingBufferPool {
    private struct Block {
        /// The memory. The pool holds one reference, and each buffer that contains the memory holds another one.
        let memory: UnsafeMutablePointer<GstMemory>
        var idleFrames = 0

        /// Whether no buffer references the memory. In this case, only the pool's own reference is left. The pool's
        /// reference does not make the memory read-only. GStreamer decides this by the number of buffers that contain
        /// the memory, not by the number of references.
        var isFree: Bool { g_atomic_int_get(&memory.pointee.mini_object.refcount) == 1 }
    }

    /// The number of frames after which idle memory is released. Queues may release several frames at once, so memory
    /// is often idle for some frames.
    private static let maximumIdleFrames = 30

    private var blocks: [Block] = []
    /// Whether the latest frame had to be copied.
    private var wasNeeded = false

    deinit { for block in blocks { gst_memory_unref(block.memory) } }

    var count: Int { blocks.count }

    /// Called once for each frame.
    func passFrame() {
        wasNeeded = false
        guard !blocks.isEmpty else { return }
        blocks.removeAll { block in
            guard block.idleFrames >= Self.maximumIdleFrames, block.isFree else { return false }
            gst_memory_unref(block.memory)
            return true
        }
        for index in blocks.indices { blocks[index].idleFrames += 1 }
    }

    /// Returns whether the buffer's memory must be copied before drawing. Only system memory that is not writable must
    /// be copied. Device memory is copied by its own allocator when it is mapped for writing.
    static func isNeeded(for buffer: UnsafeMutablePointer<GstBuffer>) -> Bool {
        gst_buffer_is_all_memory_writable(buffer) == 0
            && (0..<gst_buffer_n_memory(buffer)).allSatisfy {
                gst_memory_is_type(gst_buffer_peek_memory(buffer, $0), GST_ALLOCATOR_SYSMEM) != 0
            }
    }

    /// Starts to copy a new frame if the previous frame had to be copied for drawing. The new frame then probably has
    /// to be copied, too. The copy is made while the frame is read for other purposes. A wrong assumption costs an
    /// unused copy, or a separate copy later.
    func copyAhead(of buffer: UnsafeMutablePointer<GstBuffer>) -> FrameCopy? {
        wasNeeded && Self.isNeeded(for: buffer) ? FrameCopy(of: buffer, into: take) : nil
    }

    /// Replaces the memory of a buffer by a copy that only this buffer references. If the copy fails, the buffer stays
    /// unchanged, and mapping it for writing will report the error.
    ///
    /// - Parameter buffer: a buffer that is writable (see ``GstBufferReference/makeWritable(_:)``).
    func copyBytes(of buffer: UnsafeMutablePointer<GstBuffer>) {
        wasNeeded = true
        let size = gst_buffer_get_size(buffer)
        guard size > 0, let memory = take(size) else { return }
        var mapped = GstMapInfo()
        guard gst_memory_map(memory, &mapped, GST_MAP_WRITE) != 0 else { return }
        let copied = gst_buffer_extract(buffer, 0, mapped.data, size)
        gst_memory_unmap(memory, &mapped)
        if copied == size { put(memory, into: buffer) }
    }

    func put(_ copy: FrameCopy, into buffer: UnsafeMutablePointer<GstBuffer>) {
        wasNeeded = true
        put(copy.memory, into: buffer)
    }

    private func put(_ memory: UnsafeMutablePointer<GstMemory>, into buffer: UnsafeMutablePointer<GstBuffer>) {
        gst_memory_ref(memory)
        gst_buffer_replace_all_memory(buffer, memory)
    }

    /// Returns memory that no buffer references. The most recently used memory is preferred, because it is probably
    /// still in the processor's caches.
    private func take(_ size: gsize) -> UnsafeMutablePointer<GstMemory>? {
        var latest: Int?
        for index in blocks.indices where blocks[index].isFree && blocks[index].memory.pointee.size == size {
            if latest.map({ blocks[index].idleFrames < blocks[$0].idleFrames }) ?? true { latest = index }
        }
        if let latest {
            blocks[latest].idleFrames = 0
            return blocks[latest].memory
        }
        // Decoders align frames to 64 bytes. The copy has the same alignment, so reading it is as fast as reading the
        // original.
        var parameters = GstAllocationParams()
        gst_allocation_params_init(&parameters)
        parameters.align = 63
        guard let memory = gst_allocator_alloc(nil, size, &parameters) else { return nil }
        blocks.append(Block(memory: memory))
        return memory
    }
}

/// A copy of a frame that is made while the frame is read. Each part of the frame is copied just before it is read, so
/// reading and copying share one pass through memory.
final class FrameCopy {
    /// The memory of the copy. The copy holds a reference, so that the pool does not reuse the memory.
    let memory: UnsafeMutablePointer<GstMemory>
    private let original: UnsafeMutablePointer<GstMemory>
    private var source = GstMapInfo()
    private var target = GstMapInfo()
    private var done = 0

    /// Returns `nil` if the frame is not a single readable block of memory, or if no memory is available for the copy.
    /// Both blocks of memory stay mapped until ``finish()``.
    init?(of buffer: UnsafeMutablePointer<GstBuffer>, into take: (gsize) -> UnsafeMutablePointer<GstMemory>?) {
        guard gst_buffer_n_memory(buffer) == 1, let original = gst_buffer_peek_memory(buffer, 0),
            original.pointee.size > 0, let memory = take(original.pointee.size)
        else { return nil }
        (self.original, self.memory) = (original, memory)
        gst_memory_ref(memory)
        guard gst_memory_map(original, &source, GST_MAP_READ) != 0 else { return nil }
        guard gst_memory_map(memory, &target, GST_MAP_WRITE) != 0 else {
            gst_memory_unmap(original, &source)
            return nil
        }
    }

    deinit { gst_memory_unref(memory) }

    /// Copies all bytes before the address `end` that have not been copied yet. If the planes are not in the order of
    /// their addresses, more bytes than necessary are copied at first. No byte is copied twice.
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
