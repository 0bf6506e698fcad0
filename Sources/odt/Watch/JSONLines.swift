import Glibc
import Playback
import Synchronization

/// Messages as lines of JSON on the standard output, or at the end of a file.
///
/// A reader that is slow holds up what it reads, as in every pipe; the cameras go on, and the element leaves out results that nobody
/// has read (`stats` counts them).
final class JSONLines: WatchSink {
    private struct State {
        var isUnread = false
        var isFull = false
        /// Lines that were left out because there was no room.
        var left = 0
    }

    private let name: String
    private let descriptor: Int32
    private let say: @Sendable (String) -> Void
    private let state = Mutex(State())

    /// - Parameter name: of a file, to which lines are added; `-` is the standard output.
    init(_ name: String, say: @escaping @Sendable (String) -> Void) throws {
        (self.name, self.say) = (name, say)
        guard name != "-" else {
            descriptor = STDOUT_FILENO
            return
        }
        PartFile.makeFolder(PartFile.parts(of: name).folder)
        descriptor = PathText.withSystemPath(name) { open($0, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o666) }
        guard descriptor >= 0 else { throw PlaybackError("\(name): \(String(cString: strerror(errno)))") }
    }

    var isUnread: Bool { state.withLock { $0.isUnread } }

    func take(_ message: WatchMessage) {
        state.withLock { state in
            guard !state.isUnread else { return }
            guard let problem = write(message.line) else {
                if state.isFull { say("\(called) takes lines again; \(state.left) were left out") }
                (state.isFull, state.left) = (false, 0)
                return
            }
            if problem == EPIPE {
                // Which is no failure.
                state.isUnread = true
                return Interruption.shared.endAll()
            }
            state.left += 1
            if !state.isFull {
                say("\(called) takes no lines: \(String(cString: strerror(problem))); the watch goes on")
            }
            state.isFull = true
        }
    }

    func close() { if descriptor != STDOUT_FILENO { Glibc.close(descriptor) } }

    private var called: String { name == "-" ? "the standard output" : name }

    /// Writes a line, whole or not at all.
    ///
    /// - Returns: the system's number of what went wrong.
    private func write(_ line: String) -> Int32? {
        var line = line
        return line.withUTF8 { bytes in
            let bytes = UnsafeRawBufferPointer(bytes)
            var written = 0
            while written < bytes.count {
                let count = Glibc.write(descriptor, bytes.baseAddress! + written, bytes.count - written)
                if count < 0, errno == EINTR { continue }
                guard count >= 0 else {
                    let problem = errno
                    var status = stat()
                    if written > 0, descriptor != STDOUT_FILENO, fstat(descriptor, &status) == 0 {
                        ftruncate(descriptor, status.st_size - off_t(written))
                    }
                    return problem
                }
                written += count
            }
            return nil
        }
    }
}
