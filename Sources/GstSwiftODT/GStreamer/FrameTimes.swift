import CGStreamer
import SwiftODT

/// The times of one frame, as its buffer and segment tell them. `GST_CLOCK_TIME_NONE` where there is none.
struct FrameTimes: Sendable {
    let timestamp: UInt64
    let streamTime: UInt64
    let runningTime: UInt64
    let duration: UInt64

    /// `nil` for a frame outside of its segment: it is not to be shown. Of one that begins before its segment only what is
    /// inside has a stream time and a running time.
    init?(_ buffer: UnsafeMutablePointer<GstBuffer>, segment: UnsafePointer<GstSegment>) {
        let (start, length) = (buffer.pointee.pts, buffer.pointee.duration)
        (timestamp, duration) = (UInt64(start), UInt64(length))
        guard segment.pointee.format == GST_FORMAT_TIME, start != .max else {
            (streamTime, runningTime) = (.max, .max)
            return
        }
        let (end, overflow) = start.addingReportingOverflow(length)
        let stop = overflow || length == .max ? .max : end
        var (from, to) = (start, stop)
        guard gst_segment_clip(segment, GST_FORMAT_TIME, start, stop, &from, &to) != 0 else { return nil }
        streamTime = UInt64(gst_segment_to_stream_time(segment, GST_FORMAT_TIME, from))
        runningTime = UInt64(gst_segment_to_running_time(segment, GST_FORMAT_TIME, from))
    }

    /// The running time where it can be reckoned with.
    var validTime: Nanoseconds? { Nanoseconds(exactly: runningTime).flatMap { $0.isInRange ? $0 : nil } }

    /// How long the frame is shown, where its buffer says so.
    var validDuration: Nanoseconds? {
        Nanoseconds(exactly: duration).flatMap { $0 > 0 && $0.isInRange ? $0 : nil }
    }
}

extension FrameTimes: CustomStringConvertible {
    /// For a log: nanoseconds.
    var description: String { runningTime == .max ? "no time" : "\(runningTime) ns" }
}
