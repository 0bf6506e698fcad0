import CODTGStreamer
import SwiftODT

/// The times of one frame in nanoseconds, derived from its buffer and segment. An unknown time is
/// `GST_CLOCK_TIME_NONE`.
struct FrameTimes: CustomStringConvertible, Sendable {
    let timestamp: UInt64
    let streamTime: UInt64
    let runningTime: UInt64
    let duration: UInt64

    /// Returns `nil` for a frame outside its segment, because such a frame must not be shown. A frame that begins
    /// before its segment gets the stream time and the running time of the segment's start.
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

    /// `nil` if the running time is unknown or out of range.
    var validTime: Nanoseconds? { Self.valid(runningTime) }

    /// `nil` if the stream time is unknown or out of range.
    var validStreamTime: Nanoseconds? { Self.valid(streamTime) }

    /// `nil` if the buffer has no valid duration.
    var validDuration: Nanoseconds? { Self.valid(duration).flatMap { $0 > 0 ? $0 : nil } }

    private static func valid(_ time: UInt64) -> Nanoseconds? {
        Nanoseconds(exactly: time).flatMap { $0.isInRange ? $0 : nil }
    }

    var description: String { runningTime == .max ? "no time" : "\(runningTime) ns" }
}

/// The capture time of a frame in nanoseconds since 1970 (UTC).
///
/// The capture time is the buffer's reference timestamp, if there is one. `rtspsrc add-reference-timestamp-meta=true`
/// and some camera sources attach reference timestamps. In other live streams, the capture time is the time at which
/// the frame arrives at the element. Files without reference timestamps have no capture time (`UInt64.max`). The time
/// at which a file is read is not used, because the messages would then differ from run to run.
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

    // `nonisolated(unsafe)`: the caps are constant and never freed. The flag `MAY_BE_LEAKED` excludes them from the
    // report of GStreamer's leak tracer.
    nonisolated(unsafe) private static let sinceUnix = kept(gst_caps_new_empty_simple("timestamp/x-unix"))
    nonisolated(unsafe) private static let sinceNTP = kept(gst_caps_new_empty_simple("timestamp/x-ntp"))

    private static func kept(_ caps: UnsafeMutablePointer<GstCaps>?) -> UnsafeMutablePointer<GstCaps>? {
        caps?.pointee.mini_object.flags |= GST_MINI_OBJECT_FLAG_MAY_BE_LEAKED.rawValue
        return caps
    }
}

/// Maps the running times of past frames to their timestamps. The tracker uses running times, and applications use
/// timestamps.
///
/// Within a segment with a playback rate of 1, the difference between timestamp and running time is constant. Therefore
/// only changes of this difference are stored. At other playback rates it changes at each frame.
struct TimestampMap {
    /// A range of running time in which timestamp minus running time is constant. It ends where the next range begins.
    private struct Stretch {
        let since: Nanoseconds
        /// The timestamp minus the running time, with wrap-around; `nil` if the frames have no timestamps.
        let difference: UInt64?
    }

    private static let longest = 1024
    private var stretches: [Stretch] = []

    /// The running times must not decrease from call to call.
    mutating func note(_ timestamp: UInt64, at time: Nanoseconds) {
        let difference = timestamp == .max ? nil : timestamp &- UInt64(bitPattern: time)
        if let last = stretches.last, last.difference == difference { return }
        if stretches.count >= Self.longest { stretches.removeFirst(Self.longest / 2) }
        stretches.append(Stretch(since: time, difference: difference))
    }

    /// Returns the timestamp of the frame at a running time that was passed to ``note(_:at:)``. Returns `UInt64.max` if
    /// this frame had no timestamp or is no longer stored.
    func timestamp(at time: Nanoseconds) -> UInt64 {
        guard let difference = stretches.last(where: { $0.since <= time })?.difference else { return .max }
        return UInt64(bitPattern: time) &+ difference
    }
}
