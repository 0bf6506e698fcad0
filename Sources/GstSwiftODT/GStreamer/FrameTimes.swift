import CGStreamer
import SwiftODT

/// The times of one frame according to its buffer and segment, in nanoseconds; `GST_CLOCK_TIME_NONE` if unknown.
struct FrameTimes: Sendable {
    let timestamp: UInt64
    let streamTime: UInt64
    let runningTime: UInt64
    let duration: UInt64

    /// Returns `nil` for a frame outside its segment, which must not be shown. If a frame begins before its segment,
    /// its stream time and running time are those of the segment start.
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

    /// The running time if it is in the valid range.
    var validTime: Nanoseconds? { Nanoseconds(exactly: runningTime).flatMap { $0.isInRange ? $0 : nil } }

    /// The duration if the buffer has one.
    var validDuration: Nanoseconds? {
        Nanoseconds(exactly: duration).flatMap { $0 > 0 && $0.isInRange ? $0 : nil }
    }
}

extension FrameTimes: CustomStringConvertible {
    /// The running time in nanoseconds, for the log.
    var description: String { runningTime == .max ? "no time" : "\(runningTime) ns" }
}
