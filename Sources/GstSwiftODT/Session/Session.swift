import CGStreamer
import CSwiftODTElement
import SwiftODT
import Synchronization

/// The Swift half of one element: its settings, which any thread may change, and the stream that it works on, which
/// belongs to the streaming thread.
final class Session: @unchecked Sendable {
    private let element: ElementHandle
    private let settings = Mutex(Settings())
    private let statistics = Statistics()
    private let signals = StreamSignals()
    /// Made by `start`, dropped by `stop`; in between only the streaming thread touches it.
    private var stream: Stream?

    /// Set before the element starts.
    var makeSource = DetectionSource.make

    init(element: ElementHandle) { self.element = element }

    // MARK: Properties and signals, from any thread

    func set(_ id: UInt32, to value: UnsafePointer<GValue>) {
        settings.withLock { $0.set(id, to: value) }
    }

    func get(_ id: UInt32, into value: UnsafeMutablePointer<GValue>) {
        if id == SWIFTODT_PROP_STATS.rawValue {
            g_value_take_boxed(value, statistics.structure())
        } else {
            settings.withLock { $0 }.get(id, into: value)
        }
    }

    func resetTracks() { signals.requestReset() }

    func detectNow() { signals.requestDetection() }

    // MARK: Life cycle

    func start() -> Bool {
        let settings = settings.withLock { $0 }
        guard settings.complain(to: element) else { return false }
        do {
            statistics.reset()
            signals.open()
            stream = try Stream(
                element: element, settings: settings, statistics: statistics, signals: signals, makeSource: makeSource)
            return true
        } catch {
            element.fail(Complaint(error))
            return false
        }
    }

    func stop() { stream = nil }

    /// Wakes the streaming thread for good: the element is being stopped.
    func unlock() { signals.close() }

    // MARK: Streaming

    /// Caps that are sent and cannot be taken end the stream; upstream would say no more than that.
    func notice(_ caps: UnsafeMutablePointer<GstCaps>) {
        if let refusal = CapsRefusal(caps) { element.fail(refusal.complaint) }
    }

    func setFormat(_ info: GstVideoInfo) -> Bool {
        guard let format = StreamFormat(info) else { return false }
        stream?.setFormat(format)
        return stream != nil
    }

    func submit(_ buffer: UnsafeMutablePointer<GstBuffer>, segment: UnsafePointer<GstSegment>) -> GstFlowReturn {
        guard let stream else {
            GstBufferReference.release(buffer)
            return GST_FLOW_FLUSHING
        }
        return stream.submit(buffer, segment: segment, settings: settings.withLock { $0 })
    }

    func produce(
        draining: Bool, into output: UnsafeMutablePointer<UnsafeMutablePointer<GstBuffer>?>
    ) -> GstFlowReturn {
        output.pointee = nil
        guard let stream else { return GST_FLOW_OK }
        switch stream.produce(draining: draining) {
        case .success(let buffer):
            output.pointee = buffer
            return GST_FLOW_OK
        case .failure(let stop):
            return stop.flow
        }
    }

    func notice(_ event: UnsafeMutablePointer<GstEvent>) {
        switch event.pointee.type {
        case GST_EVENT_FLUSH_START: signals.beginFlush()
        case GST_EVENT_FLUSH_STOP:
            signals.endFlush()
            stream?.flush()
        case GST_EVENT_EOS: stream?.finish()
        case GST_EVENT_SEGMENT: stream?.noticeSegment()
        case GST_EVENT_STREAM_START: stream?.noticeStreamStart()
        case GST_EVENT_TAG:
            var tags: UnsafeMutablePointer<GstTagList>?
            gst_event_parse_tag(event, &tags)
            if let tags { stream?.notice(tags: tags) }
        default: break
        }
    }

    func latency(isLive: Bool) -> GstClockTime {
        GstClockTime(clamping: plan(isLive: isLive).latency)
    }

    /// The most that it can be: pools are made before anybody knows whether the stream is live.
    var framesHeld: guint { guint(clamping: plan(isLive: false).depth) }

    private func plan(isLive: Bool) -> SchedulePlan {
        signals.plan(for: settings.withLock { $0 }, isLive: isLive)
    }
}
