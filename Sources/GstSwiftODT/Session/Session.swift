import CODTGStreamer
import GstFrames
import Synchronization

/// The Swift part of an element. It has the settings, which any thread may change, and the stream, which belongs to the
/// streaming thread.
///
/// `@unchecked Sendable`: `stream`, `refusal` and `hasWarnedOfOverlay` are accessed only by the streaming thread, between
/// `start` and `stop`. `makeSource` is set before `start`. All other state is synchronised.
final class Session: @unchecked Sendable {
    private let element: ElementHandle
    private let state = Mutex(StartedSettings())
    let statistics = Statistics()
    let signals = StreamSignals()
    private let planner = SchedulePlanner()
    private let warnings = WarningLimit()

    private var stream: Stream?
    /// The problem with the latest caps; `nil` if there is none.
    private var refusal: String?
    private var hasWarnedOfOverlay = false

    /// Tests replace this function before the element starts.
    var makeSource = DetectionSource.make

    init(element: ElementHandle) { self.element = element }

    // MARK: Properties, from any thread

    func set(_ id: UInt32, to value: UnsafePointer<GValue>) {
        let property = Settings.property(id)
        element.log(.debug, "\(property.name) is set to \(GstText.of(value))")
        let (before, after) = state.withLock { state in
            let before = state
            state.set(property, to: value)
            return (before, state)
        }
        guard let started = after.started else { return }
        var problems = after.current.problems(of: property, since: before.current)
        if property.mutability == .ready, property.isEqual(before.current, started),
            !property.isEqual(after.current, started)
        {
            problems.insert(Settings.waitsForReady(property), at: 0)
        }
        warnings.post(problems, by: element)
    }

    func get(_ id: UInt32, into value: UnsafeMutablePointer<GValue>) {
        let property = Settings.property(id)
        let current = state.withLock { $0.current }
        if property.mutability == .readOnly {
            g_value_take_boxed(value, statistics.structure(source: current.source))
        } else {
            property.get(current, value)
        }
    }

    // MARK: Life cycle

    func start() -> Bool {
        let settings = state.withLock { state in
            state.started = nil
            return state.current
        }
        guard settings.warn(through: element) else { return false }
        do {
            statistics.reset()
            warnings.reset()
            element.log(.info, "starts on \(GstText.version) with detector=\(settings.detector)")
            planner.reset()
            signals.open()
            (refusal, hasWarnedOfOverlay) = (nil, false)
            stream = try Stream(
                element: element, settings: settings, statistics: statistics, signals: signals, planner: planner,
                makeSource: makeSource)
            state.withLock { $0.started = settings }
            return true
        } catch {
            element.fail(ElementProblem(error))
            return false
        }
    }

    func stop() {
        element.log(.info, "stops")
        stream?.stop()
        stream = nil
        state.withLock { $0.started = nil }
    }

    // MARK: Streaming

    /// Posts an error if the element does not accept the caps. Without this error, the upstream element would only
    /// report that negotiation failed.
    func notice(_ caps: UnsafeMutablePointer<GstCaps>) {
        let problem = CapsRefusal.problem(with: caps, acceptsDeviceMemory: effectiveSettings.acceptsDeviceMemory)
        // Some elements send refused caps again with every frame.
        defer { refusal = problem?.text }
        if let problem, problem.text != refusal { element.fail(problem) }
    }

    func accepts(_ caps: UnsafeMutablePointer<GstCaps>) -> Bool { stream != nil && StreamFormat(caps: caps) != nil }

    var negotiation: CapsNegotiation { CapsNegotiation(effectiveSettings) }

    /// Called after downstream has received the caps.
    func negotiateOverlay() {
        let settings = effectiveSettings
        guard settings.drawMode != .blend else { return }
        let isForced = settings.drawMode == .overlay
        guard let negotiation = OverlayNegotiation.negotiate(element, isForced: isForced) else { return }
        element.log(.info, "overlays are \(negotiation.attaches ? "attached" : "blended into frames")")
        stream?.setOverlay(negotiation.attaches)
        guard isForced, settings.draw, !negotiation.isAnnounced, !hasWarnedOfOverlay else { return }
        hasWarnedOfOverlay = true
        warnings.post([.unannouncedOverlay], by: element)
    }

    var neverWritesBuffers: Bool { state.withLock { $0.effective.neverWritesBuffers } }

    func submit(_ buffer: UnsafeMutablePointer<GstBuffer>) -> GstFlowReturn {
        guard let stream else {
            gst_buffer_unref(buffer)
            return GST_FLOW_FLUSHING
        }
        return stream.submit(buffer) { effectiveSettings }
    }

    func produce(
        draining: Bool, into output: UnsafeMutablePointer<UnsafeMutablePointer<GstMiniObject>?>
    ) -> GstFlowReturn {
        output.pointee = nil
        guard let stream else { return GST_FLOW_OK }
        do throws(Stream.Stop) {
            output.pointee = try stream.produce(draining: draining)?.assumingMemoryBound(to: GstMiniObject.self)
            return GST_FLOW_OK
        } catch {
            return error.flow
        }
    }

    func notice(_ event: UnsafeMutablePointer<GstEvent>) -> Bool {
        let type = event.pointee.type
        switch type {
        case GST_EVENT_SEEK: signals.noteSeek(gst_event_get_seqnum(event))
        case GST_EVENT_FLUSH_START: signals.beginFlush()
        case GST_EVENT_FLUSH_STOP:
            signals.endFlush()
            stream?.flush()
        case _ where gst_event_type_get_flags(type).rawValue & GST_EVENT_TYPE_SERIALIZED.rawValue != 0:
            return stream?.notice(event) ?? false
        default: break
        }
        return false
    }

    var isFrameNext: Bool { stream?.isFrameNext ?? false }

    var hasQueuedCaps: Bool { stream?.hasQueuedCaps ?? false }

    func dropRefused(isEnd: Bool) { stream?.dropRefused(isEnd: isEnd) }

    func check(_ flow: GstFlowReturn) -> Bool { element.check(flow) }

    /// Takes ownership of an event. Returns the event to forward, without binary tags if redaction is requested.
    func withoutBinaryTags(_ event: UnsafeMutablePointer<GstEvent>) -> UnsafeMutablePointer<GstEvent> {
        effectiveSettings.requestsRedaction ? BinaryTags.removed(from: event) : event
    }

    func latency(isLive: Bool) -> GstClockTime {
        GstClockTime(clamping: planner.reportLatency(effectiveSettings, isLive: isLive))
    }

    /// The maximum number of frames that the element holds, for the answer to the allocation query. The number is for a
    /// stream that is not live, because it may not be known yet whether the stream is live.
    var framesHeld: guint { guint(clamping: stream?.framesHeld(effectiveSettings) ?? 0) }

    private var effectiveSettings: Settings { state.withLock { $0.effective } }
}

extension ElementProblem {
    fileprivate static let unannouncedOverlay = ElementProblem.settings(
        "draw-mode=overlay: no element downstream announces that it blends overlays, so the drawing may be invisible; "
            + "draw-mode=auto blends it into the frames then")
}
