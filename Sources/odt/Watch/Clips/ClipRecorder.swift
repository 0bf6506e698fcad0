import CODTGStreamer
import ODTPlayback
import SwiftODT
import Synchronization

/// Saves the clips of one connection to a camera. It receives the encoded frames that are recorded and keeps the newest
/// frames in memory. It writes them to the clips without encoding them again.
///
/// `@unchecked Sendable`: the lock protects the frames and the open file.
final class ClipRecorder: @unchecked Sendable {
    /// The maximum time in nanoseconds from the recording of a frame to the arrival of an event about this frame.
    static let latency: Nanoseconds = 10_000_000_000
    /// The maximum time in nanoseconds by which an event can be later than the last recorded frame. The recording lags
    /// behind, because it waits for the disk.
    private static let delay: Nanoseconds = 30_000_000_000
    /// The maximum size in bytes of the frames in memory.
    private static let largest = 64 << 20
    /// The time in nanoseconds from a failure to the next attempt to write the clip.
    private static let pause: Nanoseconds = 1_000_000_000

    private struct Frame {
        let buffer: HeldBuffer
        /// The timestamp and the running time in nanoseconds.
        let (time, running): (Nanoseconds, Nanoseconds)
        let isKey: Bool
    }

    private let camera: String
    private let clips: Clips
    private let crops: BestCrops?
    private let saved: @Sendable (SavedClip) -> Void
    private let pictured: @Sendable ([UInt8]) -> Void
    private let notify: @Sendable (String) -> Void
    /// The times of the clips to save. They have their own lock, because the thread that adds events must not wait for
    /// the disk.
    private let spans: Mutex<ClipSpans>
    /// All events before this running time have arrived. ``noteEvents(until:)`` sets the time for a file, which is read
    /// faster than its events are processed. For a camera the time is `nil`, because events arrive within ``latency``.
    private let arrived: Mutex<Nanoseconds?>
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
    /// The newest frames. The first one is a key frame.
    private var frames: [Frame] = []
    private var size = 0
    private var file: RecordedSegment?
    /// The running time in nanoseconds of the first frame of ``file``, a key frame before or after the beginning of the
    /// clip.
    private var fileStart: Nanoseconds = 0
    /// The highest running time in nanoseconds of the frames of ``file``.
    private var fileEnd: Nanoseconds = 0
    /// The clips that have ended and wait for the picture of their object, with the paths and the first and last
    /// running times of their videos.
    private var ended: [(span: ClipSpans.Span, path: String, start: Nanoseconds, end: Nanoseconds)] = []
    /// `now` is the running time of the latest frame. After a failure, no clip begins before the running time
    /// `resting`.
    private var (now, resting): (Nanoseconds, Nanoseconds) = (0, 0)
    /// The unfinished file of the latest failed attempt to write the next clip.
    private var unfinished: RecordedSegment?

    /// - Parameters:
    ///   - isFile: Whether the frames are read from a file. ``noteEvents(until:)`` has to be called then.
    ///   - pictured: Called with the picture of each clip, a JPEG file, as soon as it is taken.
    init(
        _ clips: Clips, camera: String, content: RecordedContent, isFile: Bool, crops: BestCrops?,
        saved: @escaping @Sendable (SavedClip) -> Void,
        pictured: @escaping @Sendable ([UInt8]) -> Void, notify: @escaping @Sendable (String) -> Void
    ) {
        (self.clips, self.camera, self.crops, self.saved) = (clips, camera, crops, saved)
        self.content = content
        (self.pictured, self.notify) = (pictured, notify)
        arrived = Mutex(isFile ? 0 : nil)
        spans = Mutex(ClipSpans(before: clips.options.before, after: clips.options.after))
    }

    deinit { if let caps { gst_caps_unref(caps) } }

