import CGStreamer
import Glibc
import SwiftODT
import Synchronization

/// Plays a pipeline until its end of stream and ends it so that written files are complete, also after Ctrl-C and
/// after an error of an element that does not affect the outputs. A stream that does not end within 10 s, for
/// example because its source stalls, is abandoned.
///
///     let player = Player(pipeline) { printError($0) }
///     let ending = player.play { message in print(MessageText.line(message), terminator: "") }
package final class Player: Sendable {
    /// The time that a stream may take to end after it was asked to. Encoders and network elements need it to drain.
    static let endTimeout: Nanoseconds = 10_000_000_000
    /// The time that elements may take to stop after that.
    static let stopping: Nanoseconds = 3_000_000_000

    /// Hooks for pipelines that need more than a single end-of-stream event.
    package struct Configuration: Sendable {
        /// Returns whether there is output that ending the stream properly would complete.
        package var hasBegun: @Sendable () -> Bool = { true }
        /// Returns whether the stream can still end properly after an error of this element.
        package var survives: @Sendable (_ element: String) -> Bool = { _ in false }
        /// Ends the stream. Not every source reacts. May block.
        package var end: (@Sendable () -> Void)?
        /// Reports the files that remain when a second signal ends the program at once.
        package var leave: @Sendable () -> Void = {}
        /// Called about ten times per second while the pipeline plays, and after each bus message.
        package var tick: @Sendable () -> Void = {}
        /// Returns the reason why the stream has to end now, or `nil`. Called as often as `tick`.
        package var trouble: @Sendable () -> String? = { nil }
        /// Called on another thread after the pipeline was started.
        package var hasStarted: @Sendable () -> Void = {}
        /// Whether the signals of ``TerminationHandler`` end the stream. A library leaves signals to the program.
        package var endsAtSignals = true

        package init() {}
    }

    /// The result of playing; `failure` is `nil` after success.
    package struct Ending: Sendable {
        /// Whether end of stream reached all sinks, so that written files are complete.
        package var isWhole = false
        package var failure: String?
        /// The signal that ended the stream.
        package var signal: Int32?
    }

    package let pipeline: Pipeline
    private let configuration: Configuration
    private let output: @Sendable (String) -> Void
    private let state = Mutex(State())

    private struct State {
        var failure: String?
        /// The time at which the stream was asked to end; `nil` if it was not.
        var asked: Nanoseconds?
        /// Whether end of stream was received.
        var hasEnded = false
        /// GStreamer's descriptions of the missing decoders.
        var missing: [String] = []
    }

    /// - Parameter notify: Shows a message to the user. Called on any thread.
    package init(
        _ pipeline: Pipeline, _ configuration: Configuration = Configuration(),
        notify: @escaping @Sendable (String) -> Void
    ) {
        (self.pipeline, self.configuration, output) = (pipeline, configuration, notify)
    }

    /// Plays until the stream ends. Passes each message of swiftodt to `onMessage`, valid during the call. The
    /// elements keep running until ``stop()``.
    package func play(onMessage: (UnsafePointer<GstStructure>) -> Void) -> Ending {
        if configuration.endsAtSignals { TerminationHandler.shared.begin(self) }
        let bus = gst_element_get_bus(pipeline.top)
        defer { gst_object_unref(bus) }
        // Starting may block, for example on a FIFO without a writer. A separate thread starts, so that the bus is
        // served.
        DetachedThread.run { self.start() }
        var isPlaying = true
        while isPlaying {
            if let message = gst_bus_timed_pop_filtered(bus, 100_000_000, Self.wanted) {
                isPlaying = shouldContinue(after: message, onMessage: onMessage)
                gst_mini_object_unref(UnsafeMutableRawPointer(message).assumingMemoryBound(to: GstMiniObject.self))
            } else if let left = timeLeft, left < 0 {
                if configuration.hasBegun() {
                    note("the stream did not end within \(Self.endTimeout / 1_000_000_000) seconds")
                }
                isPlaying = false
            }
            configuration.tick()
            if let trouble = configuration.trouble() { fail(trouble) }
        }
        return state.withLock {
            Ending(
                isWhole: $0.hasEnded, failure: $0.failure,
                signal: configuration.endsAtSignals ? TerminationHandler.shared.signal : nil)
        }
    }

    /// Stops all elements. Elements that do not stop within the time limit are left to the end of the process.
    ///
    /// - Returns: Whether all elements stopped.
    @discardableResult
    package func stop() -> Bool {
        let hasStopped = Monitor(false)
        let pipeline = pipeline
        DetachedThread.run {
            gst_element_set_state(pipeline.top, GST_STATE_NULL)
            hasStopped.update { $0 = true }
        }
        let deadline = MonotonicClock.now + (configuration.hasBegun() ? Self.stopping : 1_000_000_000)
        let isStopped = hasStopped.wait(until: deadline) { $0 ? () : nil } != nil
        if configuration.endsAtSignals { TerminationHandler.shared.end(self) }
        return isStopped
    }

    /// Ends the stream because of an error. Only the first error is kept.
    package func fail(_ text: String) {
        note(text)
        askToEnd()
    }

    /// Ends the stream. Only the first call has an effect.
    package func askToEnd() {
        let isFirst = state.withLock { state in
            guard state.asked == nil else { return false }
            state.asked = MonotonicClock.now
            return true
        }
        // On its own thread, because sending the event blocks while the pad processes a buffer.
        if isFirst { DetachedThread.run { self.end() } }
    }

    func leave() { configuration.leave() }

    func notify(_ text: String) { output(text) }

    /// The time left until the stream must have ended; `nil` before it was asked to end.
    var timeLeft: Nanoseconds? {
        // Before the first output there is nothing to complete, so no time is allowed. Output may begin later.
        let endTimeout = configuration.hasBegun() ? Self.endTimeout : 0
        return state.withLock { $0.asked.map { $0 + endTimeout - MonotonicClock.now } }
    }

    private func note(_ text: String) { state.withLock { $0.failure = $0.failure ?? text } }

    private func start() {
        if gst_element_set_state(pipeline.top, GST_STATE_PLAYING) == GST_STATE_CHANGE_FAILURE {
            // Posted after the element's own error, if there is one, because only the first error is kept.
            pipeline.refuse("the pipeline cannot start")
        }
        configuration.hasStarted()
    }

    private func end() {
        if let end = configuration.end { return end() }
        // Sending an event holds the pipeline's state lock, and a state change to PLAYING that is in progress would
        // wait for it forever.
        gst_element_get_state(pipeline.top, nil, nil, GstClockTime(Self.endTimeout))
        gst_element_send_event(pipeline.top, gst_event_new_eos())
    }

    // MARK: The bus

    /// Returns the error that a pipeline posted while no player served its bus; `nil` if there is none.
    package static func problem(of pipeline: Pipeline) -> String? {
        let bus = gst_element_get_bus(pipeline.top)
        defer { gst_object_unref(bus) }
        guard let message = gst_bus_pop_filtered(bus, GST_MESSAGE_ERROR) else { return nil }
        defer { gst_mini_object_unref(UnsafeMutableRawPointer(message).assumingMemoryBound(to: GstMiniObject.self)) }
        return ErrorText.of(message)
    }

    private static let wanted = GstMessageType(
        rawValue: [GST_MESSAGE_ELEMENT, GST_MESSAGE_WARNING, GST_MESSAGE_ERROR, GST_MESSAGE_EOS, GST_MESSAGE_LATENCY]
            .reduce(0) { $0 | $1.rawValue })

    /// - Returns: Whether the stream continues.
    private func shouldContinue(
        after message: UnsafeMutablePointer<GstMessage>, onMessage: (UnsafePointer<GstStructure>) -> Void
    ) -> Bool {
        switch message.pointee.type {
        case GST_MESSAGE_EOS:
            state.withLock { $0.hasEnded = true }
            return false
        case GST_MESSAGE_ERROR:
            note(explained(ErrorText.of(message)))
            guard configuration.hasBegun(), configuration.survives(ErrorText.name(of: message.pointee.src)) else {
                return false
            }
            askToEnd()
        case GST_MESSAGE_WARNING: notify(explained(ErrorText.of(message, isWarning: true)))
        case GST_MESSAGE_LATENCY: gst_bin_recalculate_latency(pipeline.bin)
        default:
            guard let structure = gst_message_get_structure(message) else { return true }
            let name = String(cString: gst_structure_get_name(structure))
            if name == "missing-plugin" {
                noteMissing(structure)
            } else if name.hasPrefix("swiftodt") {
                onMessage(structure)
            }
        }
        return true
    }

    private func noteMissing(_ structure: UnsafePointer<GstStructure>) {
        guard let name = gst_structure_get_string(structure, "name") else { return }
        let text = String(cString: name)
        state.withLock { if !$0.missing.contains(text) { $0.missing.append(text) } }
    }

    /// Appends the decoders that GStreamer reported as missing before this error.
    private func explained(_ text: String) -> String {
        let missing = state.withLock { state in
            defer { state.missing = [] }
            return state.missing
        }
        guard !missing.isEmpty else { return text }
        return text
            + "\nGStreamer has no \(missing.joined(separator: ", no ")): install gstreamer1.0-libav (most decoders) "
            + "or gstreamer1.0-plugins-good, -bad or -ugly (others)"
    }
}
