import CODTGStreamer
import Glibc
import SwiftODT
import Synchronization

/// Plays a pipeline and ends its stream in such a way that written files are complete. The files are also complete
/// after Ctrl-C, and after an error of an element on which no output depends. If a stream does not end within 10 s, for
/// example because its source stalls, the player gives up.
///
///     let player = Player(pipeline) { printError($0) }
///     let ending = player.play { message in print(MessageText.line(message), terminator: "") }
package final class Player: Sendable {
    /// How long the player waits for the end of a stream after it has asked the stream to end, in nanoseconds. Encoders
    /// and network elements need this time to drain.
    static let endTimeout: Nanoseconds = 10_000_000_000
    /// How long the player waits for the error of a demuxer that has stopped without a stream, in nanoseconds.
    static let demuxerTimeout: Nanoseconds = 1_000_000_000
    /// How long the player waits until the elements have stopped, in nanoseconds.
    static let stopping: Nanoseconds = 3_000_000_000

    /// Closures for pipelines that do not end properly after a single end-of-stream event.
    package struct Configuration: Sendable {
        /// Returns whether there is output that would be incomplete if the stream did not end properly.
        package var hasBegun: @Sendable () -> Bool = { true }
        /// Returns whether the stream can still end properly after an error of the named element.
        package var survives: @Sendable (_ element: String) -> Bool = { _ in false }
        /// Ends the stream. May fail, because not every source reacts to events. May block. If this closure is `nil`,
        /// an end-of-stream event is sent to the pipeline.
        package var end: (@Sendable () -> Void)?
        /// Informs the user about unfinished files when a second signal ends the program at once.
        package var leave: @Sendable () -> Void = {}
        /// Called at least once per ``tickInterval`` while the pipeline plays, and after each bus message.
        package var tick: @Sendable () -> Void = {}
        /// The longest time between two calls of `tick`, in nanoseconds. A longer interval causes fewer wake-ups, which
        /// matters in programs with many pipelines.
        package var tickInterval: Nanoseconds = 100_000_000
        /// Returns the reason why the stream has to end now; `nil` if it may continue. Called as often as `tick`.
        package var trouble: @Sendable () -> String? = { nil }
        /// Called after the pipeline was started, on another thread.
        package var hasStarted: @Sendable () -> Void = {}
        /// The maximum number of unread messages of `swiftodt`. The streaming thread that posts another one waits. With
        /// `nil`, it does not wait, and the element merges results if too many are unread.
        package var maximumUnread: Int?
        /// Whether the stream ends at the signals of ``TerminationHandler``. A library sets this to `false`, because
        /// the program handles signals.
        package var endsAtSignals = true

        package init() {}
    }

    package struct Ending: Sendable {
        /// Whether the end of stream has reached all sinks. Written files are then complete.
        package var isWhole = false
        /// `nil` after success.
        package var failure: String?
        /// Whether the element `swiftodt` posted ``failure``.
        package var isRaisedBySwiftODT = false
        /// Whether the element `swiftodt` has reported that redaction is not guaranteed. After the end was requested, such an
        /// error is ignored, because a recording of detections is then longer than the stream.
        package var hasRedactionFault = false
        /// The reason of ``failure``. Without a failure, the reason of the first warning that concerns every input;
        /// `nil` if there was none.
        package var reason: ODTError.Reason?
        /// The number of the signal that ended the stream; `nil` if no signal did.
        package var signal: Int32?
    }

    package let pipeline: Pipeline
    let configuration: Configuration
    let notify: @Sendable (String) -> Void
    private let state = Mutex(State())
    /// Whether all elements have stopped, possibly after ``stop()`` has returned.
    package let hasStopped = Monitor(false)
    /// Whether ``stop()`` has ended the pipeline. The lock is held during changes of the pipeline's state.
    private let isClosed = Monitor(false)

    private struct State {
        var failure: String?
        var isRaisedBySwiftODT = false
        var hasRedactionFault = false
        var reason: ODTError.Reason?
        /// The monotonic time at which the stream was asked to end; `nil` if it was not.
        var endRequestedAt: Nanoseconds?
        var hasEnded = false
        var missing = MissingDecoders()
    }

    /// - Parameter notify: Shows a message to the user. Called on any thread.
    package init(
        _ pipeline: Pipeline, _ configuration: Configuration = Configuration(),
        notify: @escaping @Sendable (String) -> Void
    ) {
        (self.pipeline, self.configuration, self.notify) = (pipeline, configuration, notify)
    }

    /// Plays until the stream ends or fails. Passes each message of the `swiftodt` element to `onMessage`; the message
    /// is valid only during the call. The elements keep running until ``stop()`` is called.
    package func play(onMessage: (UnsafePointer<GstStructure>) -> Void) -> Ending {
        if configuration.endsAtSignals { TerminationHandler.shared.begin(self) }
        let bus = gst_element_get_bus(pipeline.top)
        defer { gst_object_unref(bus) }
        let unread = configuration.maximumUnread.map(UnreadMessages.init)
        if let unread { pipeline.interceptMessages { unread.waitForReader(of: $0) } }
        defer { unread?.close() }
        // Starting the pipeline may block, for example on a FIFO without a writer. It runs on a separate thread, so
        // that this thread can process messages of the bus.
        var isPlaying = DetachedThread.run { self.start() }
        if !isPlaying { note("\(ODTError.noThread)", ODTError.noThread.reason) }
        // The time at which a demuxer was first seen to have stopped without a stream.
        var stalled: Nanoseconds?
        while isPlaying {
            if let message = gst_bus_timed_pop_filtered(bus, GstClockTime(configuration.tickInterval), Self.wanted) {
                isPlaying = shouldContinue(after: message, onMessage: onMessage)
                unread?.noteRead(message)
                gst_message_unref(message)
            }
            // An element that posts messages all the time must not extend the time limit.
            if isPlaying, let left = timeLeft, left < 0 {
                if configuration.hasBegun() {
                    note("the stream did not end within \(Self.endTimeout / 1_000_000_000) seconds")
                }
                isPlaying = false
            }
            let demuxer = isPlaying ? pipeline.demuxerWithoutStreams() : nil
            stalled = demuxer == nil ? nil : stalled ?? MonotonicClock.now
            if let demuxer, let stalled, MonotonicClock.now - stalled > Self.demuxerTimeout {
                note(
                    "GStreamer cannot read the input: \(demuxer) found no stream; the file is damaged or incomplete",
                    .invalidFile)
                isPlaying = false
            }
            configuration.tick()
            if let trouble = configuration.trouble() { fail(trouble) }
        }
        return state.withLock {
            Ending(
                isWhole: $0.hasEnded, failure: $0.failure, isRaisedBySwiftODT: $0.isRaisedBySwiftODT,
                hasRedactionFault: $0.hasRedactionFault, reason: $0.reason,
                signal: configuration.endsAtSignals ? TerminationHandler.shared.signal : nil)
        }
    }

    /// Stops all elements. Returns whether all elements stopped. Elements that do not stop within the time limit keep
    /// running until what blocks them ends, possibly until the process ends.
    @discardableResult
    package func stop() -> Bool {
        let (pipeline, hasBegun, hasStopped, isClosed) = (pipeline, configuration.hasBegun(), hasStopped, isClosed)
        let endPipeline: @Sendable () -> Void = {
            if !hasBegun { pipeline.isolateDecoders(within: 500_000_000) }
            isClosed.update {
                $0 = true
                gst_element_set_state(pipeline.top, GST_STATE_NULL)
            }
            hasStopped.update { $0 = true }
        }
        if !DetachedThread.run(endPipeline) { endPipeline() }
        let deadline = MonotonicClock.now + (hasBegun ? Self.stopping : 1_000_000_000)
        let isStopped = hasStopped.wait(until: deadline) { $0 ? () : nil } != nil
        if configuration.endsAtSignals { TerminationHandler.shared.end(self) }
        return isStopped
    }

    /// Ends the stream because of an error. Only the first error is kept.
    package func fail(_ text: String, _ reason: ODTError.Reason = .failed) {
        note(text, reason)
        askToEnd()
    }

    /// Ends the stream. Only the first call has an effect.
    package func askToEnd() {
        let isFirst = state.withLock { state in
            guard state.endRequestedAt == nil else { return false }
            state.endRequestedAt = MonotonicClock.now
            return true
        }
        // The end-of-stream event is sent on a separate thread, because sending it blocks while the pad processes a
        // buffer.
        if isFirst { DetachedThread.run { self.end() } }
    }

    /// The time in nanoseconds until the player gives up waiting for the end of the stream; `nil` if the stream was not
    /// asked to end.
    var timeLeft: Nanoseconds? {
        // If there is no output to complete, the player does not wait. Output may begin later, so `hasBegun` is called
        // each time.
        let endTimeout = configuration.hasBegun() ? Self.endTimeout : 0
        return state.withLock { $0.endRequestedAt.map { $0 + endTimeout - MonotonicClock.now } }
    }

    private func note(_ text: String, _ reason: ODTError.Reason = .failed, isRaisedBySwiftODT: Bool = false) {
        state.withLock { state in
            guard state.failure == nil else { return }
            (state.failure, state.reason, state.isRaisedBySwiftODT) = (text, reason, isRaisedBySwiftODT)
        }
    }

    /// Starts the pipeline, unless ``stop()`` was called before.
    func start() {
        let change = isClosed.read { $0 ? nil : gst_element_set_state(pipeline.top, GST_STATE_PLAYING) }
        guard let change else { return }
        if change == GST_STATE_CHANGE_FAILURE {
            // If an element has already posted its own error, this general error is ignored.
            pipeline.refuse("the pipeline cannot start")
        }
        configuration.hasStarted()
    }

    private func end() {
        if let end = configuration.end { return end() }
        // The pipeline holds its state lock while it sends the event, so an unfinished state change to PLAYING would
        // deadlock. This call waits until the state change has ended.
        gst_element_get_state(pipeline.top, nil, nil, GstClockTime(Self.endTimeout))
        gst_element_send_event(pipeline.top, gst_event_new_eos())
    }

    // MARK: The bus

    /// Returns the text of the error that a pipeline has posted, for pipelines whose bus no player reads; `nil` if
    /// there is no error.
    package static func problem(of pipeline: Pipeline) -> String? {
        let bus = gst_element_get_bus(pipeline.top)
        defer { gst_object_unref(bus) }
        guard let message = gst_bus_pop_filtered(bus, GST_MESSAGE_ERROR) else { return nil }
        defer { gst_message_unref(message) }
        return ErrorText.of(message)
    }

    private static let wanted = GstMessageType(
        rawValue: [GST_MESSAGE_ELEMENT, GST_MESSAGE_WARNING, GST_MESSAGE_ERROR, GST_MESSAGE_EOS, GST_MESSAGE_LATENCY]
            .reduce(0) { $0 | $1.rawValue })

    /// - Returns: Whether the stream continues after this message.
    private func shouldContinue(
        after message: UnsafeMutablePointer<GstMessage>, onMessage: (UnsafePointer<GstStructure>) -> Void
    ) -> Bool {
        switch message.pointee.type {
        case GST_MESSAGE_EOS:
            state.withLock { $0.hasEnded = true }
            return false
        case GST_MESSAGE_ERROR:
            let name = ErrorText.name(of: message.pointee.src)
            let error = state.withLock { state in
                let error = state.missing.explained(message)
                if name == "swiftodt", error.reason == .redactionNotGuaranteed, state.endRequestedAt == nil {
                    state.hasRedactionFault = true
                }
                return error
            }
            note(error.text, error.reason, isRaisedBySwiftODT: name == "swiftodt")
            guard configuration.hasBegun(), configuration.survives(name) else { return false }
            askToEnd()
        case GST_MESSAGE_WARNING:
            let warning = state.withLock { $0.missing.explained(message) }
            if warning.reason.concernsEveryInput { state.withLock { $0.reason = $0.reason ?? warning.reason } }
            notify(warning.text)
        case GST_MESSAGE_LATENCY: gst_bin_recalculate_latency(pipeline.bin)
        default:
            guard let structure = gst_message_get_structure(message) else { return true }
            if String(cString: gst_structure_get_name(structure)).hasPrefix("swiftodt") {
                onMessage(structure)
            } else {
                state.withLock { $0.missing.note(message) }
            }
        }
        return true
    }
}

/// Limits the number of messages of `swiftodt` that wait on a bus.
private final class UnreadMessages: Sendable {
    private let state = Monitor((count: 0, isClosed: false))
    private let most: Int

    init(atMost most: Int) { self.most = most }

    /// Called on the thread that posts a message. Waits while too many messages are unread.
    ///
    /// - Returns: `true`, because the message is always queued on the bus.
    func waitForReader(of message: UnsafeMutablePointer<GstMessage>) -> Bool {
        guard Self.counts(message) else { return true }
        state.wait { state -> Void? in
            guard state.isClosed || state.count < most else { return nil }
            state.count += 1
            return ()
        }
        return true
    }

    func noteRead(_ message: UnsafeMutablePointer<GstMessage>) {
        if Self.counts(message) { state.update { $0.count -= 1 } }
    }

    private static func counts(_ message: UnsafeMutablePointer<GstMessage>) -> Bool {
        guard message.pointee.type == GST_MESSAGE_ELEMENT, let structure = gst_message_get_structure(message) else {
            return false
        }
        return String(cString: gst_structure_get_name(structure)).hasPrefix("swiftodt")
    }

    /// Ends all waits.
    func close() { state.update { $0.isClosed = true } }
}
