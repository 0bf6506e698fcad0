import Glibc
import Playback
import SwiftODT

/// Messages as lines of JSON on the standard output, or at the end of a file.
///
/// They are written by a thread of their own, so that a reader who is slow holds up no camera: some lines wait for him, and
/// what comes while there is no room is left out, which is said and counted. What is said of a file waits for its reader, and the
/// element leaves out results that nobody has read meanwhile (`stats` counts them).
final class JSONLines: WatchSink {
    private struct State {
        var waiting: [String] = []
        /// Of those that wait, and of those that are being written.
        var bytes = 0
        var isUnread = false
        /// Lines are left out, and so many have been.
        var isFull = false
        var left = 0
        /// No more lines come, and all have been written.
        var isOver = false
        var isWritten = false
        /// The watch is to end, and by a signal.
        var isInterrupted = false
        var isSignalled = false

        var hasRoom: Bool { bytes < JSONLines.maximum }
    }

    private let name: String
    private let descriptor: Int32
    private let notify: @Sendable (String) -> Void
    private let state = Monitor(State())

    /// Bytes that wait for a reader: some seconds of many cameras, half a minute of one.
    private static let maximum = 1 << 19
    /// For so long lines that wait are written after a signal.
    private static let closeTimeout: Nanoseconds = 3_000_000_000

    /// - Parameter name: of a file, to which lines are added; `-` is the standard output.
    init(_ name: String, notify: @escaping @Sendable (String) -> Void) throws {
        (self.name, self.notify) = (name, notify)
        if name == "-" {
            descriptor = STDOUT_FILENO
        } else {
            PartFile.makeFolder(PartFile.parts(of: name).folder)
            descriptor = PathText.withSystemPath(name) {
                open($0, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o666)
            }
            guard descriptor >= 0 else { throw PlaybackError("\(name): \(String(cString: strerror(errno)))") }
        }
        guard DetachedThread.run({ self.work() }) else { throw PlaybackError("there is no thread to write lines") }
        TerminationHandler.shared.onEnd { [state] signal in
            state.update { ($0.isInterrupted, $0.isSignalled) = (true, signal != nil) }
        }
    }

    var isUnread: Bool { state.read { $0.isUnread } }

    func take(_ message: WatchMessage) {
        if message.mayWait { state.wait { $0.hasRoom || $0.isUnread || $0.isInterrupted ? () : nil } }
        let isTaken = state.update { state in
            guard !state.isUnread else { return true }
            guard state.hasRoom else { return false }
            state.waiting.append(message.line)
            state.bytes += message.line.utf8.count
            return true
        }
        if !isTaken { leaveOut(because: "nobody reads them") }
    }

    func close() {
        state.update { $0.isOver = true }
        let deadline = MonotonicClock.now + Self.closeTimeout
        // After a signal it does not wait for a reader for long. The thread may still be writing then: the descriptor is closed with the
        // process.
        let isWritten = state.wait { state -> Bool? in state.isWritten ? true : state.isSignalled ? false : nil }
        if !isWritten { state.wait(until: deadline) { $0.isWritten ? () : nil } }
    }

    private var called: String { name == "-" ? "the standard output" : name }

    private func leaveOut(because reason: String) {
        let isFirst = state.update { state in
            defer { state.isFull = true }
            state.left += 1
            return !state.isFull
        }
        if isFirst { notify("\(called) takes no lines: \(reason); the watch goes on") }
    }

    // MARK: The thread that writes

    private func work() {
        while let lines = next() {
            for line in lines where !isUnread { put(line) }
        }
    }

    /// All that waits, once something does; `nil` at the end.
    private func next() -> [String]? {
        let lines: [String] = state.wait { state in
            guard state.isOver || !state.waiting.isEmpty else { return nil }
            defer { state.waiting = [] }
            return state.waiting
        }
        if lines.isEmpty { state.update { $0.isWritten = true } }
        return lines.isEmpty ? nil : lines
    }

    private func put(_ line: String) {
        let problem = write(line)
        let left = state.update { state -> Int? in
            state.bytes -= line.utf8.count
            // Which is no failure.
            if problem == EPIPE { (state.isUnread, state.waiting) = (true, []) }
            guard problem == nil, state.isFull, state.bytes == 0 else { return nil }
            defer { (state.isFull, state.left) = (false, 0) }
            return state.left
        }
        switch problem {
        case nil: if let left { notify("\(called) takes lines again; \(left) were left out") }
        case EPIPE?: TerminationHandler.shared.endAll()
        case let problem?: leaveOut(because: String(cString: strerror(problem)))
        }
    }

    /// Writes a line, whole or not at all.
    ///
    /// - Returns: the system's number of what went wrong.
    private func write(_ line: String) -> Int32? {
        var line = line
        let (written, error) = line.withUTF8 { DescriptorWriting.write(UnsafeRawBufferPointer($0), to: descriptor) }
        var status = stat()
        if error != nil, written > 0, descriptor != STDOUT_FILENO, fstat(descriptor, &status) == 0 {
            ftruncate(descriptor, status.st_size - off_t(written))
        }
        return error
    }
}
