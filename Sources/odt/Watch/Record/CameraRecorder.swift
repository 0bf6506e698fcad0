import CODTGStreamer
import GstFrames
import ODTPlayback
import SwiftODT
import Synchronization

/// Records one connection to a camera in consecutive segments. Each segment begins with a key frame.
///
/// If writing fails, the recorder closes the segment, logs the error, and starts a new segment after 10 s. `odt watch`
/// continues.
///
/// `@unchecked Sendable`: the lock protects all mutable state.
final class CameraRecorder: @unchecked Sendable {
    /// The delay in nanoseconds between a failure and the next segment.
    private static let pause: Nanoseconds = 10_000_000_000

    private let camera: String
    private let recording: Recording
    private let folder: String
    private let notify: @Sendable (String) -> Void
    private let finished: @Sendable (FinishedSegment) -> Void
    let clips: ClipRecorder?
    private let followsTag: Bool
    /// Whether the end of the stream has arrived. No frame follows.
    let hasEnded = Monitor(false)
    private let failing = Atomic(false)
    /// Whether the latest attempt to write has failed. May be read on any thread.
    private(set) var isFailing: Bool {
        get { failing.load(ordering: .relaxed) }
        set { failing.store(newValue, ordering: .relaxed) }
    }
    // ``lock`` protects the following variables.
    private let lock = Mutex(())
    private var content: RecordedContent
    private var caps: UnsafeMutablePointer<GstCaps>?
    /// The stream's GStreamer segment. It converts the stream's timestamps to running times.
    private var times = GstSegment()
    private var segment: RecordedSegment?
    /// The monotonic time before which no recorded segment is started.
    private var resting: Nanoseconds = .min
    /// Whether a key frame has been requested for the start of the next segment.
    private var isAsked = false
    /// Whether the folder may contain segments that could not be finished and have their temporary names, also from an
    /// earlier connection.
    private var mayHaveUnfinished = true

    /// - Parameters:
    ///   - followsTag: Whether the stream's orientation tag specifies the orientation of original frames.
    ///   - finished: Called for each finished segment, on the streaming thread or on the thread that calls
    ///     ``finish(discardsRedacted:)``.
    init(
        _ recording: Recording, camera: String, content: RecordedContent, followsTag: Bool, clips: ClipRecorder?,
        finished: @escaping @Sendable (FinishedSegment) -> Void,
        notify: @escaping @Sendable (String) -> Void
    ) {
        (self.recording, self.camera, self.finished, self.notify) = (recording, camera, finished, notify)
        (self.content, self.followsTag, self.clips) = (content, followsTag, clips)
        gst_segment_init(&times, GST_FORMAT_TIME)
        folder = recording.options.folder.path + camera + "/"
    }

    deinit { if let caps { gst_caps_unref(caps) } }

    /// Records the buffers that reach the sink element `recorded` of a pipeline. Probes on the sink's pad keep this
    /// object alive.
    func record(from pipeline: Pipeline) {
        reportDrops(of: pipeline["waiting"])
        let pad = pipeline["recorded"].pad("sink")
        pad?.watchEvents { event in
            self.lock.withLock { _ in self.see(event) }
            return .ok
        }
        pad?.observeBuffers { [weak pipeline] buffer in
            self.lock.withLock { _ in self.take(buffer, from: pipeline) }
        }
    }

    /// Reports each time that the queue before the recorder is full and therefore drops a frame. The log suppresses the
    /// repetitions.
    private func reportDrops(of queue: Element) {
        // The handler runs on the camera's streaming thread. It must not wait for `lock`, which is held while the disk
        // writes.
        queue.connect("overrun") { [notify] _ in
            notify(
                "frames are missing in the recording, because the disk or the encoder is too slow: use a faster disk, or "
                    + "lower the camera's resolution or frame rate")
        }
    }

    /// - Parameter discardsRedacted: Whether the open segment and clip are deleted if they are redacted. The element
    ///   reports some faults of redaction only at the end of the stream.
    func finish(discardsRedacted: Bool = false) {
        lock.withLock { _ in
            if discardsRedacted, content.isRedacted, let segment {
                segment.discard()
                self.segment = nil
                notify("the last segment was deleted, because its redaction is not guaranteed")
            }
            endSegment()
        }
        clips?.finish(discardsRedacted: discardsRedacted)
    }

