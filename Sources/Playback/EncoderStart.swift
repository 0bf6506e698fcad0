import CGStreamer
import Synchronization

/// Corrects the start time of a video stream that begins later than the sound.
///
/// An encoder with B-frames needs decoding timestamps before the first presentation timestamp. It therefore shifts all
/// timestamps by 1,000 hours. `GstVideoEncoder` (1.22 and 1.24) shifts its segment, too. If the first frame is later
/// than the segment's start, the segment is correct only from the second frame on. Without the correction the first
/// frame is shown too early.
final class EncoderStart: Sendable {
    private static let thousandHours: UInt64 = 3_600_000_000_000_000

    private struct State {
        var begin: UInt64?
        var first: UInt64?
    }

    private let state = Mutex(State())

    /// Installs the correction on the encoder's pads. The pads' probes keep the instance alive.
    static func keep(of encoder: Element) {
        let start = EncoderStart()
        encoder.pad("sink")?.watchEvents { event in
            guard let segment = segment(of: event) else { return .ok }
            return start.state.withLock { state in
                state.begin = UInt64(segment.start)
                return state.first == nil ? .ok : .remove
            }
        }
        encoder.pad("sink")?.watchBuffers { buffer in
            start.state.withLock { $0.first = UInt64(buffer.pointee.pts) }
            return .remove
        }
        encoder.pad("src")?.replaceEvents { event in
            guard var segment = segment(of: event), UInt64(segment.start) == thousandHours, let late = start.late else {
                return nil
            }
            segment.start -= guint64(late)
            return gst_event_new_segment(&segment)
        }
    }

    /// The time in nanoseconds from the segment's start to the first frame, at most 1,000 hours; `nil` if the first
    /// frame is at the segment's start or its time is unknown.
    private var late: UInt64? {
        state.withLock { state in
            guard let begin = state.begin, let first = state.first, first != .max, first > begin else { return nil }
            return min(first - begin, Self.thousandHours)
        }
    }

    private static func segment(of event: UnsafeMutablePointer<GstEvent>) -> GstSegment? {
        guard event.pointee.type == GST_EVENT_SEGMENT else { return nil }
        var segment = GstSegment()
        gst_event_copy_segment(event, &segment)
        return segment.format == GST_FORMAT_TIME ? segment : nil
    }
}
