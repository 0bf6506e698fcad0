import CGStreamer

/// Memory for frames that somebody else still needs as they were, a decoder above all: what is drawn on is a copy then.
///
/// GStreamer takes fresh memory for each such copy. For large frames that costs more than copying does: the system clears it page by
/// page, and takes it back. Here it is used again as soon as nobody holds it, and given back when it has not been needed for a while.
/// Only memory is exchanged: the buffer, and all that is attached to it, stays what it is. Nobody is ever waited for: where all of it
/// is held downstream there is more.
///
/// Belongs to the streaming thread. What is still held when this ends is freed by whoever lets go of it last.
final class DrawingBufferPool {
    private struct Block {
        /// Held once here, and once more by each buffer that it is in.
        let memory: UnsafeMutablePointer<GstMemory>
        /// Frames since it was last drawn on.
        var idleFrames = 0

        /// Buffers lock the memory in them, so that it is theirs alone to write to; to hold it here as well takes nothing from them.
        var isFree: Bool { g_atomic_int_get(&memory.pointee.mini_object.refcount) == 1 }
    }

    /// For how many frames memory is kept that nobody needs: queues let go of several frames at once.
    private static let maximumIdleFrames = 30

    private var blocks: [Block] = []
    /// Whether the latest frame had to be copied.
    private var wasNeeded = false

    deinit { for block in blocks { Self.release(block.memory) } }

    /// How many pieces of memory there are, in use or not.
    var count: Int { blocks.count }

    /// Another frame: lets go of what has not been needed for long.
    func passFrame() {
        wasNeeded = false
        guard !blocks.isEmpty else { return }
        blocks.removeAll { block in
            guard block.idleFrames >= Self.maximumIdleFrames, block.isFree else { return false }
            Self.release(block.memory)
            return true
        }
        for index in blocks.indices { blocks[index].idleFrames += 1 }
    }

    /// Whether the buffer's bytes have to be copied before they are drawn on, and can be here. Memory of devices is copied by those who
    /// know how, when it is mapped for writing.
    static func isNeeded(for buffer: UnsafeMutablePointer<GstBuffer>) -> Bool {
        gst_buffer_is_all_memory_writable(buffer) == 0
            && (0..<gst_buffer_n_memory(buffer)).allSatisfy {
                gst_memory_is_type(gst_buffer_peek_memory(buffer, $0), GST_ALLOCATOR_SYSMEM) != 0
            }
    }

    /// Begins the copy of a frame that has just come, where it is likely to be drawn on: where the one before was, and had to be copied
    /// for that. It is too early to know, but not to copy, for the frame is about to be read anyhow. Who is wrong about it has copied
    /// a frame for nothing, or copies it later.
    func copyAhead(of buffer: UnsafeMutablePointer<GstBuffer>) -> FrameCopy? {
        wasNeeded && Self.isNeeded(for: buffer) ? FrameCopy(of: buffer, into: take) : nil
    }

    /// Has the buffer hold a copy of its bytes that is its alone. Where that fails it stays as it is, and mapping it for writing says so.
    ///
    /// - Parameter buffer: one that may be changed (see ``GstBufferReference/makeWritable(_:)``).
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

    /// The same with a copy that has been made of it ahead.
    func put(_ copy: FrameCopy, into buffer: UnsafeMutablePointer<GstBuffer>) {
        wasNeeded = true
        put(copy.memory, into: buffer)
    }

    private func put(_ memory: UnsafeMutablePointer<GstMemory>, into buffer: UnsafeMutablePointer<GstBuffer>) {
        Self.hold(memory)
        gst_buffer_replace_all_memory(buffer, memory)
    }

    /// Memory that nobody else holds: the one used last, which is most likely in the processor's caches still.
    private func take(_ size: gsize) -> UnsafeMutablePointer<GstMemory>? {
        var latest: Int?
        for index in blocks.indices where blocks[index].isFree && blocks[index].memory.pointee.size == size {
            if latest.map({ blocks[index].idleFrames < blocks[$0].idleFrames }) ?? true { latest = index }
        }
        if let latest {
            blocks[latest].idleFrames = 0
            return blocks[latest].memory
        }
        // Aligned as decoders do it, so that whoever reads the copy is no slower.
        var parameters = GstAllocationParams()
        gst_allocation_params_init(&parameters)
        parameters.align = 63
        guard let memory = gst_allocator_alloc(nil, size, &parameters) else { return nil }
        blocks.append(Block(memory: memory))
        return memory
    }

    static func hold(_ memory: UnsafeMutablePointer<GstMemory>) { gst_mini_object_ref(object(memory)) }

    static func release(_ memory: UnsafeMutablePointer<GstMemory>) { gst_mini_object_unref(object(memory)) }

    private static func object(_ memory: UnsafeMutablePointer<GstMemory>) -> UnsafeMutablePointer<GstMiniObject> {
        UnsafeMutableRawPointer(memory).assumingMemoryBound(to: GstMiniObject.self)
    }
}
