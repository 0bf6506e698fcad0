import SwiftODT

/// Decides which encoded frames reach the decoder.
///
/// While the gate is calm, it passes key frames only and keeps the frames after the latest passed key frame. When it
/// opens, the kept frames are passed, so the decoder gets a complete sequence. The gate becomes calm only at a key
/// frame. The decoder thus gets an uninterrupted sequence up to this key frame, and after it only key frames. If the
/// frames between two key frames exceed the limits of the kept frames, the gate stays open.
///
/// Until swiftodt has reported its activity for a passed key frame, the gate also keeps the frames before this key
/// frame. If the key frame shows something new, swiftodt drops it and requests these frames. The gate then rewinds: it
/// passes all frames from the previous passed key frame on. An object is thus analysed from its first frame on.
///
/// All times are timestamps in nanoseconds of one segment.
struct Gate {
    enum State: String {
        case open
        case calm
    }

    /// The raw values are used in `stats`.
    enum Reason: String, CaseIterable {
        /// The stream has begun, or a flush has ended.
        case start
        /// swiftodt wants inference or sees motion.
        case activity
        /// The application emitted the signal `open`, or has set `mode=open`.
        case application
        /// A frame is marked as discontinuous or corrupted, or timestamps step back.
        case discontinuity
        /// The decoder has not output a still key frame.
        case decoder
        /// The caps or the segment change, or the stream announces missing data.
        case streamChange = "stream-change"
        /// The kept frames have reached a limit.
        case bound
        case endOfStream = "end-of-stream"
    }

    /// A reason for which the gate stays open, permanently or for ten minutes. The user is warned of it once.
    enum Obstacle {
        case decoder
        /// No group of pictures can be kept.
        case groups
        case missingTimestamps

        var warning: String {
            switch self {
            case .groups:
                "all frames are decoded, because the latest \(Gate.maximumUnkeepableFrames) frames contain no closed "
                    + "group of pictures within max-time and max-bytes; set the encoder to closed groups with a key "
                    + "frame (IDR) every 1 or 2 s, without intra refresh"
            case .missingTimestamps:
                "all frames are decoded, because the stream has frames without timestamps; store it with all "
                    + "timestamps, for example in Matroska or MP4, or encode it without B-frames"
            case .decoder:
                "the decoder has output neither of two key frames before it received the next frame, so all frames "
                    + "are decoded for ten minutes; use avdec_h264, avdec_h265 (gstreamer1.0-libav) or av1dec"
            }
        }
    }

    struct Options: Hashable {
        /// The minimum time between two passed key frames while the gate is calm. A time that is up to a tenth shorter
        /// is accepted, too, because cameras send key frames with jitter.
        var calmInterval: Nanoseconds = 1_000_000_000
        /// The gate stays open for at least this time after the latest reason to keep it open.
        var holdTime: Nanoseconds = 2_000_000_000
        /// The limits of the kept frames.
        var maxBytes = 32 << 20
        var maxTime: Nanoseconds = 15_000_000_000
        var isForcedOpen = false
    }

    struct Frame {
        /// The presentation timestamp. If it is `nil`, the gate stays open, because decoders derive missing timestamps
        /// from the frames before.
        var time: Nanoseconds?
        /// The size in bytes.
        var size: Int
        var isKeyFrame: Bool
        /// Whether the frame is displayed before the latest key frame in decode order (RASL or RADL picture of H.265).
        var isLeading = false
        /// Whether the buffer contains only stream headers.
        var isHeader = false
        /// Whether frames before this frame are missing, or this frame is damaged.
        var isDiscontinuous = false
    }

    enum Action {
        case pass
        /// Pass the key frame. The decoder must output it without waiting for later frames. Key frames that are passed
        /// in this way are called still key frames. The kept frames become the earlier frames, and the frames that were
        /// the earlier frames are dropped.
        case passStill
        case keep
        /// Keep the frame. It is a leading picture of the latest still key frame, so it can be passed only after the
        /// earlier frames.
        case keepLeading
        case drop
        /// Pass the latest still key frame again, which restores the state of the decoder. Then pass the kept frames
        /// except leading pictures, and the frame itself.
        case release
        /// Pass the last but one still key frame again. Then pass the earlier frames except leading pictures, the
        /// latest still key frame, the kept frames, and the frame itself.
        case rewind
    }

