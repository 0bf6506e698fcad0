import Glibc

enum FreeDescriptors {
    /// Checks that `count` file descriptors are available, by opening and closing this number of descriptors.
    ///
    /// Without free descriptors, files cannot be opened, and later errors would report them as missing or damaged.
    /// Catching a C++ exception can also need two descriptors: programs that use GStreamer often unwind the stack with
    /// libunwind, and libunwind validates addresses with a pipe. If libunwind cannot open the pipe, the first exception
    /// of OpenVINO terminates the process.
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

enum FreeAddressSpace {
    /// Checks that `bytes` bytes of address space are available, by reserving and releasing them. No memory is used.
    ///
    /// Address space is scarce only under a limit (`ulimit -v`). If it runs out while OpenVINO compiles a network,
    /// OpenVINO's threads throw uncaught exceptions or deadlock.
    static func require(_ bytes: Int = 1 << 30) throws {
        let memory = mmap(nil, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
        guard memory != MAP_FAILED else {
            throw ODTError(
                .outOfResources,
                "networks need \(bytes >> 20) MB of address space, which this process cannot reserve: raise the limit "
                    + "(ulimit -v, LimitAS= of systemd)")
        }
        munmap(memory, bytes)
    }
}
