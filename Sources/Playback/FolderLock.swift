import Glibc

/// An exclusive lock on a folder. It creates no file, and the system releases it when the process ends.
///
/// File systems without locks for folders (NFS) are not protected.
package final class FolderLock: Sendable {
    private let descriptor: Int32

    /// - Returns: `nil` if another process, or another lock of this process, holds the folder. A folder that cannot
    /// be opened is treated as not locked, because writing into it then fails with a more specific error.
    package init?(_ folder: String) {
        descriptor = PathText.withSystemPath(folder) { open($0, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        if descriptor >= 0, flock(descriptor, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK {
            close(descriptor)
            return nil
        }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }
}
