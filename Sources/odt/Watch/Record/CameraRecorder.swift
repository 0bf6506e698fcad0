import CGStreamer
import Playback
import SwiftODT
import Synchronization

/// Records one connection to a camera, segment after segment, each from one picture that stands alone to the next.
///
/// A segment that cannot be written is left, that is said, and another is tried after a while; the watch goes on all the time.
final class CameraRecorder: @unchecked Sendable {
    /// After how long another segment is tried.
    private static let pause: Nanoseconds = 10_000_000_000

    private let camera: String
    private let recording: Recording
    private let folder: String
    private let notify: @Sendable (String) -> Void
    private let finished: @Sendable (FinishedSegment) -> Void
    // What follows is changed behind the lock alone.
    private let lock = Mutex(())
    private var caps: UnsafeMutablePointer<GstCaps>?
    /// Maps the stream's times to running times.
    private var times = GstSegment()
    private var segment: RecordedSegment?
    private var resting: Nanoseconds = .min
    private var isFailing = false
    private var isAsked = false

    /// - Parameter finished: takes each segment that is whole. Called on the streaming thread.
    init(
        _ recording: Recording, camera: String, finished: @escaping @Sendable (FinishedSegment) -> Void,
        notify: @escaping @Sendable (String) -> Void
    ) {
        (self.recording, self.camera, self.finished, self.notify) = (recording, camera, finished, notify)
        gst_segment_init(&times, GST_FORMAT_TIME)
        folder = recording.options.folder + camera + "/"
    }

    deinit { if let caps { gst_caps_unref(caps) } }

    /// Records what comes to the fake sink `recorded` of a pipeline, whose pads hold on to this.
    func record(from pipeline: Pipeline) {
        let pad = pipeline["recorded"].pad("sink")
        pad?.watchEvents { event in
            self.lock.withLock { _ in self.see(event) }
            return .ok
        }
        pad?.watchBuffers { [weak pipeline] buffer in
            self.lock.withLock { _ in self.take(buffer, from: pipeline) }
            return .ok
        }
    }

    /// Ends the segment that is under way.
    func finish() { lock.withLock { _ in endSegment() } }

    private func see(_ event: UnsafeMutablePointer<GstEvent>) {
        switch event.pointee.type {
        case GST_EVENT_CAPS:
            var new: UnsafeMutablePointer<GstCaps>?
            gst_event_parse_caps(event, &new)
            guard let new else { return }
            if let caps, gst_caps_is_equal(caps, new) != 0 { return }
            // What is of another size or kind begins a file of its own.
            endSegment()
            if let caps { gst_caps_unref(caps) }
            caps = gst_caps_ref(new)
        case GST_EVENT_SEGMENT: gst_event_copy_segment(event, &times)
        case GST_EVENT_EOS: endSegment()
        default: break
        }
    }

    private func take(_ buffer: UnsafeMutablePointer<GstBuffer>, from pipeline: Pipeline?) {
        let isKey = !buffer.hasFlag(GST_BUFFER_FLAG_DELTA_UNIT)
        let now = MonotonicClock.now
        let time = Nanoseconds(clamping: UInt64(buffer.pointee.pts == .max ? buffer.pointee.dts : buffer.pointee.pts))
        recording.retention.cleanIfDue(steady: now)
        if let segment, isDue(segment, at: time) {
            if isKey {
                endSegment()
            } else if !isAsked {
                // An encoder makes a picture that stands alone when it is asked; a camera does when it likes.
                pipeline?["recorded"].pad("sink")?.askForKeyFrame()
                isAsked = true
            }
        }
        do {
            if segment == nil {
                guard isKey, time < .max, now >= resting, let caps else { return }
                segment = try RecordedSegment(in: folder, of: camera, at: WallClock.now, start: time, caps: caps)
                isAsked = false
            }
            try segment?.write(buffer)
            if isFailing { notify("is recorded again") }
            isFailing = false
        } catch { fail("\(error)") }
    }

    private func isDue(_ segment: RecordedSegment, at time: Nanoseconds) -> Bool {
        guard time < .max else { return false }
        // Times that go back are those of another stream.
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
        } catch { fail("\(error)") }
    }

    private func runningTime(of time: Nanoseconds) -> Nanoseconds? {
        let running = gst_segment_to_running_time(&times, GST_FORMAT_TIME, guint64(max(0, time)))
        return running == .max ? nil : Nanoseconds(clamping: UInt64(running))
    }

    private func fail(_ problem: String) {
        segment?.leave()
        segment = nil
        resting = MonotonicClock.now.adding(Self.pause)
        recording.retention.clean()
        if !isFailing {
            notify(
                "is not recorded: \(problem); that is tried again every \(Self.pause / 1_000_000_000) seconds, and watched all the same"
            )
        }
        isFailing = true
    }
}

extension UnsafeMutablePointer<GstBuffer> {
    fileprivate func hasFlag(_ flag: GstBufferFlags) -> Bool {
        pointee.mini_object.flags & flag.rawValue != 0
    }
}