    /// Saves a clip of an event at a running time. Does not block.
    func save(_ event: WatchEvent, at time: Nanoseconds) {
        let picture = ClipPicture(isRequested: event.id != nil && crops != nil)
        guard spans.withLock({ $0.add(at: time, wall: event.time, picture: picture) }), let id = event.id, let crops
        else { return }
        crops.takeSnapshot(of: id) { [pictured] jpeg in
            picture.use(jpeg)
            pictured(jpeg)
        }
    }

    /// Notes that all events before a running time have arrived. Has no effect for cameras.
    func noteEvents(until time: Nanoseconds) {
        arrived.withLock { arrived in arrived = arrived.map { max($0, time) } }
    }

    /// Returns the running time up to which all events have arrived when a frame is recorded.
    private func settled(at running: Nanoseconds) -> Nanoseconds {
        min(running, arrived.withLock { $0 } ?? running).since(Self.latency)
    }

    /// Sets the format and the content of the following frames. This ends the clip that is being written.
    func use(_ new: UnsafeMutablePointer<GstCaps>, _ newContent: RecordedContent) {
        lock.withLock { _ in
            // Before the encoder has sent its first frame, no clip can begin.
            if !frames.isEmpty { advance(to: .max) }
            (frames, size) = ([], 0)
            content = newContent
            if let caps { gst_caps_unref(caps) }
            caps = gst_caps_ref(new)
        }
    }

    /// Takes an encoded frame with its timestamp (`time`) and its running time, both in nanoseconds.
    func take(_ buffer: UnsafeMutablePointer<GstBuffer>, isKey: Bool, time: Nanoseconds, running: Nanoseconds?) {
        lock.withLock { _ in
            guard let running, isKey || !frames.isEmpty || file != nil else { return }
            // The times of reordered frames go back by less than 1 s. A larger step back means that the timestamps have
            // restarted.
            if let last = frames.last, running < last.running.since(1_000_000_000) {
                advance(to: .max)
                report(endedBefore: .max)
                (frames, size) = ([], 0)
            }
            let frame = Frame(buffer: HeldBuffer(buffer), time: time, running: running, isKey: isKey)
            advance(to: running)
            report(endedBefore: settled(at: running))
            if isKey || !frames.isEmpty {
                frames.append(frame)
                size += frame.buffer.size
            }
            if file != nil { write(frame) }
            if isKey || size > Self.largest { forget(at: running) }
        }
    }

    /// Ends and reports all clips when the connection ends.
    ///
    /// - Parameter discardsRedacted: See ``CameraRecorder/finish(discardsRedacted:)``.
    func finish(discardsRedacted: Bool = false) {
        lock.withLock { _ in
            if discardsRedacted, content.isRedacted {
                file?.discard()
                unfinished?.delete()
                (file, unfinished) = (nil, nil)
            } else {
                advance(to: .max)
            }
            report(endedBefore: .max)
            (frames, size) = ([], 0)
        }
    }

    /// Finishes the clips that end before a running time. Begins the next clip if a frame of that clip has arrived.
    ///
    /// A clip that cannot be written is tried again while frames of this clip are in memory. If `running` is `.max`,
    /// all clips end.
    private func advance(to running: Nanoseconds) {
        if running == .max { resting = 0 }
        now = running == .max ? 0 : running
        while let span = spans.withLock({ $0.first }) {
            if file == nil {
                begin(span, at: running)
                // If the clip could not begin, it was removed. The loop then continues with the next clip.
                guard spans.withLock({ $0.first?.start }) == span.start else { continue }
                let isTriedAgain = isFailing && file == nil && running < .max
                if isTriedAgain, let oldest = frames.first, oldest.running <= span.end { return }
            }
            guard let over = spans.withLock({ $0.finish(before: running) }) else { return }
            end(over)
        }
    }

