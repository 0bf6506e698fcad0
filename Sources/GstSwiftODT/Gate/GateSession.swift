import CODTGStreamer
import SwiftODT
import Synchronization

/// The Swift part of one element `swiftodtgate`. Owns the kept frames and pushes buffers.
///
/// `@unchecked Sendable`: the buffers and the format are accessed only by the streaming thread, and by `start` and
/// `stop` while this thread does not run. All other state is synchronised. The lock is not held while a frame is
/// pushed, because the push can cause swiftodt to report activity, and the report takes the lock.
final class GateSession: @unchecked Sendable {
    private struct State {
        var settings = GateSettings()
        var gate = Gate()
        var isStarted = false
        /// Whether the stream plays backwards. Parsers then send groups of frames in reverse order.
        var isReverse = false

        var options: Gate.Options {
            var options = settings.options
            options.isForcedOpen = settings.mode == .open || isReverse
            return options
        }
    }

    private typealias Buffer = UnsafeMutablePointer<GstBuffer>

    private struct KeptFrame {
        let buffer: Buffer
        let isLeading: Bool
    }

    /// A still key frame (see ``Gate/Action/passStill``), and the frames that are kept after it. The kept frames can
    /// include key frames, so this can be more than one group of pictures.
    private struct Group {
        /// `nil` while the gate is open.
        var still: Buffer?
        var kept: [KeptFrame] = []
    }

    private let element: ElementHandle
    private let state = Mutex(State())

    /// The latest still key frame, and the frames that are kept after it.
    private var group = Group()
    /// The last but one still key frame, and the frames that are kept after it. This group is kept at most until
    /// swiftodt has reported its activity for the latest still key frame.
    private var earlier = Group()
    /// Whether frames were dropped after the latest pushed frame. The next pushed frame is then marked as
    /// discontinuous.
    private var isDiscontinuous = false
    private var format: AccessUnitFormat?
    /// The problem with the latest caps; `nil` if there is none.
    private var refusal: String?
    /// The obstacles of which a warning was posted.
    private var warned: Set<Gate.Obstacle> = []

    init(element: ElementHandle) { self.element = element }

    deinit { dropAll() }

    // MARK: Properties, signals and reports, from any thread

    func set(_ id: UInt32, to value: UnsafePointer<GValue>) {
        let property = GateSettings.property(id)
        element.log(.debug, "\(property.name) is set to \(GstText.of(value))")
        let (before, settings, isStarted) = state.withLock { state in
            let before = state.settings
            property.set(value, &state.settings)
            return (before, state.settings, state.isStarted)
        }
        if let fault = property.fault(settings) { element.warn(.settings(fault)) }
        // Before the start, all properties are checked together.
        if isStarted, before.conflict == nil, let conflict = settings.conflict { element.warn(.settings(conflict)) }
    }

    func get(_ id: UInt32, into value: UnsafeMutablePointer<GValue>) {
        let property = GateSettings.property(id)
        let now = state.withLock { $0 }
        if property.mutability == .readOnly {
            g_value_take_boxed(value, GateStatistics.structure(of: now.gate))
        } else {
            property.get(now.settings, value)
        }
    }

    func requestOpening() { state.withLock { $0.gate.requestOpening() } }

    /// Only the custom event `swiftodt-activity` has an effect.
    func noticeUpstream(_ event: UnsafeMutablePointer<GstEvent>) {
        guard let structure = gst_event_get_structure(event),
            gst_structure_has_name(structure, "swiftodt-activity") != 0
        else { return }
        func flag(_ name: String) -> Bool {
            var value: gboolean = 0
            return gst_structure_get_boolean(structure, name, &value) != 0 && value != 0
        }
        var timestamp: guint64 = .max
        gst_structure_get_uint64(structure, "timestamp", &timestamp)
        let (wantsFrames, rewinds) = (flag("inference") || flag("motion"), flag("rewind"))
        let isAnswer = flag("still")
        state.withLock {
            $0.gate.noteActivity(
                wantsFrames, at: Nanoseconds(exactly: timestamp), rewinds: rewinds, isAnswer: isAnswer)
        }
    }

