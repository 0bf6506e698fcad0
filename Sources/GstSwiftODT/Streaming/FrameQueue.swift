import CGStreamer
import SwiftODT

/// What waits in the element, in the order of the stream: frames, and the events between them.
///
/// An event that comes while frames wait takes its place behind them; so tags and segments neither overtake a frame nor make
/// anybody wait for one.
struct FrameQueue: ~Copyable {
    enum Item {
        case frame(QueuedFrame)
        /// A frame that waits for later ones to show what has to be redacted in it.
        case processed(ProcessedFrame)
        /// A frame that nobody is going to see, as it is outside of its segment: it goes on untouched.
        case unseen(UnsafeMutablePointer<GstBuffer>)
        case event(UnsafeMutablePointer<GstEvent>)
    }

    private var items: [Item] = []
    /// How many frames wait, but for those that go on untouched.
    private(set) var frameCount = 0

    deinit { for item in items { Self.release(item) } }

    var isEmpty: Bool { items.isEmpty }
    var first: Item? { items.first }

    /// Whether one of the frames that wait is the first of another epoch.
    var beginsEpoch: Bool {
        items.contains { if case .frame(let frame) = $0 { frame.epochBreak != nil } else { false } }
    }

    /// Takes over what the item holds.
    mutating func append(_ item: Item) {
        items.append(item)
        if item.isFrame { frameCount += 1 }
    }

    /// The caller takes over what the item holds.
    mutating func removeFirst() -> Item {
        let item = items.removeFirst()
        if item.isFrame { frameCount -= 1 }
        return item
    }

    /// Drops what a flush makes void: all but the events that tell of the stream as a whole, which nobody would send again.
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

    private static func outlivesFlush(_ event: UnsafeMutablePointer<GstEvent>) -> Bool {
        let type = event.pointee.type
        return gst_event_type_get_flags(type).rawValue & GST_EVENT_TYPE_STICKY.rawValue != 0
            && type != GST_EVENT_SEGMENT && type != GST_EVENT_EOS
    }

    private static func release(_ item: Item) {
        switch item {
        case .frame(let frame):
            for answer in frame.answers { answer.promise.cancel() }
            GstBufferReference.release(frame.buffer)
        case .processed(let frame): GstBufferReference.release(frame.queued.buffer)
        case .unseen(let buffer): GstBufferReference.release(buffer)
        case .event(let event):
            gst_mini_object_unref(UnsafeMutableRawPointer(event).assumingMemoryBound(to: GstMiniObject.self))
        }
    }
}

extension FrameQueue.Item {
    fileprivate var isFrame: Bool {
        switch self {
        case .frame, .processed: true
        case .unseen, .event: false
        }
    }
}
