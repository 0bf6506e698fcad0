import Glibc

/// Creates files with unique names.
enum UniqueFile {
    /// Whether file sizes are unlimited. Under a limit (RLIMIT_FSIZE) a write that exceeds it terminates the process
    /// with SIGXFSZ, so optional files are not written.
    static var mayGrow: Bool { largest == .max }

    /// The maximum file size in bytes.
    static var largest: Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0 else { return 0 }
        return limit.rlim_cur == ~0 ? .max : Int(clamping: limit.rlim_cur)
    }

    /// Writes a file completely or not at all. The file is not synced, because that would delay the first frame; a
    /// power failure can lose it.
    ///
    /// - Parameters:
    ///   - start: the beginning of the path. A unique part follows.
    ///   - end: the end of the path.
    /// - Returns: the path, or `nil` if the file cannot be written.
    static func write(_ bytes: UnsafeRawBufferPointer, named start: String, ending end: String = "") -> String? {
        guard mayGrow else { return nil }
        // The template that mkstemps replaces by a unique name.
        let placeholder = String(repeating: "X", count: 6)
        var name = Array("\(start)\(placeholder)\(end)".utf8CString)
        let file = mkstemps(&name, Int32(end.utf8.count))
        guard file >= 0 else { return nil }
        // Child processes of the host program must not inherit the descriptor.
        _ = fcntl(file, F_SETFD, FD_CLOEXEC)
        var count = 0
        while count < bytes.count {
            let step = Glibc.write(file, bytes.baseAddress?.advanced(by: count), bytes.count - count)
            if step < 0 && errno == EINTR { continue }
            guard step > 0 else { break }
            count += step
        }
        guard close(file) == 0, count == bytes.count else {
            unlink(name)
            return nil
        }
        return name.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } }
    }
}
