import CGStreamer
import Playback
import SwiftODT
import Synchronization

/// Lets the frames of a part of a video through, those from one time on and before another, as they are in a pass over all of it. The video
/// is sought to a key frame at or before the first of them.
///
/// Not every stream comes out of its key frames the same as it comes by them. Whether this one does shows where parts meet: the first frames of
/// one are those right behind the one before it. Both are known by their sums, of some frames each, so that whoever joins parts can compare.
final class VideoPart: Sendable {
    private struct State {
        /// The event that sought the part, once it was sent.
        var sought: UInt32?
        /// Whether what comes now comes from there.
        var isThere: Bool
        var frames = 0
        var first: [FrameChecksum] = []
        var behind: [FrameChecksum] = []
    }

    /// How many frames are compared where parts meet. What a wrong beginning spoils, it spoils from the first one on.
    private static let compared = 8

    /// To the key frame at or before a time.
    static let toKeyFrame = GstSeekFlags(
        rawValue: [GST_SEEK_FLAG_FLUSH, GST_SEEK_FLAG_KEY_UNIT, GST_SEEK_FLAG_SNAP_BEFORE].reduce(0) {
            $0 | $1.rawValue
        })

    private let from: Nanoseconds
    private let to: Nanoseconds
    private let pad: Pad
    private let refuse: @Sendable (String) -> Void
    private let state: Mutex<State>

    /// - Parameters:
    ///   - pad: where decoded frames come in.
    ///   - refuse: ends the stream with an error.
    init(_ range: Range<Nanoseconds>, at pad: Pad, refuse: @escaping @Sendable (String) -> Void) {
        (from, to, self.pad, self.refuse) = (range.lowerBound, range.upperBound, pad, refuse)
        state = Mutex(State(isThere: range.lowerBound == 0))
    }

    /// Looks at all that comes, for as long as it lives.
    func begin() {
        pad.watchEvents { [weak self] event in
            self?.note(event)
            return .ok
        }
        pad.watchBuffers { [weak self] in self?.passes($0) == true ? .ok : .drop }
    }

    /// In a line of JSON: how many frames it had, its first ones, and the first ones behind it.
    var report: String {
        state.withLock { state in
            JSONValue.object([
                "frames": .number(Double(state.frames)), "first": .array(state.first.map(\.json)),
                "behind": .array(state.behind.map(\.json)),
            ]).text
        }
    }

    private func note(_ event: UnsafeMutablePointer<GstEvent>) {
        guard event.pointee.type == GST_EVENT_SEGMENT else { return }
        let number = gst_event_get_seqnum(event)
        state.withLock { if $0.sought == number { $0.isThere = true } }
    }

    private func passes(_ buffer: UnsafeMutablePointer<GstBuffer>) -> Bool {
        guard state.withLock({ $0.isThere }) else {
            seek()
            return false
        }
        guard let time = pad.streamTime(of: buffer) else {
            refuse("a frame has no time: this video has no parts, only --detections alone can take it")
            return false
        }
        if time < from { return false }
        let isInside = time < to
        let isSummed = state.withLock { (isInside ? $0.first : $0.behind).count < Self.compared }
        let sum = isSummed ? FrameChecksum(buffer, at: time, on: pad) : nil
        let isEnough = state.withLock { state in
            if isInside { state.frames += 1 }
            guard let sum else { return !isInside && isSummed }
            if isInside { state.first.append(sum) } else { state.behind.append(sum) }
            return state.behind.count == Self.compared
        }
        if isEnough { pad.endStream() }
        return isInside
    }

    /// Once, in a thread of its own: who seeks stops the thread that this is called on, and waits for it.
    private func seek() {
        let event = gst_event_new_seek(
            1, GST_FORMAT_TIME, Self.toKeyFrame, GST_SEEK_TYPE_SET, gint64(from), GST_SEEK_TYPE_NONE, -1)
        guard let event else { return }
        let isFirst = state.withLock { state in
            guard state.sought == nil else { return false }
            state.sought = gst_event_get_seqnum(event)
            return true
        }
        guard isFirst else { return gst_event_unref(event) }
        let sent = UInt(bitPattern: event)
        DetachedThread.run { [self] in
            let event = UnsafeMutablePointer<GstEvent>(bitPattern: sent)
            guard gst_pad_push_event(pad.pointer, event) == 0 else { return }
            refuse("the video cannot be sought: only a whole pass can be had of it")
        }
    }
}
