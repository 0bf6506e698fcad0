import Glibc

/// Memory followed by an inaccessible page, so that a read beyond its end crashes.
public final class GuardedMemory {
    public let bytes: UnsafeMutableRawBufferPointer
    private let start: UnsafeMutableRawPointer
    private let length: Int

    /// - Parameter size: in bytes. The memory ends exactly at the guard page.
    public init(size: Int) {
        let page = Int(sysconf(Int32(_SC_PAGESIZE)))
        let usable = (size + page - 1) / page * page
        length = usable + page
        let mapped = mmap(nil, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        precondition(mapped != MAP_FAILED, "mmap of \(length) bytes failed")
        start = mapped!
        precondition(mprotect(start + usable, page, PROT_NONE) == 0, "mprotect failed")
        bytes = UnsafeMutableRawBufferPointer(start: start + usable - size, count: size)
    }

    deinit { munmap(start, length) }
}
