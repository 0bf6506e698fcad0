import CODTGStreamer
import ODTPlayback
import SwiftODT

/// Finds key frames at which a video can be cut into parts of about equal length. Seeks from one cut to the next and
/// decodes only one frame at each cut.
struct VideoCuts {
    /// The time limit for starting the pipeline and for each seek, in nanoseconds.
    private static let timeout: Nanoseconds = 60_000_000_000

    private let source: MediaSource
    private let pipeline: Pipeline
    private let entry: Pad
    /// The stream time of the first frame after the latest seek; `nil` until the frame arrives.
    private let landing = Monitor<Nanoseconds?>(nil)

    init(_ video: String) throws {
        source = try MediaSource(video)
        pipeline = try Pipeline("\(source.description) videoconvert name=video ! fakesink sync=false")
        source.setAddress(in: pipeline)
        guard let entry = pipeline["video"].pad("sink") else { throw PlaybackError("the pipeline has no entry pad") }
        self.entry = entry
        let landing = landing
        entry.watchEvents { event in
            if event.pointee.type == GST_EVENT_SEGMENT { landing.update { $0 = nil } }
            return .ok
        }
        entry.observeBuffers { [weak entry] buffer in
            if let time = entry?.streamTime(of: buffer) { landing.update { $0 = $0 ?? time } }
        }
    }

    /// Returns one line of JSON with the duration of the video and the times of the key frames at which parts begin, in
    /// nanoseconds. The list of times is empty if the video cannot be cut.
    func find(each length: Nanoseconds) throws -> String {
        let linker = StreamLinker(videoOf: pipeline) { printError("odt detect: \($0)") }
        defer { withExtendedLifetime(linker) {} }
        defer { gst_element_set_state(pipeline.top, GST_STATE_NULL) }
        gst_element_set_state(pipeline.top, GST_STATE_PAUSED)
        guard try hasLanded() else { throw PlaybackError("the video delivered no frame within 60 s") }
        var duration: gint64 = 0
        guard gst_element_query_duration(pipeline.top, GST_FORMAT_TIME, &duration) != 0, duration > 0,
            var last = landing.read({ $0 })
        else { return Self.report(nil, []) }
        var cuts: [Nanoseconds] = []
        var aim = length
        while aim < duration, let time = (try? seek(to: aim)) ?? nil {
            if time > last, time < duration {
                cuts.append(time)
                last = time
            }
            aim = max(aim, time).adding(length)
        }
        return Self.report(Nanoseconds(duration), cuts)
    }

    private func seek(to time: Nanoseconds) throws -> Nanoseconds? {
        guard gst_element_seek_simple(pipeline.top, GST_FORMAT_TIME, VideoPart.toKeyFrame, gint64(time)) != 0,
            try hasLanded()
        else { return nil }
        return landing.read { $0 }
    }

    /// Waits until the pipeline has decoded a frame after starting or after a seek. Returns `false` if it reaches the
    /// end of the stream or the time limit.
    private func hasLanded() throws -> Bool {
        let bus = gst_element_get_bus(pipeline.top)
        defer { gst_object_unref(bus) }
        let wanted = GstMessageType(
            rawValue: [GST_MESSAGE_ASYNC_DONE, GST_MESSAGE_ELEMENT, GST_MESSAGE_ERROR, GST_MESSAGE_EOS]
                .reduce(0) { $0 | $1.rawValue })
        var missing = MissingDecoders()
        let deadline = MonotonicClock.now + Self.timeout
        while case let left = deadline - MonotonicClock.now, left > 0,
            let message = gst_bus_timed_pop_filtered(bus, GstClockTime(left), wanted)
        {
            defer { gst_message_unref(message) }
            switch message.pointee.type {
            case GST_MESSAGE_ELEMENT: missing.note(message)
            case GST_MESSAGE_ERROR:
                let error = missing.explained(message)
                if let text = source.explained(error.text) { throw PlaybackError(text, .fileNotFound) }
                throw PlaybackError(error.text, error.reason)
            default: return message.pointee.type == GST_MESSAGE_ASYNC_DONE
            }
        }
        return false
    }

    private static func report(_ duration: Nanoseconds?, _ cuts: [Nanoseconds]) -> String {
        JSONValue.object([
            "duration": duration.map { .number(Double($0)) } ?? .null, "cuts": .array(cuts.map { .number(Double($0)) }),
        ]).text
    }
}