    // MARK: Life cycle

    func start() {
        stop()
        let conflict = state.withLock { state in
            state.gate = Gate()
            (state.isReverse, state.isStarted) = (false, true)
            return state.settings.conflict
        }
        if let conflict { element.warn(.settings(conflict)) }
    }

    func stop() {
        dropAll()
        (format, refusal, warned) = (nil, nil, [])
        state.withLock { $0.isStarted = false }
    }

    private func dropAll() {
        drop(&group)
        drop(&earlier)
        isDiscontinuous = false
    }

    private func drop(_ group: inout Group) {
        if let still = group.still { gst_buffer_unref(still) }
        for frame in group.kept { gst_buffer_unref(frame.buffer) }
        group = Group()
    }

    // MARK: Streaming

    /// Posts an error if the caps do not describe parsed access units.
    func accepts(_ caps: UnsafeMutablePointer<GstCaps>) -> Bool {
        // Some elements send refused caps again with every frame.
        var problem: ElementProblem?
        format = GateCaps.format(caps) { problem = $0 }
        if let problem, problem.text != refusal { element.fail(problem) }
        refusal = problem?.text
        return format != nil
    }

    /// Takes ownership of the frame.
    func push(_ buffer: UnsafeMutablePointer<GstBuffer>) -> GstFlowReturn {
        guard let format else {
            gst_buffer_unref(buffer)
            if gst_pad_has_current_caps(element.sinkPad) == 0, refusal == nil {
                refusal = GateCaps.missingParser.text
                element.fail(GateCaps.missingParser)
            }
            return GST_FLOW_NOT_NEGOTIATED
        }
        let frame = Gate.Frame(buffer, format)
        let (action, reason, keepsEarlier, obstacles) = state.withLock { state in
            let action = state.gate.decide(on: frame, state.options)
            return (action, state.gate.reason, state.gate.keepsEarlier, state.gate.obstacles)
        }
        if obstacles != warned {
            for obstacle in obstacles.subtracting(warned) { element.warn(.format(obstacle.warning)) }
            warned = obstacles
        }
        element.log(.log, "the frame at \(buffer.pointee.pts) ns: \(action)")
        switch action {
        case .pass: return pass(buffer)
        case .passStill: return passStill(buffer)
        case .keep, .keepLeading:
            if !keepsEarlier { drop(&earlier) }
            let kept = GstBufferReference.withoutPool(buffer)
            group.kept.append(KeptFrame(buffer: kept, isLeading: action == .keepLeading))
            return GST_FLOW_OK
        case .drop:
            isDiscontinuous = true
            gst_buffer_unref(buffer)
            return GST_FLOW_OK
        case .release, .rewind:
            let flow = release(action, because: reason)
            guard flow == GST_FLOW_OK else {
                gst_buffer_unref(buffer)
                return flow
            }
            return pass(buffer)
        }
    }

    /// Called before a serialised event is forwarded.
    func notice(_ event: UnsafeMutablePointer<GstEvent>) {
        switch event.pointee.type {
        case GST_EVENT_FLUSH_STOP:
            dropAll()
            state.withLock { $0.gate.flush() }
        case GST_EVENT_CAPS, GST_EVENT_STREAM_START, GST_EVENT_GAP: interrupt(.streamChange)
        case GST_EVENT_EOS, GST_EVENT_SEGMENT_DONE, GST_EVENT_STREAM_GROUP_DONE: interrupt(.endOfStream)
        case GST_EVENT_SEGMENT:
            interrupt(.streamChange)
            var segment = GstSegment()
            gst_event_copy_segment(event, &segment)
            state.withLock { state in
                state.isReverse = segment.rate < 0
                state.gate.beginSegment()
            }
        case GST_EVENT_TAG:
            // Another orientation must not apply to the kept frames.
            var tags: UnsafeMutablePointer<GstTagList>?
            gst_event_parse_tag(event, &tags)
            if gst_tag_list_get_tag_size(tags, GST_TAG_IMAGE_ORIENTATION) > 0 { interrupt(.streamChange) }
        default: break
        }
    }

