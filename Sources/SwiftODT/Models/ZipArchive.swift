/// The files packed into a zip archive, which may follow other contents, as in a .tflite with metadata.
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

    /// - Parameter bytes: the archive, with or without other contents before it; `nil` where it has no directory at its end.
    init?(_ bytes: [UInt8]) {
        guard let end = Self.endRecord(bytes) else { return nil }
        let directorySize = bytes.little32(end + 12)
        let directoryOffset = bytes.little32(end + 16)
        // Offsets count from wherever the archive began when it was made: the directory says where that is by its own place.
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

    /// A file's contents; `nil` where they are damaged, packed in an unknown way, or longer than a text should be.
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

    /// Where the record is that ends an archive; a comment of up to 64 kB may follow it.
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
