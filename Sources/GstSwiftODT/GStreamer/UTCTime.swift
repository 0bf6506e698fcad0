import CGStreamer

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
