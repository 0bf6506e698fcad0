import CGStreamer
import SwiftODT

/// The times of one frame, as its buffer and segment tell them. `GST_CLOCK_TIME_NONE` where there is none.
struct FrameTimes: Sendable {
    let timestamp: UInt64
    let streamTime: UInt64
    let runningTime: UInt64
    let duration: UInt64

    init(_ buffer: UnsafeMutablePointer<GstBuffer>, segment: UnsafePointer<GstSegment>) {
        let pts = buffer.pointee.pts
        let isTimed = segment.pointee.format == GST_FORMAT_TIME && pts != .max
        timestamp = UInt64(pts)
        duration = UInt64(buffer.pointee.duration)
        streamTime = isTimed ? UInt64(gst_segment_to_stream_time(segment, GST_FORMAT_TIME, pts)) : .max
        runningTime = isTimed ? UInt64(gst_segment_to_running_time(segment, GST_FORMAT_TIME, pts)) : .max
    }
}

/// A clock for tracking that never stands still or goes back within an epoch, whatever the buffers say.
struct SteadyClock {
    private var last: Nanoseconds?

    /// The running time where there is one, else one frame after the last. Two frames are at least a microsecond apart.
    mutating func time(of times: FrameTimes, frameDuration: Nanoseconds?) -> Nanoseconds {
        let step = frameDuration ?? 33_333_333
        let given =
            times.runningTime == UInt64.max ? last.map { $0 + step } ?? 0 : Nanoseconds(clamping: times.runningTime)
        let time = last.map { max(given, $0 + 1_000) } ?? given
        last = time
        return time
    }

    mutating func reset() { last = nil }
}
