import Glibc

/// Reads files, or parts of them, into memory.
package struct FileBytes {
    /// Returns the content of a file.
    /// - Parameter limit: maximum size in bytes.
    /// - Throws: ``ODTError`` with `.fileNotFound` if the file cannot be read, or `.invalidFile` if it exceeds the
    ///   limit.
    package static func read(_ path: String, limit: Int) throws -> [UInt8] {
        try withDescriptor(path) { file, size in
            guard size <= limit else {
                throw ODTError(
                    .invalidFile,
                    "\(path) has \(size) bytes, more than the limit of \(limit); check the path")
            }
            return try read(file, from: 0, count: size, path: path)
        }
    }

    /// Returns the size of a regular file in bytes, or `nil` if there is none.
    package static func size(_ path: String) -> Int? {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return Int(status.st_size)
    }

    /// Opens a regular file and calls `body` with its descriptor and size.
    static func withDescriptor<Answer>(_ path: String, _ body: (Int32, Int) throws -> Answer) throws -> Answer {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else {
            throw ODTError(.fileNotFound, "\(path) cannot be read: \(String(cString: strerror(errno)))")
        }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw ODTError(.fileNotFound, "\(path) is not a regular file")
        }
        return try body(file, Int(status.st_size))
    }

    /// Reads `count` bytes at `offset` of an open file. The result is shorter if the file ends earlier.
    static func read(_ file: Int32, from offset: Int, count: Int, path: String) throws -> [UInt8] {
        try [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while filled < count {
                let got = pread(file, buffer.baseAddress! + filled, count - filled, off_t(offset + filled))
                if got < 0 && errno == EINTR { continue }
                guard got >= 0 else {
                    throw ODTError(.fileNotFound, "\(path) cannot be read: \(String(cString: strerror(errno)))")
                }
                if got == 0 { return }
                filled += got
            }
        }
    }
}

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
