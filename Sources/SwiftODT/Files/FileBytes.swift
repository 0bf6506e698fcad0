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
