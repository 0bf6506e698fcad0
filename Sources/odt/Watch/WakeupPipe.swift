import CLinux
import Glibc

/// Wakes a thread that waits, for a connection of its own as well if need be. A ring that comes while nobody waits is not lost.
final class WakeupPipe: Sendable {
    /// Both ends of a pipe: rings go in, and are heard by whoever can also wait for other descriptors.
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
        // A pipe that is full rings already.
        withUnsafeBytes(of: 1 as UInt8) { _ = write(writeEnd, $0.baseAddress, 1) }
    }

    /// Waits until it rings, until `other` can be read from or written to, or until the time is over.
    ///
    /// - Parameter other: a connection's descriptor; -1 for none.
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
