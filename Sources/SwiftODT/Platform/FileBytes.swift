import Glibc

package struct FileBytes {
    /// - Parameter limit: the maximum size of the file in bytes.
    /// - Throws: ``ODTError`` with `.fileNotFound` if the file cannot be read, or with `.invalidFile` if the file
    ///   exceeds the limit.
    package static func read(_ path: String, limit: Int) throws(ODTError) -> [UInt8] {
        try withDescriptor(path) { (file, size) throws(ODTError) in
            guard size <= limit else {
                throw ODTError(
                    .invalidFile,
                    "\(path) has \(size) bytes, more than the limit of \(limit); check the path")
            }
            return try read(file, from: 0, count: size, path: path)
        }
    }

    /// Returns the size in bytes, or `nil` if there is no such regular file.
    package static func size(_ path: String) -> Int? {
        var status = stat()
        guard PathText.withSystemPath(path, { stat($0, &status) }) == 0, status.st_mode & S_IFMT == S_IFREG else {
            return nil
        }
        return Int(status.st_size)
    }

    /// Opens a regular file. Calls `body` with the descriptor and the size of the file in bytes.
    static func withDescriptor<Answer>(
        _ path: String, _ body: (Int32, Int) throws(ODTError) -> Answer
    ) throws(ODTError) -> Answer {
        let (file, size) = try openRegular(path)
        defer { close(file) }
        return try body(file, size)
    }

    /// Opens a regular file for reading. Returns its descriptor, which the caller closes, and its size in bytes.
    static func openRegular(_ path: String) throws(ODTError) -> (file: Int32, size: Int) {
        let file = PathText.withSystemPath(path) { open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
        guard file >= 0 else {
            let problem = errno
            let reason = "\(path) cannot be read: \(String(cString: strerror(problem)))"
            guard problem == EMFILE || problem == ENFILE else { throw ODTError(.fileNotFound, reason) }
            throw ODTError(
                .tooManyOpenFiles, "\(reason): raise the limit (ulimit -n, LimitNOFILE= of systemd)")
        }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(file)
            throw ODTError(.fileNotFound, "\(path) is not a regular file")
        }
        return (file, Int(status.st_size))
    }

    /// Returns fewer than `count` bytes if the file ends earlier.
    static func read(_ file: Int32, from offset: Int, count: Int, path: String) throws(ODTError) -> [UInt8] {
        var failure: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while filled < count {
                let got = pread(file, buffer.baseAddress! + filled, count - filled, off_t(offset + filled))
                if got < 0 && errno == EINTR { continue }
                if got < 0 { failure = errno }
                if got <= 0 { return }
                filled += got
            }
        }
        guard failure == 0 else {
            throw ODTError(.fileNotFound, "\(path) cannot be read: \(String(cString: strerror(failure)))")
        }
        return bytes
    }
}

package enum UniqueFile {
    /// The file size limit of the process (RLIMIT_FSIZE) in bytes, or `Int.max` if there is no limit. A write beyond
    /// the limit terminates the process with SIGXFSZ.
    static var fileSizeLimit: Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0 else { return 0 }
        return limit.rlim_cur == ~0 ? .max : Int(clamping: limit.rlim_cur)
    }

    /// Writes a file completely or not at all. The file is not synced to the disk, because this would delay the first
    /// frame. A power failure can therefore lose the file.
    ///
    /// - Parameters:
    ///   - start: the beginning of the path. Six unique characters follow it.
    ///   - end: the end of the path.
    /// - Returns: the path of the file, or `nil` if the file cannot be written. `errno` then states the reason.
    package static func write(
        _ bytes: UnsafeRawBufferPointer, named start: String, ending end: String = ""
    ) -> String? {
        guard bytes.count <= fileSizeLimit else {
            errno = EFBIG
            return nil
        }
        let placeholder = String(repeating: "X", count: 6)
        var name = Array("\(start)\(placeholder)\(end)".utf8CString)
        let file = mkstemps(&name, Int32(end.utf8.count))
        guard file >= 0 else { return nil }
        _ = fcntl(file, F_SETFD, FD_CLOEXEC)
        let error = DescriptorWriting.write(bytes, to: file).error
        guard close(file) == 0, error == nil else {
            let problem = error ?? errno
            unlink(name)
            errno = problem
            return nil
        }
        return name.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } }
    }
}

/// Writes to file descriptors that may be non-blocking. The two ends of a pipe can share the flag `O_NONBLOCK`, so
/// another process can make a pipe non-blocking.
package enum DescriptorWriting {
    /// Writes all bytes. Waits while a non-blocking descriptor accepts no bytes.
    ///
    /// - Returns: The number of bytes that were written. If an error stopped the write, also the value of `errno`.
    package static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> (written: Int, error: Int32?) {
        var written = 0
        while written < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[written...])
            let count = Glibc.write(descriptor, rest.baseAddress, rest.count)
            if count >= 0 {
                written += count
                continue
            }
            switch errno {
            case EINTR: break
            case EAGAIN:
                var events = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&events, 1, -1)
            case let error: return (written, error)
            }
        }
        return (written, nil)
    }
}

/// The content of a file, copied to memory. The file is not mapped, because later changes of a mapped file would change
/// the content.
///
/// `@unchecked Sendable`: the object owns its memory and is immutable.
final class FileBlock: @unchecked Sendable {
    let content: UnsafeRawBufferPointer

    /// Returns `nil` if the file cannot be read, is empty, or is not a regular file. Reading a pipe, for example, could
    /// block.
    convenience init?(_ path: String) {
        guard let (file, _) = try? FileBytes.openRegular(path) else { return nil }
        defer { close(file) }
        self.init(descriptor: file)
    }

    init?(descriptor file: Int32) {
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size > 0 else { return nil }
        // The memory is page-aligned, so data with an aligned offset in the file is also aligned in memory.
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: status.st_size, alignment: 4096)
        var count = 0
        while count < memory.count {
            let step = pread(file, memory.baseAddress?.advanced(by: count), memory.count - count, off_t(count))
            if step < 0 && errno == EINTR { continue }
            guard step > 0 else {
                memory.deallocate()
                return nil
            }
            count += step
        }
        content = UnsafeRawBufferPointer(memory)
    }

    deinit { content.deallocate() }

    /// A checksum that detects damage. It is not cryptographic.
    var sum: UInt64 { Self.sum(content) }

    static func sum(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        var sum = UInt64(bytes.count) &+ 0x9E37_79B9_7F4A_7C15
        var offset = 0
        while offset &+ 8 <= bytes.count {
            sum = (sum ^ bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)) &* 0xFF51_AFD7_ED55_8CCD
            sum ^= sum &>> 32
            offset &+= 8
        }
        while offset < bytes.count {
            sum = (sum ^ UInt64(bytes[offset])) &* 0xFF51_AFD7_ED55_8CCD
            sum ^= sum &>> 32
            offset &+= 1
        }
        return sum
    }
}
