import CODTGStreamer
import SwiftODT

/// A queue of frames and events in the order of the stream.
///
/// An event that arrives while frames are queued is queued behind them, so tags and segments do not overtake frames.
/// The upstream element need not wait until the inferences of the queued frames have finished.
struct FrameQueue: ~Copyable {
    enum Item {
        case frame(FrameContext)
        /// A frame with complete results. It is held until all boxes to redact in it are known. Detections in later
        /// frames can add such boxes.
        case processed(ProcessedFrame)
        /// A frame outside its segment. It will not be shown and passes unchanged.
        case unchanged(UnsafeMutablePointer<GstBuffer>)
        case event(UnsafeMutablePointer<GstEvent>)

        fileprivate var isFrame: Bool { if case .event = self { false } else { true } }

        fileprivate var isCaps: Bool {
            if case .event(let event) = self { event.pointee.type == GST_EVENT_CAPS } else { false }
        }
    }

    private var items: [Item] = []
    /// Includes the items of the kind `unchanged`, because upstream may wait for their buffers.
    private(set) var frameCount = 0

    deinit { for item in items { Self.release(item) } }

    var isEmpty: Bool { items.isEmpty }
    var first: Item? { items.first }

    var hasCaps: Bool { items.contains(where: \.isCaps) }

    var beginsEpoch: Bool {
        items.contains { if case .frame(let frame) = $0 { frame.epochBreak != nil } else { false } }
    }

    /// Takes ownership of the item's buffer or event.
    mutating func append(_ item: Item) {
        items.append(item)
        if item.isFrame { frameCount += 1 }
    }

    /// The caller takes ownership of the item's buffer or event.
    mutating func removeFirst() -> Item {
        let item = items.removeFirst()
        if item.isFrame { frameCount -= 1 }
        return item
    }

    /// Removes all items that a flush invalidates. Sticky events that describe the stream are kept, because upstream
    /// elements do not send them again.
    mutating func flush() {
        var kept: [Item] = []
        for item in items {
            if case .event(let event) = item, Self.outlivesFlush(event) {
                kept.append(item)
            } else {
                Self.release(item)
            }
        }
        items = kept
        frameCount = 0
    }

    /// Removes the frames before the first caps event. Returns whether there is a caps event. If not, all frames are
    /// removed.
    @discardableResult
    mutating func removeFramesBeforeCaps() -> Bool {
        let caps = items.firstIndex(where: \.isCaps)
        let end = caps ?? items.endIndex
        var kept: [Item] = []
        for item in items[..<end] {
            if case .event = item {
                kept.append(item)
            } else {
                frameCount -= 1
                Self.release(item)
            }
        }
        items.replaceSubrange(..<end, with: kept)
        return caps != nil
    }

    private static func outlivesFlush(_ event: UnsafeMutablePointer<GstEvent>) -> Bool {
        let type = event.pointee.type
        return gst_event_type_get_flags(type).rawValue & GST_EVENT_TYPE_STICKY.rawValue != 0
            && type != GST_EVENT_SEGMENT && type != GST_EVENT_EOS
    }

    private static func release(_ item: Item) {
        switch item {
        case .frame(let frame):
            for answer in frame.answers { answer.promise.cancel() }
            gst_buffer_unref(frame.buffer)
        case .processed(let frame): gst_buffer_unref(frame.context.buffer)
        case .unchanged(let buffer): gst_buffer_unref(buffer)
        case .event(let event): gst_event_unref(event)
        }
    }
}

/// Functions for buffers. They replace GStreamer macros, which Swift does not import.
enum GstBufferReference {
    /// Takes ownership of a buffer and returns a buffer with writable metadata. This is the same buffer if it has no
    /// other references. Otherwise it is a shallow copy.
    static func makeWritable(_ buffer: UnsafeMutablePointer<GstBuffer>) -> UnsafeMutablePointer<GstBuffer> {
        let object = UnsafeMutableRawPointer(buffer).assumingMemoryBound(to: GstMiniObject.self)
        return UnsafeMutableRawPointer(gst_mini_object_make_writable(object)!)
            .assumingMemoryBound(to: GstBuffer.self)
    }

    /// Takes ownership of a buffer and returns a buffer that can be kept. Upstream may wait for the buffers of its pool.
    /// A buffer that occupies one of them is therefore copied with its memory. If the copy fails or would lose metadata,
    /// the same buffer is returned.
    static func withoutPool(_ buffer: UnsafeMutablePointer<GstBuffer>) -> UnsafeMutablePointer<GstBuffer> {
        guard poolCapacity(of: buffer) != nil, canCopyMeta(of: buffer), let copy = gst_buffer_copy_deep(buffer) else {
            return buffer
        }
        // The metadata with a reference to the original was copied, too.
        while let meta = gst_buffer_get_meta(copy, gst_parent_buffer_meta_api_get_type()) {
            gst_buffer_remove_meta(copy, meta)
        }
        gst_buffer_unref(buffer)
        return copy
    }

    /// Metadata without a function for copying, for example `GstTensorMeta`, would be missing in a copy.
    private static func canCopyMeta(of buffer: UnsafeMutablePointer<GstBuffer>) -> Bool {
        var state: gpointer?
        while let meta = gst_buffer_iterate_meta(buffer, &state) {
            if meta.pointee.info.pointee.transform_func == nil { return false }
        }
        return true
    }

    /// Returns the maximum number of buffers of the pool to which a buffer belongs; `nil` without a pool or a maximum. A
    /// shallow copy of a buffer from a pool references the original.
    static func poolCapacity(of buffer: UnsafeMutablePointer<GstBuffer>) -> Int? {
        if let pool = buffer.pointee.pool { return capacity(of: pool) }
        guard let meta = gst_buffer_get_meta(buffer, gst_parent_buffer_meta_api_get_type()) else { return nil }
        let parent = UnsafeMutableRawPointer(meta).assumingMemoryBound(to: GstParentBufferMeta.self).pointee.buffer
        return parent.flatMap(poolCapacity)
    }

    private static func capacity(of pool: UnsafeMutablePointer<GstBufferPool>) -> Int? {
        guard let configuration = gst_buffer_pool_get_config(pool) else { return 0 }
        defer { gst_structure_free(configuration) }
        var maximum: guint = 0
        guard gst_buffer_pool_config_get_params(configuration, nil, nil, nil, &maximum) != 0 else { return 0 }
        return maximum > 0 ? Int(maximum) : nil
    }

    static func hasFlag(_ buffer: UnsafeMutablePointer<GstBuffer>, _ flag: GstBufferFlags) -> Bool {
        buffer.pointee.mini_object.flags & flag.rawValue != 0
    }
}