    /// Passes the kept frames. Returns `false` if downstream refuses them. Posts an error if it refuses their caps.
    @discardableResult
    func interrupt(_ reason: Gate.Reason) -> Bool {
        guard let action = state.withLock({ $0.gate.interrupt(reason) }) else { return true }
        return element.check(release(action, because: reason))
    }

    private func pass(_ buffer: Buffer) -> GstFlowReturn { gst_pad_push(element.sourcePad, marked(buffer)) }

    private func passStill(_ buffer: Buffer) -> GstFlowReturn {
        drop(&earlier)
        swap(&earlier, &group)
        if !earlier.kept.isEmpty {
            isDiscontinuous = true
            announce("swiftodt-preview", at: buffer)
        }
        let buffer = marked(buffer)
        gst_buffer_ref(buffer)
        group.still = GstBufferReference.withoutPool(buffer)
        let flow = gst_pad_push(element.sourcePad, buffer)
        if flow == GST_FLOW_OK { announceStill(true) }
        if !state.withLock({ $0.gate.keepsEarlier }) { drop(&earlier) }
        return flow
    }

    /// Passes a still key frame again, and then the kept frames that follow it. With `release`, this is the latest
    /// still key frame. With `rewind`, it is the last but one.
    private func release(_ action: Gate.Action, because reason: Gate.Reason) -> GstFlowReturn {
        let isRewind = action == .rewind
        let frames = takeKept(rewinding: isRewind)
        element.log(.info, "opens because of \(reason.rawValue) and passes \(frames.count) kept frames")
        announceStill(false)
        // The kept frames refer to the still key frame, so the still key frame is passed again before them. At the end
        // of the stream, this is necessary only if there are kept frames, because no later frame refers to the still
        // key frame.
        let isStillNeeded = reason != .endOfStream || !frames.isEmpty
        var flow = isStillNeeded ? passStillAgain(rewinding: isRewind) : GST_FLOW_OK
        for frame in frames {
            if flow == GST_FLOW_OK { flow = pass(frame) } else { gst_buffer_unref(frame) }
        }
        drop(&group)
        return flow
    }

    /// Removes and returns the frames to pass after the still key frame that is passed again. Drops the leading
    /// pictures of this key frame. Without rewinding, the earlier group is dropped, too. With rewinding, the earlier
    /// still key frame becomes the latest one.
    private func takeKept(rewinding isRewind: Bool) -> [Buffer] {
        let kept = isRewind ? earlier.kept : group.kept
        var frames = kept.filter { !$0.isLeading }.map(\.buffer)
        if isRewind {
            if let still = group.still { frames.append(continuous(still)) }
            frames += group.kept.map(\.buffer)
            (group.still, earlier) = (earlier.still, Group())
        }
        group.kept = []
        drop(&earlier)
        for frame in kept where frame.isLeading {
            isDiscontinuous = true
            gst_buffer_unref(frame.buffer)
        }
        return frames
    }

    private func passStillAgain(rewinding isRewind: Bool) -> GstFlowReturn {
        guard let still = group.still else { return GST_FLOW_OK }
        group.still = nil
        let again = GstBufferReference.makeWritable(still)
        if isRewind { restart() }
        announce("swiftodt-rewind", at: again)
        again.pointee.mini_object.flags |= GST_BUFFER_FLAG_DECODE_ONLY.rawValue
        return pass(again)
    }

