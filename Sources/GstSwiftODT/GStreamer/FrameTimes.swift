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

/// The capture time of a frame in nanoseconds since 1970 (UTC), for alarms and for correlating several sources.
///
/// It is the reference timestamp of the buffer (`rtspsrc add-reference-timestamp-meta=true`, cameras) or else, for live
/// streams, the arrival time at the element. Files without reference timestamps have no capture time: the time of
/// reading would only make the messages of each run different.
enum UTCTime {
    static func of(_ buffer: UnsafeMutablePointer<GstBuffer>, isLive: Bool) -> UInt64 {
        referenceTime(by: buffer) ?? (isLive ? UInt64(max(0, g_get_real_time())) * 1000 : .max)
    }

    private static func referenceTime(by buffer: UnsafeMutablePointer<GstBuffer>) -> UInt64? {
        if let unix = gst_buffer_get_reference_timestamp_meta(buffer, sinceUnix) {
            return UInt64(unix.pointee.timestamp)
        }
        guard let ntp = gst_buffer_get_reference_timestamp_meta(buffer, sinceNTP) else { return nil }
        let (time, isBefore) = UInt64(ntp.pointee.timestamp).subtractingReportingOverflow(from1900To1970)
        return isBefore || ntp.pointee.timestamp == .max ? nil : time
    }

    private static let from1900To1970: UInt64 = 2_208_988_800_000_000_000

    // `nonisolated(unsafe)`: the caps are constant and never freed. The flag excludes them from GStreamer's leak
    // tracer.
    nonisolated(unsafe) private static let sinceUnix = kept(gst_caps_new_empty_simple("timestamp/x-unix"))
    nonisolated(unsafe) private static let sinceNTP = kept(gst_caps_new_empty_simple("timestamp/x-ntp"))

    private static func kept(_ caps: UnsafeMutablePointer<GstCaps>?) -> UnsafeMutablePointer<GstCaps>? {
        caps?.pointee.mini_object.flags |= GST_MINI_OBJECT_FLAG_MAY_BE_LEAKED.rawValue
        return caps
    }
}

/// Maps running times of past frames to their timestamps. Tracking uses running time, applications use timestamps.
///
/// Within a segment the difference is constant, so only its changes are stored: one for most streams, one per frame for
/// streams with a playback rate other than 1.
struct TimestampMap {
    private struct Stretch {
        let since: Nanoseconds
        /// Timestamp minus running time, with wrap-around; `nil` if the frames have no timestamps.
        let difference: UInt64?
    }

    private static let longest = 1024
    private var stretches: [Stretch] = []

    /// Records the timestamp of a frame. Times must not decrease.
    mutating func note(_ timestamp: UInt64, at time: Nanoseconds) {
        let difference = timestamp == .max ? nil : timestamp &- UInt64(bitPattern: time)
        if let last = stretches.last, last.difference == difference { return }
        if stretches.count >= Self.longest { stretches.removeFirst(Self.longest / 2) }
        stretches.append(Stretch(since: time, difference: difference))
    }

    /// Returns the timestamp of the frame at a recorded time; `UInt64.max` if it had none or is no longer stored.
    func timestamp(at time: Nanoseconds) -> UInt64 {
        guard let difference = stretches.last(where: { $0.since <= time })?.difference else { return .max }
        return UInt64(bitPattern: time) &+ difference
    }

    mutating func reset() { stretches.removeAll(keepingCapacity: true) }
}
