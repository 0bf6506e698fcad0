import CODTGStreamer

/// An allocator of memory that behaves like device memory: it counts how often it is mapped, and refuses unless it is mappable.
final class DeviceMemory {
    private struct Instance {
        var allocator: GstAllocator
        var isMappable: gboolean
        var mapCount: gint
    }

    private struct Block {
        var memory: GstMemory
        var bytes: gpointer?
    }

    static let caps = "video/x-raw(memory:Device),format=NV12,width=64,height=48,framerate=30/1"

    private static let type = g_type_register_static_simple(
        gst_allocator_get_type(), "SwiftOdtDeviceAllocator", guint(MemoryLayout<GstAllocatorClass>.size),
        { classPointer, _ in
            classPointer!.assumingMemoryBound(to: GstAllocatorClass.self).pointee.free = { _, memory in
                g_free(UnsafeMutableRawPointer(memory!).assumingMemoryBound(to: Block.self).pointee.bytes)
                g_free(memory)
            }
        }, guint(MemoryLayout<Instance>.size), nil, GTypeFlags(0))

    private let instance: UnsafeMutablePointer<Instance>

    init(isMappable: Bool = false) {
        _ = ElementHarness.isReady
        instance = UnsafeMutableRawPointer(g_object_new_with_properties(Self.type, 0, nil, nil)!)
            .assumingMemoryBound(to: Instance.self)
        instance.pointee.isMappable = isMappable ? 1 : 0
        instance.pointee.allocator.mem_map = { memory, _, _ in
            let instance = UnsafeMutableRawPointer(memory!.pointee.allocator!).assumingMemoryBound(to: Instance.self)
            instance.pointee.mapCount += 1
            guard instance.pointee.isMappable != 0 else { return nil }
            return UnsafeMutableRawPointer(memory!).assumingMemoryBound(to: Block.self).pointee.bytes
        }
        instance.pointee.allocator.mem_unmap = { _ in }
    }

    deinit { g_object_unref(instance) }

    var mapCount: Int { Int(instance.pointee.mapCount) }

    /// Returns a grey buffer of 64 x 48 NV12 pixels with the time of frame `number` at 30 frames per second.
    func buffer(_ number: Int) -> ElementHarness.Buffer {
        let size = gsize(64 * 48 * 3 / 2)
        let block = g_malloc0(gsize(MemoryLayout<Block>.size))!.assumingMemoryBound(to: Block.self)
        block.pointee.bytes = g_malloc0(size)
        let memory = UnsafeMutableRawPointer(block).assumingMemoryBound(to: GstMemory.self)
        let allocator = UnsafeMutableRawPointer(instance).assumingMemoryBound(to: GstAllocator.self)
        gst_memory_init(memory, GstMemoryFlags(0), allocator, nil, size, 0, 0, size)
        let buffer = gst_buffer_new()!
        gst_buffer_append_memory(buffer, memory)
        buffer.pointee.pts = GstClockTime(number) * 33_333_333
        buffer.pointee.duration = 33_333_333
        return buffer
    }
}
