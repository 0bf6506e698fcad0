import Glibc

/// Protects standard input, output and error if they are closed when the program starts (`>&-`). Without this
/// protection, the next file or socket that is opened would get one of their descriptors. The program's messages would
/// then be written into this file or socket.
package enum StandardDescriptors {
    /// Opens `/dev/null` in place of each closed standard descriptor. Has to be called before any other file is opened.
    /// `/dev/null` is opened read-only as standard output, so that writing to standard output still fails.
    package static func openMissing() {
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(descriptor, F_GETFD) < 0 {
            _ = open("/dev/null", descriptor == STDERR_FILENO ? O_WRONLY : O_RDONLY)
        }
    }
}
