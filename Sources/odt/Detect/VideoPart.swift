import CODTGStreamer
import ODTPlayback
import SwiftODT
import Synchronization

/// Passes the frames of one part of a video and drops all other frames. The part is a range of stream times, which does
/// not include its end. The stream seeks to the key frame at the start of the part or, if there is none, to the last
/// key frame before it. The frames of the part must be identical to the frames that are decoded without a seek.
///
/// Some streams decode to different pixels after a seek. To detect such a stream, ``report`` contains two lists of
/// checksums: of the first frames of the part, and of the first frames that follow the part. The caller compares the
/// second list with the first list of the next part.
final class VideoPart: Sendable {
    private struct State {
        /// The sequence number of the seek event; `nil` before the seek.
        var sought: UInt32?
        /// Whether the seek has been completed. Frames that arrive before this are dropped.
        var hasSought: Bool
        var frames = 0
        var first: [FrameChecksum] = []
        var behind: [FrameChecksum] = []
    }

    /// The number of frames that are compared at each boundary between parts. A few frames suffice, because after a
    /// faulty seek the first frames already differ.
    private static let compared = 8

    static let toKeyFrame = GstSeekFlags(
        rawValue: [GST_SEEK_FLAG_FLUSH, GST_SEEK_FLAG_KEY_UNIT, GST_SEEK_FLAG_SNAP_BEFORE].reduce(0) {
            $0 | $1.rawValue
        })

    private let from: Nanoseconds
    private let to: Nanoseconds
    private let pad: Pad
    private let refuse: @Sendable (String) -> Void
    private let state: Mutex<State>

    /// Attaches probes to the pad. They have an effect only while this object exists.
    ///
    /// - Parameters:
    ///   - pad: The pad at which the decoded frames arrive.
    ///   - refuse: Ends the stream with an error, whose text is the argument.
    init(_ range: Range<Nanoseconds>, at pad: Pad, refuse: @escaping @Sendable (String) -> Void) {
        (from, to, self.pad, self.refuse) = (range.lowerBound, range.upperBound, pad, refuse)
        state = Mutex(State(hasSought: range.lowerBound == 0))
        pad.watchEvents { [weak self] event in
            self?.note(event)
            return .ok
        }
        pad.watchBuffers { [weak self] in self?.passes($0) == true ? .ok : .drop }
    }

    /// One line of JSON. `frames` is the number of frames in the part. `first` has the checksums of the first frames of
    /// the part. `behind` has the checksums of the first frames that follow the part.
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
        state.withLock { if $0.sought == number { $0.hasSought = true } }
    }

    private func passes(_ buffer: UnsafeMutablePointer<GstBuffer>) -> Bool {
        guard state.withLock({ $0.hasSought }) else {
            seek()
            return false
        }
        guard let time = pad.streamTime(of: buffer) else {
            refuse("a frame has no timestamp, so this video cannot be split: leave out --from and --to")
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

    /// Seeks once. The seek runs on its own thread, because a flushing seek waits for the streaming thread, and the
    /// streaming thread calls this function.
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
            refuse("the video is not seekable, so it cannot be split: leave out --from and --to")
        }
    }
}
