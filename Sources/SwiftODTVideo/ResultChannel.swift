import CODTGStreamer
import ODTPlayback
import SwiftODT

/// Passes results from the streaming thread of a pipeline to the task that calls ``take()``.
///
/// If ``capacity`` results wait for the task and another result arrives, the pipeline of a file blocks. For a live
/// source, the oldest result is dropped instead.
final class ResultChannel: Sendable {
    /// The maximum number of results that wait for the task. It is small, because it only has to bridge thread
    /// switches.
    private static let capacity = 8

    /// The messages of a frame as they were posted, and the copy of its pixels. The task parses the messages.
    struct Entry: Sendable {
        var messages: [PostedMessage] = []
        var timestamp: UInt64 = .max
        var frame: Frame?
        /// Whether the result was posted after its frame, the last one, had left the element.
        var isLate = false
        var droppedResults = 0
        var warnings: [String] = []

        var isEmpty: Bool { messages.isEmpty && warnings.isEmpty }
    }

    fileprivate struct State {
        /// The messages and warnings since the latest frame message. They become part of the next result.
        var open = Entry()
        /// Results whose frame has not left the element yet.
        var pending: [Entry] = []
        /// Results whose frame has left the element. The task has not taken them yet.
        var ready: [Entry] = []
        /// The task that waits in ``ResultChannel/take()``; `nil` if none waits.
        var waiter: CheckedContinuation<[Entry], Never>?
        /// The timestamp of the latest frame that has left the element.
        var latestPassed: UInt64?
        var isLive = false
        /// Whether the pipeline is stopping. Frames then pass without waiting for the task.
        var isClosed = false
        var isCancelled = false
        /// The reason of the element's first error.
        var reason: ODTError.Reason?
        var end: Result<Void, ODTError>?
    }

    private let state = Monitor(State())

    // MARK: The pipeline's side

    /// Adds a message of the element. Called on the streaming thread.
    ///
    /// - Parameter timestamp: the timestamp of the frame to which the message belongs. The message completes the
    ///   frame's result. `nil` for an event.
    func add(_ message: PostedMessage, timestamp: UInt64?) {
        state.update { state in
            // Nobody takes this result. It would retain the element, whose pads retain the channel.
            guard state.end == nil else { return }
            state.open.messages.append(message)
            guard let timestamp else { return }
            state.open.timestamp = timestamp
            state.pending.append(state.open)
            state.open = Entry()
        }
    }

    func warn(_ text: String) { state.update { $0.open.warnings.append(text) } }

    func note(_ reason: ODTError.Reason) { state.update { $0.reason = $0.reason ?? reason } }

    var reason: ODTError.Reason? { state.read { $0.reason } }

    func setLive() { state.update { $0.isLive = true } }

    /// Makes the result of a frame and all earlier results available to the task. Called on the streaming thread when
    /// the frame leaves the element. If the source is not live, blocks while ``capacity`` results wait for the task.
    ///
    /// - Parameter frame: returns a copy of the frame's pixels, which becomes part of the frame's result.
    func pass(timestamp: UInt64, frame: () -> Frame?) {
        let (count, isOfFrame) = state.update { state in
            state.latestPassed = timestamp
            // If the frames have no timestamps, the first pending result belongs to this frame. With `message-interval`,
            // the message of an earlier frame may be posted while this frame is processed.
            let last =
                timestamp == .max
                ? 0
                : state.pending.firstIndex { $0.timestamp == timestamp }
                    ?? state.pending.prefix { $0.timestamp < timestamp }.count - 1
            let isOfFrame = state.pending.indices.contains(last) && state.pending[last].timestamp == timestamp
            return (last + 1, isOfFrame)
        }
        guard count > 0 else { return }
        let pixels = isOfFrame ? frame() : nil
        let resumed: (CheckedContinuation<[Entry], Never>, [Entry])? = state.wait { state in
            if state.end != nil || state.isClosed { return .some(nil) }
            guard state.isLive || state.ready.count < Self.capacity else { return nil }
            let count = min(count, state.pending.count)
            if count > 0 { state.pending[count - 1].frame = pixels }
            state.ready += state.pending.prefix(count)
            state.pending.removeFirst(count)
            if state.isLive { state.dropOldest(beyond: Self.capacity) }
            return .some(state.takeWaiter())
        }
        if let (waiter, entries) = resumed { waiter.resume(returning: entries) }
    }

