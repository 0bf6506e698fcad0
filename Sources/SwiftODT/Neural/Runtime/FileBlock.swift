import Glibc

/// The content of a file in memory. The file is copied, because with a mapped file, later changes of the file would
/// change the content.
final class FileBlock: @unchecked Sendable {
    let content: UnsafeRawBufferPointer

    /// - Returns: `nil` if the file cannot be read, is empty, or is not a regular file. Reading a pipe, for example,
    ///   could block.
    convenience init?(_ path: String) {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { return nil }
        defer { close(file) }
        self.init(descriptor: file)
    }

    /// Reads the whole content of an open file.
    init?(descriptor file: Int32) {
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size > 0 else { return nil }
        // The memory is page-aligned, so that data which is aligned in the file is also aligned in memory.
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

    /// A checksum of the content to detect damage.
    var sum: UInt64 { Self.sum(content) }

    /// Returns a checksum of bytes. The function processes eight bytes at a time.
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
