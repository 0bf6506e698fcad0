import Glibc

/// A new file, under a name that nobody else has.
enum UniqueFile {
    /// Where files must not become too long, whoever tries is ended by a signal: nothing is worth that.
    static var mayGrow: Bool { largest == .max }

    /// How many bytes a file may have.
    static var largest: Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0 else { return 0 }
        return limit.rlim_cur == ~0 ? .max : Int(clamping: limit.rlim_cur)
    }

    /// Writes a file whole or not at all. It may be gone after a power cut: waiting for the disk would keep the first frame
    /// waiting.
    ///
    /// - Parameters:
    ///   - start: what its path begins with; the rest is made up.
    ///   - end: what it ends with.
    /// - Returns: its path; `nil` where it cannot be written.
    static func write(_ bytes: UnsafeRawBufferPointer, named start: String, ending end: String = "") -> String? {
        guard mayGrow else { return nil }
        // What mkstemps replaces by something that no file there is called.
        let placeholder = String(repeating: "X", count: 6)
        var name = Array("\(start)\(placeholder)\(end)".utf8CString)
        let file = mkstemps(&name, Int32(end.utf8.count))
        guard file >= 0 else { return nil }
        // What the host program starts meanwhile is not to keep it open.
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