    /// Sends the segment again. Without this, decoders change timestamps that are lower than those of earlier frames.
    private func restart() {
        isDiscontinuous = true
        guard let event = gst_pad_get_sticky_event(element.sourcePad, GST_EVENT_SEGMENT, 0) else { return }
        var segment = GstSegment()
        gst_event_copy_segment(event, &segment)
        let again = gst_event_new_segment(&segment)
        gst_event_set_seqnum(again, gst_event_get_seqnum(event))
        gst_event_set_running_time_offset(again, gst_event_get_running_time_offset(event))
        gst_event_unref(event)
        gst_pad_push_event(element.sourcePad, again)
    }

    /// Announces the purpose of the next frame to swiftodt. The field `latest` is the latest timestamp of all frames
    /// that the gate has received.
    private func announce(_ name: String, at buffer: Buffer) {
        let latest = state.withLock(\.gate.latest).map { UInt64(clamping: $0) } ?? .max
        let structure = StructureWriter.structure(
            name, [("timestamp", .time(UInt64(buffer.pointee.pts))), ("latest", .time(latest))])
        gst_pad_push_event(element.sourcePad, gst_event_new_custom(GST_EVENT_CUSTOM_DOWNSTREAM, structure))
    }

    /// Announces that the latest frame is a still picture (`true`), or that still pictures end (`false`). A decoder
    /// outputs a still picture without waiting for later frames. swiftodt reports its activity for a still picture.
    /// Unless redaction is requested, swiftodt does not treat the time until the next frame as a gap that begins a new
    /// epoch.
    private func announceStill(_ isStill: Bool) {
        gst_pad_push_event(element.sourcePad, gst_video_event_new_still_frame(isStill ? 1 : 0))
    }

    /// Removes the mark of a discontinuity from a key frame. A rewind passes the frames before this key frame, so there
    /// is no discontinuity.
    private func continuous(_ buffer: Buffer) -> Buffer {
        let buffer = GstBufferReference.makeWritable(buffer)
        buffer.pointee.mini_object.flags &= ~GST_BUFFER_FLAG_DISCONT.rawValue
        return buffer
    }

    /// Marks the first frame after dropped frames as discontinuous.
    private func marked(_ buffer: Buffer) -> Buffer {
        guard isDiscontinuous else { return buffer }
        isDiscontinuous = false
        let buffer = GstBufferReference.makeWritable(buffer)
        buffer.pointee.mini_object.flags |= GST_BUFFER_FLAG_DISCONT.rawValue
        return buffer
    }
}

extension Gate.Frame {
    init(_ buffer: UnsafeMutablePointer<GstBuffer>, _ format: AccessUnitFormat) {
        func has(_ flag: GstBufferFlags) -> Bool { GstBufferReference.hasFlag(buffer, flag) }
        let time = Nanoseconds(exactly: buffer.pointee.pts)
        let isMarkedAsKeyFrame = !has(GST_BUFFER_FLAG_DELTA_UNIT)
        let kind = isMarkedAsKeyFrame || format.codec == .h265 ? Self.kind(of: buffer, format) : .other
        self.init(
            time: time, size: Int(clamping: gst_buffer_get_size(buffer)),
            isKeyFrame: isMarkedAsKeyFrame && kind.map { $0 == .randomAccess } ?? true, isLeading: kind == .leading,
            isHeader: time == nil && buffer.pointee.dts == .max && has(GST_BUFFER_FLAG_HEADER),
            isDiscontinuous: has(GST_BUFFER_FLAG_DISCONT) || has(GST_BUFFER_FLAG_CORRUPTED))
    }

    private static func kind(of buffer: UnsafeMutablePointer<GstBuffer>, _ format: AccessUnitFormat)
        -> AccessUnitFormat.Kind?
    {
        var map = GstMapInfo()
        guard gst_buffer_map(buffer, &map, GST_MAP_READ) != 0 else { return nil }
        defer { gst_buffer_unmap(buffer, &map) }
        return format.kind(of: UnsafeRawBufferPointer(start: map.data, count: Int(map.size)))
    }
}
