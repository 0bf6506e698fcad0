import Glibc

/// The standard input, output and error, any of which may be closed when a program starts (`>&-`). The next file or socket that is
/// opened gets the lowest free number: GStreamer's sockets or the user's files would take their place, and be written into.
public enum StandardDescriptors {
    /// Opens /dev/null for those that are closed, before anything else is opened. The standard output is opened for reading, so that
    /// writing to it remains the error that it is when it is closed.
    public static func openMissing() {
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(descriptor, F_GETFD) < 0 {
            _ = open("/dev/null", descriptor == STDERR_FILENO ? O_WRONLY : O_RDONLY)
        }
    }
}
