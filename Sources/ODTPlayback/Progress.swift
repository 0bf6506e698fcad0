import CODTGStreamer
import Glibc
import SwiftODT
import Synchronization

/// A progress line on the terminal. It shows the percentage, the frame rate and the remaining time. If standard error
/// is not a terminal, nothing is printed.
package final class Progress: Sendable {
    private struct State {
        var frames = 0
        /// The presentation timestamp of the first frame in nanoseconds; `nil` if no frame has one.
        var begin: Nanoseconds?
        /// The presentation timestamp of the end of the latest frame in nanoseconds.
        var position: Nanoseconds = 0
        /// The first known duration of the input; 0 if it is unknown.
        var duration: Nanoseconds = 0
        /// The monotonic time of the first frame.
        var started = MonotonicClock.now
        /// The monotonic time at which the line was last printed.
        var shown: Nanoseconds = 0
        var isOnScreen = false
    }

    private let name: String
    /// The reference is weak, because the probes on the pipeline's pads hold a reference to this object. Swift 6.0 has
    /// no `weak let`, so the property is `nonisolated(unsafe)`. It is set only in the initialiser.
    nonisolated(unsafe) private weak var pipeline: Pipeline?
    private let isWatched: Bool
    private let state = Mutex(State())

    /// - Parameter name: The file or address that is played. The line begins with its last part.
    package init(of pipeline: Pipeline, name: String) {
        let parts = PartFile.parts(of: AddressParts.discreet(name, of: name))
        (self.pipeline, self.name) = (pipeline, parts.stem + parts.ending)
        let terminal = getenv("TERM").map { String(cString: $0) } ?? "dumb"
        isWatched = isatty(STDERR_FILENO) != 0 && terminal != "dumb"
    }

    package var frames: Int { state.withLock { $0.frames } }

    /// Counts the buffers that pass a pad as frames.
    package func watch(_ pad: Pad) {
        pad.watchBuffers { buffer in
            let time = Nanoseconds(clamping: buffer.pointee.pts)
            self.state.withLock { state in
                if state.frames == 0 { state.started = MonotonicClock.now }
                state.frames += 1
                guard buffer.pointee.pts != .max else { return }
                state.begin = state.begin ?? time.clampedToRange
                let length = buffer.pointee.duration == .max ? 0 : Nanoseconds(clamping: buffer.pointee.duration)
                state.position = time.adding(length).clampedToRange
            }
            return .ok
        }
    }

    /// Returns a warning if the input has ended clearly before its duration, such as the first part of a download.
    /// Durations that change are estimates, so they are not compared.
    package var truncation: String? {
        let (state, whole) = (state.withLock { $0 }, duration)
        guard whole > 0, whole == state.duration, let begin = state.begin else { return nil }
        let length = state.position.since(begin)
        guard whole.since(length) > max(1_000_000_000, whole / 50) else { return nil }
        func seconds(_ time: Nanoseconds) -> String { DecimalText.text(Double(time) / 1e9, decimals: 1) }
        return "the video ended after \(seconds(length)) of \(seconds(whole)) s; the file may be incomplete"
    }

    /// The duration of the input in nanoseconds; 0 if it is unknown.
    private var duration: Nanoseconds {
        var whole: gint64 = 0
        guard let pipeline, gst_element_query_duration(pipeline.top, GST_FORMAT_TIME, &whole) != 0 else { return 0 }
        return Nanoseconds(max(0, whole))
    }

    private func noteDuration() {
        guard state.withLock({ $0.frames > 0 && $0.duration == 0 }) else { return }
        let whole = duration
        state.withLock { $0.duration = whole }
    }

    /// Prints the line again, at most four times per second.
    package func show() {
        noteDuration()
        guard isWatched else { return }
        let now = MonotonicClock.now
        guard state.withLock({ $0.frames > 0 && now - $0.shown > 250_000_000 }) else { return }
        // Streaming threads take the lock, so the pipeline is queried without it.
        let whole = duration
        let line = state.withLock { state in
            (state.shown, state.isOnScreen) = (now, true)
            return text(state, spent: now - state.started, of: whole)
        }
        write("\r\u{1b}[K" + line)
    }

    /// Erases the line, so that other output begins in the first column.
    package func clear() {
        let isOnScreen = state.withLock { state in
            defer { state.isOnScreen = false }
            return state.isOnScreen
        }
        if isOnScreen { write("\r\u{1b}[K") }
    }

    /// - Parameter whole: The duration of the input; 0 if it is unknown.
    private func text(_ state: State, spent: Nanoseconds, of whole: Nanoseconds) -> String {
        let rate = spent > 0 ? Int(Double(state.frames) / (Double(spent) / 1e9)) : 0
        let counts = "\(CountText.text(state.frames, "frame")), \(rate) a second"
        guard whole > 0, state.position > 0 else {
            return "\(name): \(counts), \(Self.clock(spent))"
        }
        let part = min(1, Double(state.position) / Double(whole))
        let left = Nanoseconds(seconds: Double(spent) / 1e9 * (1 - part) / part)
        return "\(name): \(Int(part * 100)) %, \(counts), \(Self.clock(left)) left"
    }

    /// Formats a duration as h:mm:ss, or m:ss below one hour.
    static func clock(_ time: Nanoseconds) -> String {
        let seconds = max(0, time) / 1_000_000_000
        func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let (minutes, hours) = (seconds / 60 % 60, seconds / 3600)
        return hours > 0 ? "\(hours):\(two(minutes)):\(two(seconds % 60))" : "\(minutes):\(two(seconds % 60))"
    }

    private func write(_ text: String) {
        _ = PathText.bytes(of: text).withUnsafeBytes { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}
