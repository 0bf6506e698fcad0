import Glibc

/// Writes to file descriptors that may be non-blocking. A pipe is non-blocking if the process at its other end set
/// `O_NONBLOCK`, because both ends can share the flag.
package enum DescriptorWriting {
    /// Writes all bytes. Waits while a non-blocking descriptor accepts none.
    ///
    /// - Returns: The number of bytes written, and the `errno` value if an error stopped the write.
    package static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> (written: Int, error: Int32?) {
        var written = 0
        while written < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[written...])
            let count = Glibc.write(descriptor, rest.baseAddress, rest.count)
            if count >= 0 {
                written += count
                continue
            }
            switch errno {
            case EINTR: break
            case EAGAIN:
                var wish = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&wish, 1, -1)
            case let error: return (written, error)
            }
        }
        return (written, nil)
    }
}
