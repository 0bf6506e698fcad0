import CODTZlib

/// A zip archive. Other content may precede the archive: a .tflite file with metadata has an archive at its end.
struct ZipArchive {
    struct Entry: Sendable {
        let name: String
        fileprivate let method: Int
        fileprivate let packedSize: Int
        fileprivate let size: Int
        fileprivate let headerOffset: Int
    }

    let entries: [Entry]
    private let bytes: [UInt8]

    /// Returns `nil` if the bytes do not end with the central directory of an archive.
    init?(_ bytes: [UInt8]) {
        guard let end = Self.endRecord(bytes) else { return nil }
        let directorySize = bytes.little32(end + 12)
        let directoryOffset = bytes.little32(end + 16)
        // Offsets are relative to the start of the archive, which may not be the start of `bytes`. `shift` is the
        // position of the archive in `bytes`.
        let start = end - directorySize
        guard start >= 0 else { return nil }
        let shift = start - directoryOffset
        var entries: [Entry] = []
        var position = start
        while entries.count < Self.maximumEntries, position + 46 <= end, bytes.little32(position) == 0x0201_4B50 {
            let nameLength = bytes.little16(position + 28)
            let next = position + 46 + nameLength + bytes.little16(position + 30) + bytes.little16(position + 32)
            guard next <= end else { break }
            entries.append(
                Entry(
                    name: String(decoding: bytes[position + 46..<position + 46 + nameLength], as: UTF8.self),
                    method: bytes.little16(position + 10), packedSize: bytes.little32(position + 20),
                    size: bytes.little32(position + 24), headerOffset: bytes.little32(position + 42) + shift))
            position = next
        }
        self.entries = entries
        self.bytes = bytes
    }

    /// Returns `nil` if the content is damaged, exceeds 4 MiB, or uses a compression method other than DEFLATE.
    func contents(_ entry: Entry) -> [UInt8]? {
        let header = entry.headerOffset
        guard header >= 0, header + 30 <= bytes.count, bytes.little32(header) == 0x0403_4B50,
            entry.size <= Self.largestEntry
        else { return nil }
        let start = header + 30 + bytes.little16(header + 26) + bytes.little16(header + 28)
        guard start + entry.packedSize <= bytes.count else { return nil }
        let packed = bytes[start..<start + entry.packedSize]
        switch entry.method {
        case 0: return packed.count == entry.size ? Array(packed) : nil
        case 8:
            let unpacked = try? Inflate.unpack(packed, limit: entry.size)
            return unpacked?.count == entry.size ? unpacked : nil
        default: return nil
        }
    }

    private static let maximumEntries = 1000
    private static let largestEntry = 4 << 20

    /// Finds the end-of-central-directory record. A comment of up to 64 KiB may follow this record.
    private static func endRecord(_ bytes: [UInt8]) -> Int? {
        var position = bytes.count - 22
        while position >= max(0, bytes.count - 22 - 0xFFFF) {
            if bytes.little32(position) == 0x0605_4B50, position + 22 + bytes.little16(position + 20) <= bytes.count {
                return position
            }
            position -= 1
        }
        return nil
    }
}

extension [UInt8] {
    fileprivate func little16(_ offset: Int) -> Int { Int(self[offset]) | Int(self[offset + 1]) << 8 }
    fileprivate func little32(_ offset: Int) -> Int { little16(offset) | little16(offset + 2) << 16 }
}

/// Decompresses raw DEFLATE data (RFC 1951), as in zip files.
enum Inflate {
    /// The data is truncated, is not valid DEFLATE, or exceeds the size limit.
    struct Damaged: Error {}

    /// - Parameter limit: the maximum size of the output in bytes.
    static func unpack(_ input: ArraySlice<UInt8>, limit: Int) throws -> [UInt8] {
        guard let packedCount = UInt32(exactly: input.count), let room = UInt32(exactly: limit) else { throw Damaged() }
        var stream = z_stream()
        // Negative window bits select raw DEFLATE data without a zlib header.
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
