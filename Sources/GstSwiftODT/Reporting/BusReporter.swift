import CGStreamer
import SwiftODT
import Synchronization

/// Decides which reports become bus messages and posts them.
///
/// A message that comes sooner than `message-interval` allows waits; a newer one takes its place (and is counted as
/// coalesced). A bus that nobody reads must not grow without bound: while many messages are unread, reports wait alike.
/// Messages that an application has read and keeps are not unread.
final class BusReporter {
    /// So many messages may be on their way or unread.
    private static let backlog = 512
    /// From so many living messages on, the reporter finds out which of them the application has read.
    private static let fewest = 64

    private let element: ElementHandle
    /// The messages since the bus was last seen empty, as far as they are alive.
    private var unread = LivingMessages()
    private var sequence: UInt64 = 0
    private var waiting: (report: Report, format: MessageFormat)?
    private var lastPosted: Nanoseconds?
    private var lastIdentity: [Identity]?
    /// Whether the latest message had objects that its reader takes to be there still.
    private var hasPostedObjects = false

    /// What `updates=on-change` compares.
    private struct Identity: Equatable {
        let id: Int?
        let label: String
        let category: Category
        let state: Track.State
    }

    init(element: ElementHandle) { self.element = element }

    /// - Parameters:
    ///   - isResult: whether a detection ended at this frame.
    ///   - time: a steady clock's, in nanoseconds.
    /// - Returns: how many reports gave way to newer ones.
    func post(
        _ report: Report, events: [any EventReport], isResult: Bool, settings: Settings, at time: Nanoseconds
    ) -> Int {
        var coalesced = post(events, as: settings.messageFormat)
        guard settings.updates != .none else {
            waiting = nil
            return coalesced
        }
        if isWanted(report, isResult: isResult, updates: settings.updates) {
            if waiting != nil {
                coalesced += 1
                element.log(.debug, "a newer result takes the place of one that waited to be posted")
            }
            waiting = (report, settings.messageFormat)
        }
        let isDue = lastPosted.map { time - $0 >= settings.messageInterval } ?? true
        if isDue, hasRoom, postWaiting() { lastPosted = time }
        return coalesced
    }

    /// Posts what happened to objects, however seldom reports are wanted.
    ///
    /// - Returns: how many messages an unread bus had no room for.
    @discardableResult
    func post(_ events: [any EventReport], as format: MessageFormat) -> Int {
        var left = 0
        for event in events {
            if hasRoom {
                element.log(.debug, event.summary)
                post(StructureWriter.message(of: event, format: format))
            } else {
                left += 1
                element.log(.warning, "not posted, because \(Self.backlog) messages are unread: \(event.summary)")
            }
        }
        return left
    }

    /// Whether the bus may take another message. A bus has no count of its messages, but tells whether it is empty: all messages that are still
    /// alive then have been read.
    private var hasRoom: Bool {
        if unread.count >= Self.fewest, !element.hasPendingMessages { unread = LivingMessages() }
        return unread.count < Self.backlog
    }

    /// The stream ends: what waits for its time is said now.
    func finish() { postWaiting() }

    /// All objects have ended with the stream. With `updates=on-change` a message says so, if an earlier one had objects.
    func postEnd(_ report: Report, settings: Settings) {
        guard settings.updates == .onChange, hasPostedObjects, hasRoom else { return }
        waiting = (report, settings.messageFormat)
        postWaiting()
    }

    /// Nothing of an earlier epoch is posted in the next. ``hasPostedObjects`` stays: the reader still holds those objects.
    func reset() {
        waiting = nil
        lastPosted = nil
        lastIdentity = nil
    }

    @discardableResult
    private func postWaiting() -> Bool {
        guard let waiting else { return false }
        self.waiting = nil
        var report = waiting.report
        hasPostedObjects = report.objects.contains { $0.object.track.state != .lost }
        report.sequence = sequence
        element.log(.log, "message \(sequence) is posted, of \(report.objects.count) objects at \(report.times)")
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
                    state: $0.object.track.state == .new ? .tracked : $0.object.track.state)
            }
            defer { lastIdentity = identity }
            guard let lastIdentity else { return !identity.isEmpty || hasPostedObjects }
            return identity != lastIdentity
        }
    }
}

/// Counts messages that are still alive: on their way, unread, or kept by the application.
private final class LivingMessages: Sendable {
    private let living = Atomic<Int>(0)

    var count: Int { living.load(ordering: .relaxed) }

    func watch(_ message: UnsafeMutablePointer<GstMessage>) {
        living.add(1, ordering: .relaxed)
        // The message may outlive the element, so it holds on to the count.
        gst_mini_object_weak_ref(
            UnsafeMutableRawPointer(message).assumingMemoryBound(to: GstMiniObject.self),
            { counter, _ in
                guard let counter else { return }
                Unmanaged<LivingMessages>.fromOpaque(counter).takeRetainedValue().living.subtract(1, ordering: .relaxed)
            }, Unmanaged.passRetained(self).toOpaque())
    }
}
