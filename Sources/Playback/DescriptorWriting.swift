import Glibc

/// Writes to descriptors that may be non-blocking, as a pipe is whose other end set that for both.
public enum DescriptorWriting {
    /// Writes all bytes. While a non-blocking descriptor takes none it waits, as a blocking one would.
    ///
    /// - Returns: how many bytes were written, and the error that ended it before all were.
    public static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> (written: Int, error: Int32?) {
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
