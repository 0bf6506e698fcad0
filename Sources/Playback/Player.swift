import CGStreamer
import Glibc
import SwiftODT
import Synchronization

/// Plays a pipeline to its end, and ends it properly whatever comes: what is being recorded is complete after Ctrl-C, and after an error
/// behind which the rest still works. A stream that does not end, because its source stalls, is given up after some seconds.
///
///     let player = Player(pipeline) { printError($0) }
///     let ending = player.play { message in print(MessageText.line(message), terminator: "") }
public final class Player: Sendable {
    /// How long a stream may take to end once it was asked to: encoders and networks have to finish what they hold.
    static let endTimeout: Nanoseconds = 10_000_000_000
    /// How long elements may take to stop after that.
    static let stopping: Nanoseconds = 3_000_000_000

    /// How a pipeline that is more than a chain wants to be dealt with.
    public struct Configuration: Sendable {
        /// Whether there is anything that a proper end would save.
        public var hasBegun: @Sendable () -> Bool = { true }
        /// Whether the stream can end properly after an error of the element of this name.
        public var survives: @Sendable (_ element: String) -> Bool = { _ in false }
        /// Asks the stream to end. Not every source hears it. May block.
        public var end: (@Sendable () -> Void)?
        /// Says what is left behind, when the program is stopped in the middle.
        public var leave: @Sendable () -> Void = {}
        /// Called ten times a second while it plays.
        public var tick: @Sendable () -> Void = {}
        /// Why it has to end now, if it has. Asked as often.
        public var trouble: @Sendable () -> String? = { nil }

        public init() {}
    }

    /// How it ended: well where nothing failed.
    public struct Ending: Sendable {
        /// Whether the end of the stream came through all elements, so that what they write is complete.
        public var isWhole = false
        public var failure: String?
        /// The signal that ended it.
        public var signal: Int32?
    }

    public let pipeline: Pipeline
    private let configuration: Configuration
    private let output: @Sendable (String) -> Void
    private let state = Mutex(State())

    private struct State {
        var failure: String?
        /// When it was asked to end, if it was.
        var asked: Nanoseconds?
        /// Whether its end has come.
        var hasEnded = false
        /// What decoders are missing, as GStreamer calls them.
        var missing: [String] = []
    }

    /// - Parameter notify: says a sentence to people, on whatever thread.
    public init(
        _ pipeline: Pipeline, _ configuration: Configuration = Configuration(), notify: @escaping @Sendable (String) -> Void
    ) {
        (self.pipeline, self.configuration, output) = (pipeline, configuration, notify)
    }

    /// Plays, hands over every message of the element, good until it returns, and returns when the stream has ended. The elements
    /// still have to be stopped, by ``stop()``.
    public func play(onMessage: (UnsafePointer<GstStructure>) -> Void) -> Ending {
        TerminationHandler.shared.begin(self)
        let bus = gst_element_get_bus(pipeline.top)
        defer { gst_object_unref(bus) }
        // Starting may block (a FIFO that nobody writes, a server that says nothing): the bus is heard meanwhile.
        DetachedThread.run { self.start() }
        var isPlaying = true
        while isPlaying {
            if let message = gst_bus_timed_pop_filtered(bus, 100_000_000, Self.wanted) {
                isPlaying = shouldContinue(after: message, onMessage: onMessage)
                gst_mini_object_unref(UnsafeMutableRawPointer(message).assumingMemoryBound(to: GstMiniObject.self))
            } else if let left = timeLeft, left < 0 {
                if configuration.hasBegun() { note("the stream did not end within \(Self.endTimeout / 1_000_000_000) seconds") }
                isPlaying = false
            }
            configuration.tick()
            if let trouble = configuration.trouble() { fail(trouble) }
        }
        return state.withLock {
            Ending(isWhole: $0.hasEnded, failure: $0.failure, signal: TerminationHandler.shared.signal)
        }
    }

