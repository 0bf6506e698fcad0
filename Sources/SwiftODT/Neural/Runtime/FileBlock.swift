import Glibc

/// All of a file in memory. A copy, not a mapping: what others do to the file later does not matter.
final class FileBlock: @unchecked Sendable {
    let content: UnsafeRawBufferPointer

    /// - Returns: `nil` where the file cannot be read, is empty, or is no regular one: a pipe would keep whoever opens it waiting.
    convenience init?(_ path: String) {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { return nil }
        defer { close(file) }
        self.init(descriptor: file)
    }

    /// An open file, from its beginning.
    init?(descriptor file: Int32) {
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size > 0 else { return nil }
        // Whatever was laid out by pages within the file is so in memory.
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

    /// Tells the content from damaged one.
    var sum: UInt64 { Self.sum(content) }

    /// Takes eight bytes at a time: a few milliseconds for the largest networks.
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
