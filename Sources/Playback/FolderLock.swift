import Glibc

/// An exclusive lock on a folder. The lock creates no file. The system releases it when the process ends.
///
/// On file systems that do not support locks on folders (NFS), the lock has no effect.
package final class FolderLock: Sendable {
    private let descriptor: Int32

    /// - Returns: `nil` if another process, or another lock of this process, holds the lock. If the folder cannot be
    ///   opened, the initializer succeeds without a lock, because writing into the folder later fails with a more
    ///   specific error.
    package init?(_ folder: String) {
        descriptor = PathText.withSystemPath(folder) { open($0, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        if descriptor >= 0, flock(descriptor, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK {
            close(descriptor)
            return nil
        }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }
}