    /// Begins a clip with the frames in memory, if the frames up to its beginning have been recorded.
    private func begin(_ span: ClipSpans.Span, at running: Nanoseconds) {
        // If the clip would begin much later than the latest frame, the timestamps have restarted since the event. The
        // frames of the event have then been dropped.
        guard span.start <= running.adding(Self.delay) else {
            _ = spans.withLock { $0.finish(before: .max) }
            return
        }
        guard span.start < running, running >= resting else { return }
        let first = frames.lastIndex { $0.isKey && $0.running <= span.start } ?? 0
        guard let caps, frames.indices.contains(first), frames[first].running <= span.end else { return }
        do {
            let begin = frames[first]
            // The new file repeats the content of the unfinished file, and may need the disk space of the unfinished
            // file.
            unfinished?.delete()
            unfinished = nil
            (fileStart, fileEnd) = (begin.running, begin.running)
            file = try RecordedSegment(
                in: clips.options.folder.path + camera + "/", of: camera,
                at: span.wall.adding(begin.running - span.start), start: begin.time, content: content,
                caps: caps)
        } catch { return fail(error) }
        for frame in frames[first...] where frame.running <= span.end && file != nil { write(frame) }
    }

    private func write(_ frame: Frame) {
        do {
            try file?.write(frame.buffer.pointer)
            fileEnd = max(fileEnd, frame.running)
        } catch { fail(error) }
    }

    private func end(_ span: ClipSpans.Span) {
        guard let file else {
            if isFailing { notify("a clip is lost, because its frames are no longer in memory") }
            unfinished?.delete()
            unfinished = nil
            return
        }
        self.file = nil
        do {
            try file.finish()
            // The connection may have ended before the planned end of the clip.
            ended.append((span, file.path, fileStart, min(span.end, fileEnd)))
            if isFailing { notify("clips are saved again") }
            isFailing = false
        } catch {
            unfinished = file
            fail(error)
            if now > 0 { spans.withLock { $0.putBack(span) } }
        }
    }

    /// Reports the ended clips whose picture has been taken or was not requested. Clips that ended before a running
    /// time are reported even if their picture is missing.
    private func report(endedBefore running: Nanoseconds) {
        guard !ended.isEmpty else { return }
        let due = ended.filter { !$0.span.picture.isRequested || $0.span.end < running }
        ended.removeAll { one in due.contains { $0.path == one.path } }
        for (span, path, start, end) in due {
            var picture: String?
            do { picture = try span.picture.write(beside: path) } catch { notify("cannot save a picture: \(error)") }
            saved(
                SavedClip(
                    path: path, isH265: RecordedContent.isH265(path), picture: picture,
                    from: span.wall.adding(start - span.start), to: span.wall.adding(end - span.start),
                    start: start, end: end))
        }
    }

    /// Abandons the file that is being written, after an error.
    private func fail(_ error: any Error) {
        if let file {
            file.leave()
            unfinished = file
        }
        file = nil
        resting = now.adding(Self.pause)
        clips.retention.clean()
        if !isFailing {
            notify(
                "cannot save a clip: \(error); trying again for \(Self.latency / 1_000_000_000) s: free disk space, or make "
                    + "\(clips.options.folder.path) writable")
        }
        isFailing = true
    }

    /// Drops the frames about which no event can arrive any more. If the remaining frames exceed ``largest``, drops
    /// further frames: first those about which a late event could arrive, then those before the newest key frame, then
    /// all.
    private func forget(at running: Nanoseconds) {
        forget(before: settled(at: running).since(clips.options.before))
        if size > Self.largest { forget(before: running.since(clips.options.before + Self.latency)) }
        if size > Self.largest { forget(before: .max) }
        if size > Self.largest, frames.last?.isKey == false { (frames, size) = ([], 0) }
    }

    /// Drops the frames before the latest key frame at or before a running time.
    private func forget(before limit: Nanoseconds) {
        if let first = frames.lastIndex(where: { $0.isKey && $0.running <= limit }), first > 0 {
            size -= frames[..<first].reduce(0) { $0 + $1.buffer.size }
            frames.removeFirst(first)
        }
    }
}
