import Glibc
import SwiftODT

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

/// An exclusive lock on a folder. The lock creates no file. The system releases it when the process ends.
///
/// On file systems that do not support locks on folders (NFS), the lock has no effect.
package final class FolderLock: Sendable {
    private let descriptor: Int32

    /// - Returns: `nil` if another process, or another lock of this process, holds the lock. If the folder cannot be
    ///   opened, the initialiser succeeds without a lock, because writing into the folder later fails with a more
    ///   specific error.
    package init?(_ folder: String) {
        descriptor = PathText.withSystemPath(folder) { open($0, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        // The deinitialiser closes the descriptor.
        if descriptor >= 0, flock(descriptor, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK { return nil }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }
}