    /// Lets frames pass without waiting for the task, because the pipeline stops.
    func close() { state.update { $0.isClosed = true } }

    /// Ends the stream of results. The task still receives the results that it has not taken.
    func finish(_ end: Result<Void, ODTError>) {
        let resumed = state.update { state -> (CheckedContinuation<[Entry], Never>, [Entry])? in
            guard state.end == nil else { return nil }
            state.end = end
            for index in state.pending.indices {
                state.pending[index].isLate = state.pending[index].timestamp == state.latestPassed
            }
            state.ready += state.pending + (state.open.isEmpty ? [] : [state.open])
            (state.pending, state.open) = ([], Entry())
            return state.takeWaiter()
        }
        if let (waiter, entries) = resumed { waiter.resume(returning: entries) }
    }

    /// Ends the stream of results immediately. Results that the task has not taken are discarded.
    func cancel() {
        state.update { $0.isCancelled = $0.isCancelled || $0.end == nil }
        finish(.success(()))
        state.update { $0.ready = [] }
    }

    /// Whether the results were cancelled before their end.
    var isCancelled: Bool { state.read { $0.isCancelled } }

    // MARK: The task's side

    /// Returns all results that are ready. If there are none, waits for the next result. Returns an empty list at the
    /// end.
    func take() async -> [Entry] {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let entries: [Entry]? = state.update { state in
                    precondition(state.waiter == nil, "two tasks use one iterator; create an iterator for each task")
                    if state.ready.isEmpty, state.end == nil {
                        state.waiter = continuation
                        return nil
                    }
                    defer { state.ready = [] }
                    return state.ready
                }
                if let entries { continuation.resume(returning: entries) }
            }
        } onCancel: {
            cancel()
        }
    }

    var failure: ODTError? {
        state.read { state in
            if case .failure(let error) = state.end { error } else { nil }
        }
    }
}

extension ResultChannel.State {
    /// Removes and returns the waiting task and all ready results; `nil` if no task waits, or if there are no results
    /// and the stream has not ended.
    mutating func takeWaiter() -> (CheckedContinuation<[ResultChannel.Entry], Never>, [ResultChannel.Entry])? {
        guard let waiter, !ready.isEmpty || end != nil else { return nil }
        self.waiter = nil
        defer { ready = [] }
        return (waiter, ready)
    }

    /// Drops the oldest results of a live source. Their events become part of the next result.
    mutating func dropOldest(beyond capacity: Int) {
        while ready.count > capacity {
            let dropped = ready.removeFirst()
            ready[0].messages = dropped.messages.filter(\.isEvent) + ready[0].messages
            ready[0].warnings = dropped.warnings + ready[0].warnings
            ready[0].droppedResults += dropped.droppedResults + 1
        }
    }
}

/// An owned message of the element.
///
/// `@unchecked Sendable`: the message is immutable, and its reference count is atomic.
final class PostedMessage: @unchecked Sendable {
    private let message: UnsafeMutablePointer<GstMessage>

    /// Takes ownership of the caller's reference.
    init(_ message: UnsafeMutablePointer<GstMessage>) { self.message = message }

    deinit { gst_message_unref(message) }

    /// Whether the message is an event, not the result of a frame.
    var isEvent: Bool { read { $0.name != "swiftodt" } ?? false }

    /// Calls `body` with the fields, which are valid during the call.
    func read<Answer>(_ body: (MessageFields) -> Answer) -> Answer? {
        gst_message_get_structure(message).map { body(MessageFields($0)) }
    }
}
