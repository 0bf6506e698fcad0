import Glibc

/// Reads a file, or a part of it, into memory.
package struct FileBytes {
    /// - Parameter limit: files longer than this are refused: whatever they are, they are not what is looked for.
    /// - Throws: ``ODTError`` with `.fileNotFound` where the file cannot be read, `.invalidFile` where it is too long.
    package static func read(_ path: String, limit: Int) throws -> [UInt8] {
        try withDescriptor(path) { file, size in
            guard size <= limit else {
                throw ODTError(
                    .invalidFile,
                    "\(path) is \(size) bytes long; no more than \(limit) were expected: is it the right file?")
            }
            return try read(file, from: 0, count: size, path: path)
        }
    }

    /// The size of a regular file; `nil` where there is none.
    package static func size(_ path: String) -> Int? {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return Int(status.st_size)
    }

    /// Opens a regular file for the duration of `body`, which gets the descriptor and the size.
    static func withDescriptor<Answer>(_ path: String, _ body: (Int32, Int) throws -> Answer) throws -> Answer {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else {
            throw ODTError(.fileNotFound, "\(path) cannot be read: \(String(cString: strerror(errno)))")
        }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw ODTError(.fileNotFound, "\(path) is not a file")
        }
        return try body(file, Int(status.st_size))
    }

    /// Reads `count` bytes at `offset` of an open file.
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
