import CZlib

/// Decompresses DEFLATE data (RFC 1951), as used in zip files, with zlib.
enum Inflate {
    /// The data is truncated, is not valid DEFLATE, or exceeds the size limit when decompressed.
    struct Damaged: Error {}

    /// Decompresses `input`.
    /// - Parameter limit: maximum size of the output in bytes. It bounds the memory use.
    /// - Throws: ``Damaged``.
    static func unpack(_ input: ArraySlice<UInt8>, limit: Int) throws -> [UInt8] {
        guard let packedCount = UInt32(exactly: input.count), let room = UInt32(exactly: limit) else { throw Damaged() }
        var stream = z_stream()
        // Negative window bits select raw DEFLATE without a zlib header.
        let started = inflateInit2_(&stream, -MAX_WBITS, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        guard started == Z_OK else { throw Damaged() }
        defer { inflateEnd(&stream) }
        return try [UInt8](unsafeUninitializedCapacity: max(1, limit)) { output, count in
            let outcome = input.withUnsafeBufferPointer { packed in
                stream.next_in = UnsafeMutablePointer(mutating: packed.baseAddress)
                stream.avail_in = packedCount
                stream.next_out = output.baseAddress
                stream.avail_out = room
                return inflate(&stream, Z_FINISH)
            }
            guard outcome == Z_STREAM_END else { throw Damaged() }
            count = limit - Int(stream.avail_out)
        }
    }
}
