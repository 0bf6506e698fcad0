import Glibc

/// How many more files this process may open.
enum FreeDescriptors {
    /// Takes so many descriptors and gives them back at once: what comes next can then open that many.
    ///
    /// Where they run out, what cannot be opened looks as if it were missing or damaged. And C++ may need two for throwing: programs that
    /// use GStreamer often unwind with libunwind, which asks a pipe of its own whether an address can be read. Without the pipe nothing is
    /// caught, and the first refusal of the runtime's ends the process.
    /// - Throws: ``ODTError`` that says how to raise the limit.
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
