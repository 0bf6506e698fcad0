import CZlib

/// Unpacks DEFLATE (RFC 1951), the packing of zip files, by zlib.
enum Inflate {
    /// The packed bytes end early, are not what DEFLATE allows, or become more than they may.
    struct Damaged: Error {}

    /// - Parameter limit: what would become longer is damaged, or a bomb. No more memory is taken than this.
    /// - Throws: ``Damaged``.
    static func unpack(_ input: ArraySlice<UInt8>, limit: Int) throws -> [UInt8] {
        guard let packedCount = UInt32(exactly: input.count), let room = UInt32(exactly: limit) else { throw Damaged() }
        var stream = z_stream()
        // Less than none: there is no header of zlib's own around what a zip file packs.
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
