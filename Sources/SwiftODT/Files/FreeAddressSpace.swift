import Glibc

/// How many more bytes this process may map.
enum FreeAddressSpace {
    /// Maps so many bytes and gives them back at once: what comes next can then have them. Nothing is written to, so it costs no memory.
    ///
    /// Only a limit (`ulimit -v`) makes them run out. Where that happens in the middle of the runtime's compiling, threads of its
    /// own meet an exception that nobody catches, or wait for ever for one that has ended.
    /// - Throws: ``ODTError`` that says how to raise the limit.
    static func require(_ bytes: Int = 1 << 30) throws {
        let memory = mmap(nil, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
        guard memory != MAP_FAILED else {
            throw ODTError(
                .tooLittleMemory,
                "networks need \(bytes >> 20) MB of address space, this process may have less: raise the limit "
                    + "(ulimit -v, LimitAS= of systemd)")
        }
        munmap(memory, bytes)
    }
}
