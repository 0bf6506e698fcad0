import CODTGStreamer
import GstFrames
import SwiftODT

/// The properties of the incoming stream according to its events: caps, segment, tags and seeks. Creates the context of
/// each frame.
struct IncomingStream {
    /// `nil` before valid caps have arrived. Queued frames keep the format with which they arrived.
    private(set) var format: StreamFormat?
    private(set) var isLive: Bool

    private let element: ElementHandle
    private let signals: StreamSignals
    private var segment = GstSegment()
    private var orientationTag = OrientationTag()
    private var epochs = EpochRule()
    private var clock = SteadyClock()
    private var hasQueriedUpstream = false
    /// The number of frames so far (`frameCount`), and whether there has been a seek or flush (`hasJumped`). After a
    /// seek or flush, the number is not the position in the video.
    private var (frameCount, hasJumped) = (0, false)
    /// Whether the latest frame is a still picture, according to the event `still-frame`.
    private(set) var isStill = false
    private var streamID: String?
    /// Whether another stream begins with the next frame.
    private var isOtherStream = false
    private var latestTimestamp: UInt64?
    /// The timestamp of the next frame, if the gate before the decoder has announced this frame as a preview.
    private var preview: UInt64?
    /// The timestamps of processed frames that the gate before the decoder passes again.
    private var repeated: ClosedRange<UInt64>?
    /// The timestamp of the key frame that the gate has passed again. A decoder that had not output it before outputs it
    /// twice; the second one is skipped. `nil` after that.
    private var repeatedKeyFrame: UInt64?
    /// `nil` if no released frames are late.
    private var catchUp: CatchUp?

    init(element: ElementHandle, signals: StreamSignals, isLive: Bool) {
        (self.element, self.signals, self.isLive) = (element, signals, isLive)
        gst_segment_init(&segment, GST_FORMAT_UNDEFINED)
    }

    /// Determines whether the stream is live. The function is called at frames and allocation queries. It queries until
    /// upstream answers, because one of several sources may not be connected yet.
    mutating func queryUpstream() {
        guard !hasQueriedUpstream, let answer = element.sinkPad.isUpstreamLive() else { return }
        (hasQueriedUpstream, isLive) = (true, answer)
        element.log(.info, isLive ? "upstream is live" : "upstream is not live")
    }

    // MARK: Frames

    /// Returns `nil` for a frame outside its segment.
    mutating func times(of buffer: UnsafeMutablePointer<GstBuffer>) -> FrameTimes? {
        FrameTimes(buffer, segment: &segment)
    }

    /// Returns whether a frame has already been processed. When the gate before the decoder opens, it passes a key
    /// frame again, and some decoders output it again.
    mutating func isRepeated(_ times: FrameTimes) -> Bool {
        isStill = false
        if let repeated, repeated.contains(times.timestamp) { return true }
        if times.timestamp == latestTimestamp, times.timestamp == repeatedKeyFrame {
            repeatedKeyFrame = nil
            return true
        }
        (latestTimestamp, repeated) = (times.timestamp, nil)
        return false
    }

    /// Returns whether a frame is a preview. A preview is a key frame that the gate passes while it still keeps frames
    /// from before this key frame.
    mutating func takePreview(_ times: FrameTimes) -> Bool {
        defer { preview = nil }
        return times.timestamp == preview
    }

    /// Returns whether a frame is late because the gate before the decoder has released kept frames.
    mutating func isLate(_ times: FrameTimes) -> Bool {
        let isLate = catchUp?.isLate(times.timestamp, at: MonotonicClock.now) ?? false
        if !isLate { catchUp = nil }
        return isLate
    }

    mutating func context(
        of buffer: UnsafeMutablePointer<GstBuffer>, in format: StreamFormat, times: FrameTimes, settings: Settings,
        plan: SchedulePlan, intervalPolicy: InferencePolicy.Interval
    ) -> FrameContext {
        let orientation = settings.orientation ?? orientationTag.orientation(at: element)
        let step = times.validDuration ?? format.frameDuration ?? SchedulePlan.usualFrameDuration
        let followsStill = epochs.isStill
        // Usually, the time between a still picture and the next frame is not a gap in the stream, however long it is.
        // With redaction, the usual limit for gaps applies to this time, too. A gap ends all tracks, which is necessary
        // because the next frame may show another person.
        if settings.requestsRedaction { epochs.noteStill(false) }
        let isFirst = epochs.isFresh
        let epochBreak = epochs.check(
            at: EpochRule.FrameInfo(
                time: times.validTime, duration: step, width: format.width, height: format.height,
                orientation: orientation),
            maxAge: settings.scene.tracker.maxAge)
        if epochBreak != nil { clock.reset() }
        if frameCount < Int.max { frameCount += 1 }
        defer { isOtherStream = false }
        return FrameContext(
            buffer: buffer, times: times, time: clock.time(of: times.validTime, step: step),
            utcTime: UTCTime.of(buffer, isLive: isLive), number: frameCount, hasJumped: hasJumped, format: format,
            orientation: orientation, settings: settings, plan: plan, intervalPolicy: intervalPolicy,
            epochBreak: epochBreak, beginsEpoch: isFirst || epochBreak != nil, followsStill: followsStill,
            beginsOtherStream: isOtherStream, resetsTracks: signals.takeReset())
    }

