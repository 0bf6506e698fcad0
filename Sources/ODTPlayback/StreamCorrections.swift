import CODTGStreamer
import SwiftODT
import Synchronization

/// Corrects the start time of a video stream that begins later than the sound.
///
/// An encoder with B-frames needs decoding timestamps before the first presentation timestamp. It therefore shifts all
/// timestamps by 1,000 hours. `GstVideoEncoder` (1.22 and 1.24) shifts its segment, too. If the first frame is later
/// than the segment's start, the segment is correct only from the second frame on. Without the correction the first
/// frame is shown too early.
enum EncoderStart {
    private static let thousandHours: UInt64 = 3_600_000_000_000_000

    private struct State {
        var begin: UInt64?
        var first: UInt64?

        /// The time in nanoseconds from the segment's start to the first frame, at most 1,000 hours; `nil` if the first
        /// frame is at the segment's start or its time is unknown.
        var late: UInt64? {
            guard let begin, let first, first != .max, first > begin else { return nil }
            return min(first - begin, EncoderStart.thousandHours)
        }
    }

    /// Installs the correction on the encoder's pads.
    static func correct(at encoder: Element) {
        let start = Monitor(State())
        encoder.pad("sink")?.watchEvents { event in
            guard let segment = segment(of: event) else { return .ok }
            return start.update { state in
                state.begin = UInt64(segment.start)
                return state.first == nil ? .ok : .remove
            }
        }
        encoder.pad("sink")?.watchBuffers { buffer in
            start.update { $0.first = UInt64(buffer.pointee.pts) }
            return .remove
        }
        encoder.pad("src")?.replaceEvents { event in
            guard var segment = segment(of: event), UInt64(segment.start) == thousandHours,
                let late = start.read(\.late)
            else { return nil }
            segment.start -= guint64(late)
            return gst_event_new_segment(&segment)
        }
    }

    private static func segment(of event: UnsafeMutablePointer<GstEvent>) -> GstSegment? {
        guard event.pointee.type == GST_EVENT_SEGMENT else { return nil }
        var segment = GstSegment()
        gst_event_copy_segment(event, &segment)
        return segment.format == GST_FORMAT_TIME ? segment : nil
    }
}

/// Cuts sound and subtitles at the last video frame when the user ends a recording early. Sound and subtitles bypass
/// inference, so their queues in front of the muxer hold data that is much later than the current video frame.
final class PictureEnd: Sendable {
    private struct State {
        /// The running time in nanoseconds at which the latest video frame ends.
        var end: UInt64 = 0
        var isOver = false
        var isEarly = false
    }

    private let state = Mutex(State())

    /// From now on, drops sound and subtitles that are later than the last video frame.
    func endEarly() { state.withLock { $0.isEarly = true } }

    /// - Parameter slot: The muxer's video pad.
    func follow(_ slot: Pad) {
        slot.watchTimes { time in
            if let time { self.state.withLock { $0.end = max($0.end, time.end) } }
            return .ok
        }
        slot.watchEvents { event in
            if event.pointee.type == GST_EVENT_EOS { self.state.withLock { $0.isOver = true } }
            return .ok
        }
    }

    /// Cuts a stream of sound or subtitles at the end of the video. The muxer consumes its inputs in the order of time,
    /// so at most one buffer later than the last frame may already have passed.
    ///
    /// - Parameter slot: The muxer's pad for sound or subtitles.
    func cut(_ slot: Pad) {
        slot.watchTimes { time in
            let isLate = self.state.withLock { $0.isOver && $0.isEarly && time?.begin ?? 0 >= $0.end }
            return isLate ? .drop : .ok
        }
    }
}

/// Converts subtitles from Pango markup to plain text, because no container supports markup. For example, `<i>no</i>`
/// becomes `no`, and `&amp;` becomes `&`.
enum MarkupRemoval {
    static func begin(at pad: Pad) {
        // Without this call, caps queries from upstream would reach the muxer. The muxer rejects markup.
        pad.acceptAllCaps()
        pad.replaceEvents { event in
            guard event.pointee.type == GST_EVENT_CAPS else { return nil }
            return gst_event_new_caps(plain)
        }
        pad.replaceBuffers { buffer in
            var map = GstMapInfo()
            guard gst_buffer_map(buffer, &map, GST_MAP_READ) != 0 else { return nil }
            let text = plainText(UnsafeBufferPointer(start: map.data, count: Int(map.size)))
            gst_buffer_unmap(buffer, &map)
            guard let copy = gst_buffer_new_memdup(text, gsize(text.count)) else { return nil }
            gst_buffer_copy_into(
                copy, buffer,
                GstBufferCopyFlags(rawValue: GST_BUFFER_COPY_TIMESTAMPS.rawValue | GST_BUFFER_COPY_FLAGS.rawValue), 0,
                gsize.max)
            return copy
        }
    }

    /// `nonisolated(unsafe)`: the caps are constant, and their reference count is atomic.
    nonisolated(unsafe) private static let plain = gst_caps_from_string("text/x-raw, format=(string)utf8")

    /// Removes tags and resolves entities. A `<` without a following `>` is kept.
    static func plainText(_ bytes: some Collection<UInt8>) -> [UInt8] {
        var text: [UInt8] = []
        var rest = Array(bytes)[...]
        while let byte = rest.first {
            if byte == UInt8(ascii: "<"), let end = rest.firstIndex(of: UInt8(ascii: ">")) {
                rest = rest[(end + 1)...]
            } else if byte == UInt8(ascii: "&"),
                let (entity, plain) = XMLEntities.all.first(where: { rest.starts(with: $0.0.utf8) })
            {
                text += plain.utf8
                rest = rest.dropFirst(entity.utf8.count)
            } else {
                text.append(byte)
                rest = rest.dropFirst()
            }
        }
        return text
    }
}