    /// The frames that are kept after one still key frame.
    private struct Kept {
        var frames = 0
        /// The number of leading pictures among the frames.
        var leading = 0
        var bytes = 0
        /// The time of the oldest frame.
        var since: Nanoseconds?
    }

    struct Counters {
        var received: UInt64 = 0
        var passed: UInt64 = 0
        var dropped: UInt64 = 0
        var openings: [Reason: UInt64] = [:]
        /// The age of the oldest kept frame at the latest opening of the gate.
        var delay: Nanoseconds = 0
        /// The maximum of ``delay`` over all openings.
        var greatestDelay: Nanoseconds = 0
    }

    private(set) var state = State.open
    private(set) var reason = Reason.start
    private(set) var counters = Counters()
    /// The obstacles since the start.
    private(set) var obstacles: Set<Obstacle> = []
    /// The frames after the latest still key frame.
    private var kept = Kept()
    /// The frames between the last but one and the latest still key frame. They are kept at most until swiftodt has
    /// reported its activity for the latest still key frame.
    private var earlier = Kept()

    /// The reason to open at the next frame.
    private var request: Reason?
    private var isActive = false
    /// Whether swiftodt has reported activity. Without reports, the gate stays open.
    private var hasReports = false
    /// Whether swiftodt has reported its activity for the latest still key frame. Until then, a calm gate passes no
    /// other key frame.
    private var isAnswered = true
    /// Whether swiftodt has dropped the latest still key frame and needs the earlier frames.
    private var isRewindRequested = false

    /// The latest time of all frames.
    private(set) var latest: Nanoseconds?
    /// The latest increase of ``latest``. With reordered frames, it is the time between two reference frames.
    private var latestStep: Nanoseconds = 0
    /// The time of the latest reason to keep the gate open. `holdTime` is measured from this time.
    private var quietSince: Nanoseconds?
    /// The value of ``latest`` at the latest still key frame.
    private var stillTime: Nanoseconds?
    /// The timestamp of the latest still key frame. It can be earlier than ``stillTime``, because the timestamps of
    /// network streams are not always in order.
    private var stillTimestamp: Nanoseconds?
    /// Whether the latest key frame was passed without the frames before it, so that its leading pictures cannot be
    /// decoded.
    private var isGroupIncomplete = false

    /// The current group of pictures: the time of its key frame, the size in bytes of its frames so far, and whether each
    /// of them has a timestamp.
    private var group: (start: Nanoseconds, bytes: Int, isTimed: Bool)?
    /// Whether the latest complete group of pictures is within the limits of the kept frames, and whether each of its
    /// frames has a timestamp.
    private var isGroupKeepable = false
    /// The number of consecutive frames during which no group could be kept, and whether each of them has a timestamp.
    private var unkeepable = (frames: 0, isTimed: true)
    /// After this number of frames, the gate reports the obstacle. It is 2 minutes at 25 frames per second. Activity does
    /// not count, because it does not affect ``isGroupKeepable``.
    static let maximumUnkeepableFrames = 3000
    /// The number of consecutive still key frames that the decoder has not output, and the value of ``latest`` at the
    /// report of the last of them.
    private var ignoredStills: (count: Int, since: Nanoseconds) = (0, .min)

    /// The limits of the tolerated step back of timestamps. The tolerance is ``latestStep``, because a reordered frame is
    /// displayed after the previous reference frame. A greater step back means that the clock of the source was set back,
    /// or that the latest timestamp was too late. Key frames are displayed after all frames before them, so the lower
    /// limit is their tolerance.
    private static let disorderLimits: ClosedRange<Nanoseconds> = 1_000_000_000...10_000_000_000
    /// After this number of ``ignoredStills``, the gate stays open for ``ignoredStillsPause``. Usually the decoder does not
    /// support still frames, but the key frames can also be damaged.
    private static let maximumIgnoredStills = 2
    private static let ignoredStillsPause: Nanoseconds = 600_000_000_000
    private var expectsStillToBeOutput: Bool {
        ignoredStills.count < Self.maximumIgnoredStills
            || latest.map { $0.since(ignoredStills.since) >= Self.ignoredStillsPause } ?? false
    }