    // MARK: Events

    mutating func notice(_ event: UnsafeMutablePointer<GstEvent>) {
        switch event.pointee.type {
        case GST_EVENT_STREAM_START:
            element.log(.debug, "start of stream")
            orientationTag = OrientationTag()
            noticeStream(event)
        case GST_EVENT_CAPS:
            var caps: UnsafeMutablePointer<GstCaps>?
            gst_event_parse_caps(event, &caps)
            format = caps.flatMap(StreamFormat.init(caps:))
            element.log(.debug, "caps: \(GstText.of(caps))")
            orientationTag.noticeCaps()
        case GST_EVENT_SEGMENT:
            gst_event_copy_segment(event, &segment)
            element.log(
                .debug,
                "a segment from \(segment.start) to \(segment.stop) at rate \(segment.rate), base \(segment.base)")
            if signals.takeSeek(gst_event_get_seqnum(event)) {
                epochs.announce(.seek)
                hasJumped = true
            }
        case GST_EVENT_TAG:
            var tags: UnsafeMutablePointer<GstTagList>?
            gst_event_parse_tag(event, &tags)
            if let tags { orientationTag.notice(tags) }
        case GST_EVENT_CUSTOM_DOWNSTREAM:
            noticeStill(event)
            noticeGate(event)
        default: break
        }
    }

    private mutating func noticeStream(_ event: UnsafeMutablePointer<GstEvent>) {
        var text: UnsafePointer<CChar>?
        gst_event_parse_stream_start(event, &text)
        let id = text.map { String(cString: $0) }
        if let streamID, streamID != id {
            epochs.announce(.stream)
            isOtherStream = true
        }
        streamID = id
    }

    private mutating func noticeStill(_ event: UnsafeMutablePointer<GstEvent>) {
        var still: gboolean = 0
        guard gst_video_event_parse_still_frame(event, &still) != 0 else { return }
        isStill = still != 0
        epochs.noteStill(isStill)
    }

    private mutating func noticeGate(_ event: UnsafeMutablePointer<GstEvent>) {
        guard let structure = gst_event_get_structure(event) else { return }
        func time(_ name: String) -> UInt64 {
            var value: guint64 = .max
            gst_structure_get_uint64(structure, name, &value)
            return UInt64(value)
        }
        let timestamp = time("timestamp")
        if gst_structure_has_name(structure, "swiftodt-preview") != 0 {
            preview = timestamp
        } else if gst_structure_has_name(structure, "swiftodt-rewind") != 0 {
            let latest = time("latest")
            // After a timestamp that is too late, decoders raise the following timestamps to it. `latestTimestamp` can then
            // exceed every timestamp that the gate has received (`latest`), and released frames must not count as
            // repeated.
            let end = latestTimestamp.map { min($0, latest) }
            repeated = end.flatMap { timestamp <= $0 && $0 != .max ? timestamp...$0 : nil }
            repeatedKeyFrame = timestamp
            catchUp = CatchUp(latest: latest, at: MonotonicClock.now)
        }
    }

    /// - Returns: the reason for the new epoch. `nil` if no frame has arrived since the last epoch began.
    mutating func flush() -> EpochRule.Break? {
        gst_segment_init(&segment, GST_FORMAT_UNDEFINED)
        hasJumped = frameCount > 0
        (isStill, latestTimestamp, preview, repeated, repeatedKeyFrame, catchUp) = (false, nil, nil, nil, nil, nil)
        guard let reason = epochs.flush() else { return nil }
        clock.reset()
        return reason
    }
}

/// Decides which frames are late after the gate before the decoder has released kept frames.
///
/// The delay of a frame is the time since the opening of the gate, minus the difference between the frame's timestamp and
/// the latest timestamp that the gate had received by then. Frames are late until their delay is at most ``tolerance``, or
/// has not decreased for ``stallLimit``. The frames that arrive while the released ones are processed can be late, too.
struct CatchUp {
    private static let tolerance: Nanoseconds = 150_000_000
    /// If the delay does not decrease, the machine is too slow, or the decoder causes the delay.
    private static let stallLimit: Nanoseconds = 1_000_000_000

    private let (latestTimestamp, openingTime): (Nanoseconds, Nanoseconds)
    private var minimum: (delay: Nanoseconds, at: Nanoseconds)?

    /// Returns `nil` for an unknown timestamp.
    ///
    /// - Parameter openingTime: the monotonic time at which the gate opened.
    init?(latest: UInt64, at openingTime: Nanoseconds) {
        guard let latest = Nanoseconds(exactly: latest) else { return nil }
        (latestTimestamp, self.openingTime) = (latest, openingTime)
    }

    /// - Parameter now: the monotonic time at which the frame arrives.
    mutating func isLate(_ timestamp: UInt64, at now: Nanoseconds) -> Bool {
        guard let timestamp = Nanoseconds(exactly: timestamp) else { return false }
        let delay = now.since(openingTime).since(timestamp.since(latestTimestamp))
        if let minimum, delay >= minimum.delay {
            if now.since(minimum.at) > Self.stallLimit { return false }
        } else {
            minimum = (delay, now)
        }
        return delay > Self.tolerance
    }
}
