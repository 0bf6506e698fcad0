import CODTGStreamer
import Testing

@testable import GstSwiftODT

/// Tests that frames referenced elsewhere are not modified, and the reuse of the memory of their copies.
@Suite struct DrawingBufferPoolTests {
    private typealias Buffer = UnsafeMutablePointer<GstBuffer>

    private let drawing = DrawingBufferPool()

    init() { gst_init(nil, nil) }

    /// Returns two buffers that share their memory.
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
        gst_buffer_unref(other)
        return own
    }

    @Test func onlySharedMemoryNeedsCopy() {
        let (own, other) = Self.shared()
        #expect(DrawingBufferPool.isNeeded(for: own))
        drawing.copyBytes(of: own)
        #expect(!DrawingBufferPool.isNeeded(for: own) && !DrawingBufferPool.isNeeded(for: other))
        gst_buffer_memset(own, 0, 9, 5000)
        #expect(Self.byte(of: own) == 9 && Self.byte(of: other) == 7)
        gst_buffer_unref(own)
        gst_buffer_unref(other)
    }

    @Test func releasedBlockIsReused() {
        let first = copy(byte: 1)
        let memory = Self.memory(of: first)
        let second = copy(byte: 2)
        #expect(Self.memory(of: second) != memory && Self.byte(of: first) == 1)
        gst_buffer_unref(first)
        let third = copy(byte: 3)
        #expect(Self.memory(of: third) == memory && Self.byte(of: second) == 2 && Self.byte(of: third) == 3)
        #expect(drawing.count == 2)
        gst_buffer_unref(second)
        gst_buffer_unref(third)
    }

    /// A sub-block of the memory, such as a crop downstream, may outlive the buffer.
    @Test func partiallyReferencedBlockIsInUse() {
        let first = copy(byte: 1)
        let part = gst_memory_share(Self.memory(of: first), 4000, 10)!
        gst_buffer_unref(first)
        let second = copy(byte: 2)
        var mapped = GstMapInfo()
        #expect(gst_memory_map(part, &mapped, GST_MAP_READ) != 0 && mapped.data[0] == 1)
        gst_memory_unmap(part, &mapped)
        gst_mini_object_unref(UnsafeMutableRawPointer(part).assumingMemoryBound(to: GstMiniObject.self))
        gst_buffer_unref(second)
    }

    /// Blocks that were needed only temporarily are freed unless they are still referenced.
    @Test func idleBlocksAreFreed() {
        let held = (0..<4).map { _ in copy() }
        #expect(drawing.count == 4)
        for buffer in held.dropFirst() { gst_buffer_unref(buffer) }
        for _ in 0..<20 { drawing.passFrame() }
        #expect(drawing.count == 4)
        for _ in 0..<20 { drawing.passFrame() }
        #expect(drawing.count == 1 && Self.byte(of: held[0]) == 7)
        gst_buffer_unref(held[0])
        drawing.passFrame()
        #expect(drawing.count == 0)
    }

    /// Copying is expensive, so a frame is copied in advance only if it is likely to be drawn on.
    @Test func frameIsCopiedAheadAfterPreviousCopy() {
        let (own, other) = Self.shared()
        #expect(drawing.copyAhead(of: own) == nil)
        gst_buffer_unref(copy())
        #expect(drawing.copyAhead(of: own).map { $0.finish() } != nil)
        gst_buffer_unref(other)
        #expect(drawing.copyAhead(of: own) == nil)
        let (next, another) = Self.shared()
        drawing.passFrame()
        #expect(drawing.copyAhead(of: next) == nil)
        for buffer in [own, next, another] { gst_buffer_unref(buffer) }
    }

    /// The result is independent of the layout of the planes and of the reading order.
    @Test(arguments: [[1000, 2000, 5000], [4000, 1000, 4500], [-1, 9000], []])
    func copyAheadEqualsFrame(_ ends: [Int]) {
        gst_buffer_unref(copy(byte: 1))
        let bytes = (0..<5000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let other = gst_buffer_new_allocate(nil, 5000, nil)!
        gst_buffer_fill(other, 0, bytes, 5000)
        let own = gst_buffer_copy(other)!
        let copy = drawing.copyAhead(of: own)!
        var mapped = GstMapInfo()
        gst_buffer_map(own, &mapped, GST_MAP_READ)
        for end in ends { copy.reach(UnsafeRawPointer(mapped.data) + end) }
        gst_buffer_unmap(own, &mapped)
        copy.finish()
        drawing.put(copy, into: own)
        #expect(Self.memory(of: own) == copy.memory && ElementHarness.bytes(of: own) == bytes)
        #expect(!DrawingBufferPool.isNeeded(for: own) && drawing.count == 1)
        gst_buffer_unref(own)
        gst_buffer_unref(other)
    }

    /// The block of an unused copy can be reused after the copy is released, and not before.
    @Test func copyAheadKeepsItsBlock() {
        gst_buffer_unref(copy())
        let (own, other) = Self.shared()
        var ahead = drawing.copyAhead(of: own)
        ahead?.finish()
        let second = drawing.copyAhead(of: own)!
        second.finish()
        #expect(second.memory != ahead?.memory && drawing.count == 2)
        let memory = ahead?.memory
        ahead = nil
        drawing.copyBytes(of: own)
        #expect(Self.memory(of: own) == memory)
        gst_buffer_unref(own)
        gst_buffer_unref(other)
    }

    /// Frames after one that was drawn on are copied on arrival. A frame that is not drawn on keeps its original
    /// memory, and other references to a frame never see a change.
    @Test(arguments: ["I420", "NV12", "YUY2", "BGRA", "P010_10LE"])
    func undrawnFramePassesWithoutCopy(_ format: String) throws {
        let harness = ElementHarness("detector=upstream track-min-hits=1")
        harness.setCaps(format)
        var drawn: [Bool] = []
        for number in 0..<60 {
            let buffer = harness.buffer(number)
            if number % 30 < 10 { harness.addRegion(to: buffer, x: 8, y: 6, width: 20, height: 16) }
            let (memory, bytes) = (Self.memory(of: buffer), ElementHarness.bytes(of: buffer))
            gst_mini_object_ref(UnsafeMutableRawPointer(buffer).assumingMemoryBound(to: GstMiniObject.self))
            let output = try #require(harness.pass(buffer))
            drawn.append(ElementHarness.bytes(of: output) != bytes)
            #expect((Self.memory(of: output) != memory) == drawn.last)
            #expect(output.pointee.pts == buffer.pointee.pts && output.pointee.duration == buffer.pointee.duration)
            #expect(ElementHarness.bytes(of: buffer) == bytes)
            ElementHarness.release(buffer)
            ElementHarness.release(output)
        }
        #expect(drawn[1] && !drawn[29] && drawn[31] && !drawn[59])
    }

    /// A decoder usually releases queued frames before they are drawn on, so they need no copy then.
    @Test func queuedFramesAreCopiedOnlyIfStillReferenced() {
        let detector = ControlledDetector(capacity: 3)
        let harness = ElementHarness("strategy=every-frame track-min-hits=1", source: { .detector(detector) })
        harness.setCaps()
        func pass(_ numbers: Range<Int>, releasing: Bool) -> Int {
            let buffers = numbers.map { harness.buffer($0) }
            for buffer in buffers {
                gst_mini_object_ref(UnsafeMutableRawPointer(buffer).assumingMemoryBound(to: GstMiniObject.self))
                harness.push(buffer)
            }
            if releasing { for buffer in buffers { gst_buffer_unref(buffer) } }
            detector.answer()
            // The next frame, which still waits for its result, pushes them out.
            harness.push(harness.buffer(numbers.upperBound))
            while let output = harness.pull(ifThere: true) { ElementHarness.release(output) }
            if !releasing { for buffer in buffers { gst_buffer_unref(buffer) } }
            let copies = Statistics.Stage.allCases.firstIndex(of: .copy)!
            var count = 0
            harness.session.statistics.update { count = $0.stages[copies].latest.count }
            return count
        }
        let copied = pass(0..<3, releasing: false)
        #expect(copied > 0)
        #expect(pass(4..<6, releasing: true) == copied)
    }

    @Test func newFrameSizeGetsNewBlocks() {
        for size: gsize in [5000, 6000, 5000] {
            let buffer = copy(size: size)
            #expect(gst_buffer_get_size(buffer) == size)
            gst_buffer_unref(buffer)
        }
        #expect(drawing.count == 2)
    }
}