    /// Stops all elements. What hangs in there is left to the end of the program.
    ///
    /// - Returns: whether all have stopped.
    @discardableResult
    public func stop() -> Bool {
        let hasStopped = Monitor(false)
        let pipeline = pipeline
        DetachedThread.run {
            gst_element_set_state(pipeline.top, GST_STATE_NULL)
            hasStopped.update { $0 = true }
        }
        let deadline = MonotonicClock.now + (configuration.hasBegun() ? Self.stopping : 1_000_000_000)
        let isStopped = hasStopped.wait(until: deadline) { $0 ? () : nil } != nil
        TerminationHandler.shared.end(self)
        return isStopped
    }

    /// Ends the stream because of an error; the first one counts.
    public func fail(_ text: String) {
        note(text)
        askToEnd()
    }

    /// Asks the stream to end, once.
    public func askToEnd() {
        let isFirst = state.withLock { state in
            guard state.asked == nil else { return false }
            state.asked = MonotonicClock.now
            return true
        }
        // In a thread of its own: a pad that is at work takes the event when it is done.
        if isFirst { DetachedThread.run { self.end() } }
    }

    func leave() { configuration.leave() }

    func notify(_ text: String) { output(text) }

    /// Until the stream must have ended; `nil` while nobody asks for that.
    var timeLeft: Nanoseconds? {
        // What has not begun has nothing to lose; it may begin after that.
        let endTimeout = configuration.hasBegun() ? Self.endTimeout : 0
        return state.withLock { $0.asked.map { $0 + endTimeout - MonotonicClock.now } }
    }

    private func note(_ text: String) { state.withLock { $0.failure = $0.failure ?? text } }

    private func start() {
        if gst_element_set_state(pipeline.top, GST_STATE_PLAYING) == GST_STATE_CHANGE_FAILURE {
            // After what the element itself has said, if it has.
            pipeline.refuse("the pipeline does not start")
        }
    }

    private func end() {
        if let end = configuration.end { return end() }
        // A pipeline that takes an event holds its state, and one that is about to play would wait for that for good.
        gst_element_get_state(pipeline.top, nil, nil, GstClockTime(Self.endTimeout))
        gst_element_send_event(pipeline.top, gst_event_new_eos())
    }

    // MARK: The bus

    /// What a pipeline that nobody plays complains about, if it does.
    public static func problem(of pipeline: Pipeline) -> String? {
        let bus = gst_element_get_bus(pipeline.top)
        defer { gst_object_unref(bus) }
        guard let message = gst_bus_pop_filtered(bus, GST_MESSAGE_ERROR) else { return nil }
        defer { gst_mini_object_unref(UnsafeMutableRawPointer(message).assumingMemoryBound(to: GstMiniObject.self)) }
        return ErrorText.of(message)
    }

    private static let wanted = GstMessageType(
        rawValue: [GST_MESSAGE_ELEMENT, GST_MESSAGE_WARNING, GST_MESSAGE_ERROR, GST_MESSAGE_EOS, GST_MESSAGE_LATENCY]
            .reduce(0) { $0 | $1.rawValue })

    /// - Returns: whether the stream goes on.
    private func shouldContinue(
        after message: UnsafeMutablePointer<GstMessage>, onMessage: (UnsafePointer<GstStructure>) -> Void
    ) -> Bool {
        switch message.pointee.type {
        case GST_MESSAGE_EOS:
            state.withLock { $0.hasEnded = true }
            return false
        case GST_MESSAGE_ERROR:
            note(explained(ErrorText.of(message)))
            guard configuration.hasBegun(), configuration.survives(ErrorText.name(of: message.pointee.src)) else { return false }
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

    /// With the decoders named that GStreamer missed before it complained.
    private func explained(_ text: String) -> String {
        let missing = state.withLock { state in
            defer { state.missing = [] }
            return state.missing
        }
        guard !missing.isEmpty else { return text }
        return text
            + "\nGStreamer has no \(missing.joined(separator: ", no ")): Debian's gstreamer1.0-libav has most decoders, "
            + "gstreamer1.0-plugins-good, -bad and -ugly have others"
    }
}
