import Glibc

/// A check for sufficient address space.
enum FreeAddressSpace {
    /// Verifies that `bytes` of address space are available by reserving and releasing them. No memory is committed.
    ///
    /// Address space runs out only under a limit (`ulimit -v`). If that happens while OpenVINO compiles a network, its
    /// threads throw uncaught exceptions or deadlock, so the limit is checked in advance.
    /// - Throws: ``ODTError`` that names the limit to raise.
    static func require(_ bytes: Int = 1 << 30) throws {
        let memory = mmap(nil, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
        guard memory != MAP_FAILED else {
            throw ODTError(
                .tooLittleMemory,
                "networks need \(bytes >> 20) MB of address space, which this process cannot reserve: raise the limit "
                    + "(ulimit -v, LimitAS= of systemd)")
        }
        munmap(memory, bytes)
    }
}