    private func see(_ event: UnsafeMutablePointer<GstEvent>) {
        switch event.pointee.type {
        case GST_EVENT_CAPS:
            var new: UnsafeMutablePointer<GstCaps>?
            gst_event_parse_caps(event, &new)
            guard let new else { return }
            if let caps, gst_caps_is_equal(caps, new) != 0 { return }
            // A segment has one size and one codec, so a change begins a new one.
            endSegment()
            if let caps { gst_caps_unref(caps) }
            caps = gst_caps_ref(new)
            clips?.use(new, content)
        case GST_EVENT_TAG: followTag(of: event)
        case GST_EVENT_SEGMENT: gst_event_copy_segment(event, &times)
        case GST_EVENT_EOS:
            // Redacted segments end in ``finish(discardsRedacted:)``.
            if !content.isRedacted { endSegment() }
            hasEnded.update { $0 = true }
        default: break
        }
    }

    private func followTag(of event: UnsafeMutablePointer<GstEvent>) {
        var tags: UnsafeMutablePointer<GstTagList>?
        gst_event_parse_tag(event, &tags)
        var method = GST_VIDEO_ORIENTATION_IDENTITY
        guard followsTag, case .original(let old) = content, gst_video_orientation_from_tag(tags, &method) != 0,
            let new = Orientation(method), new != old
        else { return }
        // A segment has one orientation, so a change begins a new one.
        endSegment()
        content = .original(new)
        if let caps { clips?.use(caps, content) }
    }

    private func take(_ buffer: UnsafeMutablePointer<GstBuffer>, from pipeline: Pipeline?) {
        let isKey = !buffer.hasFlag(GST_BUFFER_FLAG_DELTA_UNIT)
        let now = MonotonicClock.now
        let time = Nanoseconds(clamping: UInt64(buffer.pointee.pts == .max ? buffer.pointee.dts : buffer.pointee.pts))
        if time < .max { clips?.take(buffer, isKey: isKey, time: time, running: runningTime(of: time)) }
        if let segment, isDue(segment, at: time) {
            if isKey {
                endSegment()
            } else if !isAsked {
                // An encoder produces a key frame on request. A camera ignores the request, so the segment ends at the
                // camera's next regular key frame.
                pipeline?["recorded"].pad("sink")?.askForKeyFrame()
                isAsked = true
            }
        }
        do {
            if segment == nil {
                guard isKey, time < .max, now >= resting, let caps else { return }
                segment = try RecordedSegment(
                    in: folder, of: camera, at: WallClock.now, start: time, content: content, caps: caps)
                isAsked = false
            }
            try segment?.write(buffer)
            if mayHaveUnfinished {
                // On another thread, because the disk may be slow.
                DetachedThread.run { [folder, camera] in Recording.adopt(in: folder, of: camera) }
            }
            if isFailing { notify("recording resumed") }
            (mayHaveUnfinished, isFailing) = (false, false)
        } catch { fail(error) }
    }

    private func isDue(_ segment: RecordedSegment, at time: Nanoseconds) -> Bool {
        guard time < .max else { return false }
        // A timestamp more than 1 s before the segment's start means that the stream's timestamps have restarted.
        return time.since(segment.start) >= recording.options.length || time < segment.start.since(1_000_000_000)
            || segment.size >= recording.largestSegment
    }

    private func endSegment() {
        guard let segment else { return }
        self.segment = nil
        do {
            try segment.finish()
            if let start = runningTime(of: segment.start), let end = runningTime(of: segment.latest), start < end {
                finished(FinishedSegment(path: segment.path, start: start, end: end))
            }
        } catch { fail(error) }
    }

    private func runningTime(of time: Nanoseconds) -> Nanoseconds? {
        let running = gst_segment_to_running_time(&times, GST_FORMAT_TIME, guint64(max(0, time)))
        return running == .max ? nil : Nanoseconds(clamping: UInt64(running))
    }

    private func fail(_ error: any Error) {
        segment?.leave()
        segment = nil
        resting = MonotonicClock.now.adding(Self.pause)
        recording.retention.clean()
        if !isFailing {
            notify("cannot record: \(error); retrying every \(Self.pause / 1_000_000_000) s while the watch continues")
        }
        (mayHaveUnfinished, isFailing) = (true, true)
    }
}

extension UnsafeMutablePointer<GstBuffer> {
    fileprivate func hasFlag(_ flag: GstBufferFlags) -> Bool {
        pointee.mini_object.flags & flag.rawValue != 0
    }
}
