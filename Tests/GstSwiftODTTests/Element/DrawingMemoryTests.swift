import CGStreamer
import Testing

@testable import GstSwiftODT

/// Protects frames that somebody else still needs, and the memory that their copies are drawn in.
@Suite struct DrawingMemoryTests {
    private typealias Buffer = UnsafeMutablePointer<GstBuffer>

    private let drawing = DrawingMemory()

    init() { gst_init(nil, nil) }

    /// A buffer, and another one with the same memory.
    private static func shared(size: gsize = 5000, byte: guint8 = 7) -> (own: Buffer, other: Buffer) {
        let buffer = gst_buffer_new_allocate(nil, size, nil)!
        gst_buffer_memset(buffer, 0, byte, size)
        return (gst_buffer_copy(buffer), buffer)
    }

    private static func memory(of buffer: Buffer) -> UnsafeMutablePointer<GstMemory> {
        gst_buffer_peek_memory(buffer, 0)
    }

    private static func byte(of buffer: Buffer) -> guint8 {
        var byte: guint8 = 0
        gst_buffer_extract(buffer, 4000, &byte, 1)
        return byte
    }

    private func copy(size: gsize = 5000, byte: guint8 = 7) -> Buffer {
        let (own, other) = Self.shared(size: size, byte: byte)
        drawing.copyBytes(of: own)
        GstBufferReference.release(other)
        return own
    }

    @Test func onlyWhatIsSharedNeedsACopy() {
        let (own, other) = Self.shared()
        #expect(DrawingMemory.isNeeded(for: own))
        drawing.copyBytes(of: own)
        #expect(!DrawingMemory.isNeeded(for: own) && !DrawingMemory.isNeeded(for: other))
        gst_buffer_memset(own, 0, 9, 5000)
        #expect(Self.byte(of: own) == 9 && Self.byte(of: other) == 7)
        GstBufferReference.release(own)
        GstBufferReference.release(other)
    }

    @Test func memoryIsUsedAgainOnceNobodyHoldsIt() {
        let first = copy(byte: 1)
        let memory = Self.memory(of: first)
        let second = copy(byte: 2)
        #expect(Self.memory(of: second) != memory && Self.byte(of: first) == 1)
        GstBufferReference.release(first)
        let third = copy(byte: 3)
        #expect(Self.memory(of: third) == memory && Self.byte(of: second) == 2 && Self.byte(of: third) == 3)
        #expect(drawing.count == 2)
        GstBufferReference.release(second)
        GstBufferReference.release(third)
    }

    /// Part of a frame's memory is the frame's memory: a crop downstream may outlive the buffer.
    @Test func memoryOfWhichAPartIsHeldIsInUse() {
        let first = copy(byte: 1)
        let part = gst_memory_share(Self.memory(of: first), 4000, 10)!
        GstBufferReference.release(first)
        let second = copy(byte: 2)
        var mapped = GstMapInfo()
        #expect(gst_memory_map(part, &mapped, GST_MAP_READ) != 0 && mapped.data[0] == 1)
        gst_memory_unmap(part, &mapped)
        gst_mini_object_unref(UnsafeMutableRawPointer(part).assumingMemoryBound(to: GstMiniObject.self))
        GstBufferReference.release(second)
    }

    /// What queues held for a moment is not kept for the rest of the day, and what they still hold is theirs.
    @Test func memoryGoesWhenItIsNotNeededForLong() {
        let held = (0..<4).map { _ in copy() }
        #expect(drawing.count == 4)
        for buffer in held.dropFirst() { GstBufferReference.release(buffer) }
        for _ in 0..<20 { drawing.passFrame() }
        #expect(drawing.count == 4)
        for _ in 0..<20 { drawing.passFrame() }
        #expect(drawing.count == 1 && Self.byte(of: held[0]) == 7)
        GstBufferReference.release(held[0])
        drawing.passFrame()
        #expect(drawing.count == 0)
    }

    @Test func framesOfAnotherSizeGetMemoryOfThatSize() {
        for size: gsize in [5000, 6000, 5000] {
            let buffer = copy(size: size)
            #expect(gst_buffer_get_size(buffer) == size)
            GstBufferReference.release(buffer)
        }
        #expect(drawing.count == 2)
    }
}