    init() { counters.openings[.start] = 1 }

    var keptFrames: Int { kept.frames + earlier.frames }
    var keptBytes: Int { kept.bytes + earlier.bytes }
    /// Whether there are kept frames from before the latest still key frame (see ``Action/passStill``).
    var keepsEarlier: Bool { earlier.frames > 0 }

    // MARK: Frames

    mutating func decide(on frame: Frame, _ options: Options) -> Action {
        counters.received += 1
        let action = frame.isHeader ? .pass : action(on: frame, options)
        switch action {
        case .pass, .passStill, .release, .rewind: counters.passed += 1
        case .drop: counters.dropped += 1
        case .keep, .keepLeading: break
        }
        return action
    }

    private mutating func action(on frame: Frame, _ options: Options) -> Action {
        var frame = frame
        let limits = Self.disorderLimits
        let disorder = frame.isKeyFrame ? limits.lowerBound : min(max(latestStep, limits.lowerBound), limits.upperBound)
        if let time = frame.time, let latest, time < latest.since(disorder) {
            beginSegment()
            frame.isDiscontinuous = true
        }
        let now = max(latest ?? .min, frame.time ?? latest ?? 0)
        if let latest, now > latest { latestStep = now.since(latest) }
        latest = now
        noteGroup(frame, at: now, options)
        if frame.isKeyFrame { isGroupIncomplete = false }
        let isLeading = frame.isLeading && isGroupIncomplete
        if isLeading, !frame.isDiscontinuous, !(state == .calm && keepsEarlier) { return .drop }
        switch state {
        case .open: return actionWhileOpen(frame, at: now, options)
        case .calm: return actionWhileCalm(frame, isLeading: isLeading, at: now, options)
        }
    }

    private mutating func actionWhileOpen(_ frame: Frame, at now: Nanoseconds, _ options: Options) -> Action {
        if frame.isDiscontinuous || frame.time == nil || request != nil || quietSince == nil { quietSince = now }
        request = nil
        guard frame.isKeyFrame, frame.time != nil, isGroupKeepable, hasReports, !isActive, !options.isForcedOpen,
            expectsStillToBeOutput, now.since(quietSince ?? now) >= options.holdTime
        else { return .pass }
        state = .calm
        beginStill(frame, at: now)
        return .passStill
    }

    private mutating func actionWhileCalm(
        _ frame: Frame, isLeading: Bool, at now: Nanoseconds, _ options: Options
    ) -> Action {
        let reason: Reason? =
            options.isForcedOpen
            ? .application : request ?? (frame.isDiscontinuous || frame.time == nil ? .discontinuity : nil)
        // A leading picture can be passed only after a rewind. Without one, the gate opens at the next frame.
        let isUndecodable = isLeading && !isRewindRequested
        if let reason {
            guard isUndecodable else { return open(reason) }
            request = reason
        }
        let sincePassed = now.since(stillTime ?? now)
        if frame.isKeyFrame, isAnswered,
            sincePassed >= options.calmInterval - options.calmInterval / 10
        {
            beginStill(frame, at: now)
            return .passStill
        }
        if keptBytes + frame.size > options.maxBytes { dropEarlier() }
        if keptBytes + frame.size > options.maxBytes || sincePassed > options.maxTime {
            return isUndecodable ? .drop : open(.bound)
        }
        if isLeading, !keepsEarlier { return .drop }
        kept.frames += 1
        kept.leading += isLeading ? 1 : 0
        kept.bytes += frame.size
        kept.since = kept.since ?? now
        return isLeading ? .keepLeading : .keep
    }

    private mutating func noteGroup(_ frame: Frame, at now: Nanoseconds, _ options: Options) {
        if frame.isKeyFrame {
            if let group {
                isGroupKeepable =
                    group.isTimed && now.since(group.start) <= options.maxTime && group.bytes <= options.maxBytes
            }
            group = (now, 0, true)
        }
        group?.bytes += frame.size
        if frame.time == nil { group?.isTimed = false }
        if isGroupKeepable {
            unkeepable = (0, true)
        } else {
            unkeepable.frames += 1
            if frame.time == nil { unkeepable.isTimed = false }
        }
        if unkeepable.frames >= Self.maximumUnkeepableFrames, !options.isForcedOpen {
            obstacles.insert(unkeepable.isTimed ? .groups : .missingTimestamps)
        }
    }

