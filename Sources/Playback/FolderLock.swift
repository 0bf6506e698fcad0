import Glibc

/// An exclusive lock on a folder, which leaves no file in it and ends with the process at the latest.
///
/// On a file system that locks no folders (NFS) nothing is locked.
public final class FolderLock: Sendable {
    private let descriptor: Int32

    /// - Returns: `nil` where another process, or another lock of this one, holds the folder. A folder that cannot be opened is not locked:
    ///   writing into it fails with a better reason.
    public init?(_ folder: String) {
        descriptor = PathText.withSystemPath(folder) { open($0, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        if descriptor >= 0, flock(descriptor, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK {
            close(descriptor)
            return nil
        }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }
}
