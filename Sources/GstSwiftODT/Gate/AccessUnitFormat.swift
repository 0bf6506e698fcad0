/// How the NAL units of a stream are stored, and whether an access unit is decodable on its own.
///
/// In H.264 streams, parsers mark recovery points as key frames, too. With gradual intra refresh, these frames are
/// incomplete without the frames before them. With open groups of pictures, libavcodec damages the frames after them if
/// the frames before them are missing. The gate therefore accepts IDR pictures only.
struct AccessUnitFormat: Hashable {
    enum Codec {
        case h264
        case h265
        case av1
    }

    var codec: Codec
    /// The size in bytes of the length before each NAL unit; `nil` if NAL units begin with start codes.
    var lengthSize: Int?

    /// Returns whether the first slice of an access unit belongs to a random access point. If no slice can be read,
    /// returns `true`, so that the key-frame flag of the parser decides.
    func isRandomAccessPoint(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard codec != .av1 else { return true }
        var position = 0
        while let start = nextUnit(in: bytes, &position) {
            guard start + 2 < bytes.count else { return true }
            if let isRandomAccessPoint = isRandomAccessSlice(header: bytes[start]) { return isRandomAccessPoint }
        }
        return true
    }

    /// Returns the index of the first byte of the next NAL unit. Advances `position` to the end of this unit if units
    /// have a length prefix, otherwise to its first byte.
    private func nextUnit(in bytes: UnsafeRawBufferPointer, _ position: inout Int) -> Int? {
        if let lengthSize {
            let start = position + lengthSize
            guard start < bytes.count else { return nil }
            let length = bytes[position..<start].reduce(0) { $0 << 8 | Int($1) }
            position = min(start + length, bytes.count)
            return start
        }
        while position + 3 < bytes.count {
            if bytes[position] == 0, bytes[position + 1] == 0, bytes[position + 2] == 1 {
                position += 3
                return position
            }
            position += 1
        }
        return nil
    }

    /// Returns whether a NAL unit is a slice of a picture at which decoding can begin; `nil` if it is no slice.
    private func isRandomAccessSlice(header: UInt8) -> Bool? {
        switch codec {
        case .h264:
            let type = header & 0x1f
            return (1...5).contains(type) ? type == 5 : nil
        case .h265:
            let type = header >> 1 & 0x3f
            return type < 32 ? (16...23).contains(type) : nil
        case .av1: return nil
        }
    }
}
