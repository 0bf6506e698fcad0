import CODTGStreamer
import SwiftODT
import Synchronization

/// Decides which reports are posted on the bus as messages, and when.
///
/// A report is deferred until `message-interval` has passed since the latest posted report. If a newer report replaces
/// a deferred report, the deferred report is counted as coalesced. Reports are also deferred while many messages are
/// unread, because an application may never read its bus. Messages that the application has read and retains do not
/// count as unread.
final class BusReporter {
    /// The maximum number of messages that are unread or in transit.
    private static let backlog = 512
    /// The reporter checks whether the bus is empty only if at least this number of messages exist.
    private static let fewest = 64

    private let element: ElementHandle
    /// The messages that were posted since the bus was last empty and that still exist.
    private var unread = LivingMessages()
    private var sequence: UInt64 = 0
    /// The deferred report.
    private var waiting: (report: Report, format: MessageFormat)?
    /// The running time in nanoseconds at which a report was last posted.
    private var lastPosted: Nanoseconds?
    /// The objects of the latest report, for `updates=on-change`.
    private var lastIdentity: [Identity]?
    /// Whether the latest message contained objects. The application assumes that these objects are present until a
    /// later message no longer contains them.
    private var hasPostedObjects = false

    /// The properties of an object that `updates=on-change` compares.
    private struct Identity: Equatable {
        let id: Int?
        let label: String
        let category: Category
        let classifierLabel: Detection.Label?
        let state: Track.State
    }

    init(element: ElementHandle) { self.element = element }

    /// Posts the events of a frame, and the latest report if it is due.
    ///
    /// - Parameters:
    ///   - isResult: Whether the report contains a new detection result.
    ///   - time: The running time of the frame in nanoseconds.
    /// - Returns: The number of reports that were coalesced, plus the number of events that were dropped.
    func post(
        _ report: Report, events: [EventReport], isResult: Bool, settings: Settings, at time: Nanoseconds
    ) -> Int {
        var coalesced = post(events, as: settings.messageFormat)
        guard settings.updates != .none else {
            waiting = nil
            return coalesced
        }
        if isWanted(report, isResult: isResult, updates: settings.updates) {
            if waiting != nil {
                coalesced += 1
                element.log(.debug, "a newer result replaces one that was not posted yet")
            }
            waiting = (report, settings.messageFormat)
        }
        let isDue = lastPosted.map { time - $0 >= settings.messageInterval } ?? true
        if isDue, hasRoom, postWaiting() { lastPosted = time }
        return coalesced
    }

    /// Posts events. The properties `updates` and `message-interval` do not apply to events.
    ///
    /// - Returns: The number of events that were dropped, because too many messages were unread.
    @discardableResult
    func post(_ events: [EventReport], as format: MessageFormat) -> Int {
        var left = 0
        for event in events {
            if hasRoom {
                element.log(.debug, JSONWriter.text(of: event))
                post(StructureWriter.message(of: event, format: format))
            } else {
                left += 1
                element.log(
                    .warning, "not posted, because \(Self.backlog) messages are unread: \(JSONWriter.text(of: event))")
            }
        }
        return left
    }

    /// Whether another message may be posted. A bus has no message count, but it reports whether it is empty. If it is
    /// empty, all messages that exist at this moment have been read, so counting starts again.
    private var hasRoom: Bool {
        if unread.count >= Self.fewest, !element.hasPendingMessages { unread = LivingMessages() }
        return unread.count < Self.backlog
    }

    /// Posts a report in which all objects have ended, because the stream has ended. It is posted only with
    /// `updates=on-change`, and only if the latest message contained objects.
    func postEnd(_ report: Report, settings: Settings) {
        guard settings.updates == .onChange, hasPostedObjects, hasRoom else { return }
        waiting = (report, settings.messageFormat)
        postWaiting()
    }

    /// Discards the state of the previous epoch, except ``hasPostedObjects``: the application still assumes that the
    /// posted objects are present.
    ///
    /// - Parameter time: The running time of the first frame of the epoch in nanoseconds; `nil` after a flush. If it is
    ///   later than the latest posted report, the deferred report and `message-interval` remain in effect. Otherwise,
    ///   for example after a step backwards, the deferred report is discarded.
    /// - Returns: Whether a deferred report was discarded.
    func beginEpoch(at time: Nanoseconds?) -> Bool {
        lastIdentity = nil
        if let time, let lastPosted, time > lastPosted { return false }
        defer { (waiting, lastPosted) = (nil, nil) }
        return waiting != nil
    }

    /// - Returns: Whether there was a deferred report.
    @discardableResult
    func postWaiting() -> Bool {
        guard let waiting else { return false }
        self.waiting = nil
        var report = waiting.report
        hasPostedObjects = report.objects.contains { $0.object.track.state != .lost }
        report.sequence = sequence
        element.log(.log, "message \(sequence) posted: \(report.objects.count) objects at \(report.times)")
        sequence += 1
        post(StructureWriter.message(of: report, format: waiting.format))
        return true
    }

    private func post(_ structure: UnsafeMutablePointer<GstStructure>) {
        let message = element.elementMessage(structure)
        unread.watch(message)
        element.post(message)
    }

    private func isWanted(_ report: Report, isResult: Bool, updates: Settings.Updates) -> Bool {
        switch updates {
        case .onResult: return isResult
        case .everyFrame: return true
        case .onObject: return isResult && !report.objects.isEmpty
        case .none: return false
        case .onChange:
            let identity = report.objects.map {
                Identity(
                    id: $0.object.track.id, label: $0.label, category: $0.object.category,
                    classifierLabel: $0.object.classifierLabel?.label,
                    state: $0.object.track.state == .new ? .tracked : $0.object.track.state)
            }
            defer { lastIdentity = identity }
            guard let lastIdentity else { return !identity.isEmpty || hasPostedObjects || waiting != nil }
            return identity != lastIdentity
        }
    }
}

/// Counts the messages that still exist, because they are in transit, unread, or retained by the application.
private final class LivingMessages: Sendable {
    private let living = Atomic<Int>(0)

    var count: Int { living.load(ordering: .relaxed) }

    func watch(_ message: UnsafeMutablePointer<GstMessage>) {
        living.add(1, ordering: .relaxed)
        // The message may outlive the element, so the message holds a reference to the counter.
        gst_mini_object_weak_ref(
            UnsafeMutableRawPointer(message).assumingMemoryBound(to: GstMiniObject.self),
            { counter, _ in
                guard let counter else { return }
                Unmanaged<LivingMessages>.fromOpaque(counter).takeRetainedValue().living.subtract(1, ordering: .relaxed)
            }, Unmanaged.passRetained(self).toOpaque())
    }
}
