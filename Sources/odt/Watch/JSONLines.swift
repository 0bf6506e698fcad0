import Glibc
import ODTPlayback
import SwiftODT
import Synchronization

/// Writes messages as lines of JSON to standard output, or appends them to a file.
///
/// A separate thread writes, so a slow reader does not block cameras. Up to 512 KiB are queued. If the queue is full,
/// lines of a camera are dropped, counted and reported.
///
/// A message about a file is not dropped: the caller waits until the queue has room. Meanwhile the element drops
/// results that are not read in time, and counts them in `stats`.
final class JSONLines: MeasuredSink {
    private struct State {
        var waiting: [String] = []
        /// The size in bytes of the lines that are queued or being written.
        var bytes = 0
        /// Whether the reader has closed the pipe.
        var isUnread = false
        /// The number of dropped lines since the queue was last written completely.
        var left = 0
        /// The number of dropped lines since the start.
        var lostCount = 0
        /// Whether no more lines will be queued.
        var isOver = false
        var isWritten = false
        /// Whether `odt watch` has to end.
        var isInterrupted = false
        /// Whether `odt watch` has to end because of a signal.
        var isSignalled = false

        var hasRoom: Bool { bytes < JSONLines.maximum }
    }

    private struct Output {
        var descriptor: Int32
        /// The monotonic time of the latest check whether the file was moved; `nil` to check before the next line.
        var checked: Nanoseconds? = MonotonicClock.now
    }

    private let name: String
    private let output: Mutex<Output>
    private let log: RepeatedMessageFilter
    private let state = Monitor(State())

    /// No further line is queued if the queued lines have at least this size in bytes.
    private static let maximum = 1 << 19
    private let fileCheckInterval: Nanoseconds
    /// The maximum time for writing queued lines after a signal, in nanoseconds.
    private static let closeTimeout: Nanoseconds = 3_000_000_000

    /// - Parameters:
    ///   - name: The file to append to; `-` is standard output.
    ///   - fileCheckInterval: The time in nanoseconds between two checks whether the file was moved.
    init(
        _ name: String, fileCheckInterval: Nanoseconds = 60_000_000_000, notify: @escaping @Sendable (String) -> Void
    ) throws {
        (self.name, self.fileCheckInterval, log) = (name, fileCheckInterval, RepeatedMessageFilter(output: notify))
        if name == "-" {
            output = Mutex(Output(descriptor: STDOUT_FILENO))
        } else {
            try PartFile.makeFolder(PartFile.parts(of: name).folder)
            let descriptor = Self.open(name)
            guard descriptor >= 0 else { throw PlaybackError("\(name): \(String(cString: strerror(errno)))") }
            output = Mutex(Output(descriptor: descriptor))
        }
        guard DetachedThread.run({ self.work() }) else { throw PlaybackError("cannot start a thread (ulimit -u)") }
        TerminationHandler.shared.onEnd { [state] signal in
            state.update { ($0.isInterrupted, $0.isSignalled) = (true, signal != nil) }
        }
    }

    private static func open(_ name: String) -> Int32 {
        PathText.withSystemPath(name) { Glibc.open($0, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o666) }
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
        if !isTaken { leaveOut(because: "the reader is too slow") }
    }

    /// Makes the next line check whether the file was moved.
    func checkFile() { output.withLock { $0.checked = nil } }

    func close() {
        state.update { $0.isOver = true }
        let deadline = MonotonicClock.now + Self.closeTimeout
        // After a signal, the wait for the reader is limited. The thread may still be writing afterwards, so the
        // descriptor stays open until the process ends.
        let isWritten = state.wait { state -> Bool? in state.isWritten ? true : state.isSignalled ? false : nil }
        if !isWritten { state.wait(until: deadline) { $0.isWritten ? () : nil } }
    }

    func measure(into text: inout MetricsText) {
        let (bytes, lostCount) = state.read { ($0.bytes, $0.lostCount) }
        text.add("swiftodt_lines_queue_bytes", .gauge, "Size of the lines of JSON that wait for their reader.", bytes)
        text.add("swiftodt_lines_dropped_total", .counter, "Lines of JSON that were dropped.", lostCount)
    }

    var writeState: (output: String, isFailing: Bool)? { ("json", state.read { $0.left > 0 }) }

    private var called: String { name == "-" ? "standard output" : name }

    private func leaveOut(because reason: String) {
        let isFirst = state.update { state in
            state.left += 1
            state.lostCount += 1
            return state.left == 1
        }
        if isFirst { log.notify("\(called): lines are dropped: \(reason); the watch continues") }
    }

    // MARK: The thread that writes

    private func work() {
        while let lines = next() {
            for line in lines where !isUnread { put(line) }
        }
        state.update { $0.isWritten = true }
    }

    /// Waits until lines are queued, and returns all of them; `nil` when all lines have been written and no more will
    /// be queued.
    private func next() -> [String]? {
        let lines: [String] = state.wait { state in
            guard state.isOver || !state.waiting.isEmpty else { return nil }
            defer { state.waiting = [] }
            return state.waiting
        }
        return lines.isEmpty ? nil : lines
    }

    private func put(_ line: String) {
        let problem = write(line)
        let left = state.update { state -> Int? in
            state.bytes -= line.utf8.count
            // A reader that closes the pipe is not an error: no more lines are written.
            if problem == EPIPE { (state.isUnread, state.waiting) = (true, []) }
            guard problem == nil, state.left > 0, state.bytes == 0 else { return nil }
            defer { state.left = 0 }
            return state.left
        }
        switch problem {
        case nil:
            if let left { log.notify("\(called) accepts lines again after \(CountText.text(left, "dropped line"))") }
        case EPIPE?: TerminationHandler.shared.endAll()
        case let problem?: leaveOut(because: String(cString: strerror(problem)))
        }
    }

    /// Writes a line and returns the `errno` value of a failure. If a failure leaves a part of the line in a file,
    /// removes this part.
    private func write(_ line: String) -> Int32? {
        var line = line
        let descriptor = output.withLock { output in
            reopenIfMoved(&output)
            return output.descriptor
        }
        let (written, error) = line.withUTF8 { DescriptorWriting.write(UnsafeRawBufferPointer($0), to: descriptor) }
        var status = stat()
        if error != nil, written > 0, descriptor != STDOUT_FILENO, fstat(descriptor, &status) == 0 {
            ftruncate(descriptor, status.st_size - off_t(written))
        }
        return error
    }

    /// Opens the file again if it was renamed or deleted, for example by logrotate.
    private func reopenIfMoved(_ output: inout Output) {
        let now = MonotonicClock.now
        guard name != "-", output.checked.map({ now - $0 >= fileCheckInterval }) ?? true else { return }
        output.checked = now
        guard FileIdentity(path: name) != FileIdentity(descriptor: output.descriptor) else { return }
        let new = Self.open(name)
        guard new >= 0 else { return }
        Glibc.close(output.descriptor)
        output = Output(descriptor: new)
    }
}
