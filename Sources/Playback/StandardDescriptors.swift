import Glibc

/// Protects standard input, output and error if they are closed when the program starts (`>&-`). The next file or
/// socket that is opened gets the lowest free descriptor, so the program's messages would be written into a file or
/// socket.
package enum StandardDescriptors {
    /// Opens /dev/null in place of closed standard descriptors. Call before any other file is opened. Standard
    /// output is opened for reading only, so that writing to it still fails.
    package static func openMissing() {
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(descriptor, F_GETFD) < 0 {
            _ = open("/dev/null", descriptor == STDERR_FILENO ? O_WRONLY : O_RDONLY)
        }
    }
}
