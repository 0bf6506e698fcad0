import Glibc

/// A check for sufficient file descriptors.
enum FreeDescriptors {
    /// Verifies that `count` descriptors are available by opening and closing them.
    ///
    /// Without descriptors, files that cannot be opened seem missing or corrupt. C++ exceptions can also need two:
    /// programs that use GStreamer often unwind with libunwind, which uses a pipe to validate addresses. Without the
    /// pipe no exception is caught, and OpenVINO's first exception terminates the process.
    /// - Throws: ``ODTError`` that names the limit to raise.
    static func require(_ count: Int = 8) throws {
        var taken: [Int32] = []
        defer { taken.forEach { close($0) } }
        for _ in 0..<count {
            let file = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            if file < 0 && (errno == EMFILE || errno == ENFILE) {
                throw ODTError(
                    .tooManyOpenFiles,
                    "networks need \(count) free file descriptors, this process has \(taken.count): raise the limit "
                        + "(ulimit -n, LimitNOFILE= of systemd), or close files that are not needed")
            }
            if file < 0 { return }
            taken.append(file)
        }
    }
}

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
