import CGStreamer
import Playback
import Synchronization

/// Keeps the time of the first picture, where it begins later than the sound.
///
/// An encoder with pictures that lean on later ones has to begin before its first picture, and moves all by a thousand hours for that.
/// GStreamer's base class moves its time line along only from the second picture on when the first one is not at the beginning
/// (1.22 and 1.24), so that the first one is shown too early.
final class EncoderStart: Sendable {
    private static let thousandHours: UInt64 = 3_600_000_000_000_000

    private struct State {
        var begin: UInt64?
        var first: UInt64?
    }

    private let state = Mutex(State())

    /// The one that lives as long as its pads.
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

    /// How much later than its time line the picture begins, if it does.
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