    private mutating func beginStill(_ frame: Frame, at now: Nanoseconds) {
        (stillTime, stillTimestamp, isAnswered) = (now, frame.time ?? now, false)
        isGroupIncomplete = true
        dropEarlier()
        swap(&earlier, &kept)
    }

    private mutating func dropEarlier() {
        counters.dropped += UInt64(earlier.frames)
        (earlier, isRewindRequested) = (Kept(), false)
    }

    private mutating func open(_ reason: Reason) -> Action {
        let rewinds = isRewindRequested
        if !rewinds { dropEarlier() }
        state = .open
        if reason == .bound { isGroupKeepable = false }
        (self.reason, request, quietSince) = (reason, nil, latest)
        counters.openings[reason, default: 0] += 1
        // A rewind passes the frames to which the leading pictures of the latest still key frame refer. Only the
        // leading pictures among the earlier frames cannot be decoded.
        let undecodable = rewinds ? earlier.leading : kept.leading
        counters.passed += UInt64(keptFrames - undecodable)
        counters.dropped += UInt64(undecodable)
        if rewinds { isGroupIncomplete = false }
        counters.delay = (earlier.since ?? kept.since).flatMap { latest?.since($0) } ?? 0
        counters.greatestDelay = max(counters.greatestDelay, counters.delay)
        (kept, earlier, isRewindRequested) = (Kept(), Kept(), false)
        return rewinds ? .rewind : .release
    }

    // MARK: Events

    /// - Parameters:
    ///   - wantsFrames: whether the next frames are likely to change the results of swiftodt.
    ///   - rewinds: whether swiftodt has dropped the frame and first needs the frames that precede it.
    ///   - isAnswer: whether this is the answer to the event for the latest still key frame.
    mutating func noteActivity(
        _ wantsFrames: Bool, at time: Nanoseconds?, rewinds: Bool = false, isAnswer: Bool = false
    ) {
        hasReports = true
        if time.map({ $0 >= stillTimestamp ?? .min }) ?? true {
            isAnswered = true
            if isAnswer { ignoredStills.count = 0 }
            if state == .calm, rewinds, keepsEarlier { isRewindRequested = true }
            if !isRewindRequested { dropEarlier() }
        } else if isAnswer, !isAnswered, state == .calm {
            // The decoder has not output the key frame. With the frames after it, it may output frames again.
            request = .decoder
            ignoredStills = (ignoredStills.count + 1, latest ?? .min)
            if ignoredStills.count == Self.maximumIgnoredStills { obstacles.insert(.decoder) }
        }
        // A report cannot be later than the latest frame, unless it belongs to the time before a restart of the clock.
        if isActive, !wantsFrames, let latest { quietSince = max(quietSince ?? .min, min(time ?? latest, latest)) }
        isActive = wantsFrames
        if wantsFrames, state == .calm { request = .activity }
    }

    /// Opens the gate at the next frame, for at least `holdTime`.
    mutating func requestOpening() { request = .application }

    /// Opens the gate before an event that must not overtake the kept frames. Returns how these frames must be passed
    /// now; `nil` if there are none.
    mutating func interrupt(_ reason: Reason) -> Action? {
        guard state == .calm else {
            quietSince = latest
            return nil
        }
        return open(reason)
    }

    /// Called when another segment begins or the timestamps restart.
    mutating func beginSegment() {
        (latest, quietSince, stillTime, stillTimestamp, isGroupIncomplete, group) = (nil, nil, nil, nil, false, nil)
        ignoredStills.count = 0
        latestStep = 0
    }

    /// Called when the stream was flushed. Counters and obstacles are kept.
    mutating func flush() {
        var fresh = Gate()
        (fresh.counters, fresh.obstacles) = (counters, obstacles)
        fresh.counters.dropped += UInt64(keptFrames)
        fresh.counters.openings[.start, default: 0] += 1
        self = fresh
    }
}
