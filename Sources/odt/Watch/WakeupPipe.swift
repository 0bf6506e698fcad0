import CODTLinux
import Glibc

/// Wakes a thread that waits in ``wait(milliseconds:orFor:toWrite:)``. If no thread waits when ``wake()`` is called,
/// the next wait ends immediately.
final class WakeupPipe: Sendable {
    /// The two ends of a pipe. A pipe is used because `poll` can wait for it together with another descriptor.
    private let (readEnd, writeEnd): (Int32, Int32)

    init() {
        var ends: [Int32] = [-1, -1]
        _ = linux_pipe2(&ends, O_CLOEXEC | O_NONBLOCK)
        (readEnd, writeEnd) = (ends[0], ends[1])
    }

    deinit {
        close(readEnd)
        close(writeEnd)
    }

    func wake() {
        // If the pipe is full, a wake-up is already pending, so the error is ignored.
        withUnsafeBytes(of: 1 as UInt8) { _ = write(writeEnd, $0.baseAddress, 1) }
    }

    /// Waits until ``wake()`` is called, the descriptor `other` is ready, or the time is over.
    ///
    /// - Parameters:
    ///   - other: Another descriptor to wait for; -1 for none.
    ///   - toWrite: Whether `other` also counts as ready when it is writable.
    func wait(milliseconds: Int32, orFor other: Int32 = -1, toWrite: Bool = false) {
        var events = [
            pollfd(fd: readEnd, events: Int16(POLLIN), revents: 0),
            pollfd(fd: other, events: Int16(toWrite ? POLLIN | POLLOUT : POLLIN), revents: 0),
        ]
        poll(&events, 2, milliseconds)
        var rings = (0 as UInt64, 0 as UInt64)
        while withUnsafeMutableBytes(of: &rings, { read(readEnd, $0.baseAddress, $0.count) }) > 0 {}
    }
}
