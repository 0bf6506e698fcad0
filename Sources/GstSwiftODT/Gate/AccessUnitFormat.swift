/// How the NAL units or OBUs of a stream are stored, and what an access unit refers to.
///
/// In H.264 streams, parsers mark recovery points as key frames, too. With gradual intra refresh, these frames are
/// incomplete without the frames before them. With open groups of pictures, libavcodec damages the frames after them if
/// the frames before them are missing. The gate therefore accepts IDR pictures only. Similarly, parsers mark AV1
/// temporal units with a hidden or a repeated key frame, which refer to frames before them.
struct AccessUnitFormat: Hashable {
    enum Codec {
        case h264
        case h265
        case av1
    }

    var codec: Codec
    /// The size in bytes of the length before each NAL unit; `nil` if NAL units begin with start codes.
    var lengthSize: Int?

    enum Kind {
        case randomAccess
        /// A leading picture of H.265 (RASL or RADL). It is displayed before the random access point. A RASL picture
        /// also refers to earlier frames.
        case leading
        case other
    }

    /// Returns the kind of the first slice of an access unit, or of the first frame header of a temporal unit. If it
    /// cannot be read, returns `nil`. The key-frame flag of the parser then decides.
    func kind(of bytes: UnsafeRawBufferPointer) -> Kind? {
        if codec == .av1 { return kindOfTemporalUnit(bytes) }
        var position = 0
        while let start = nextUnit(in: bytes, &position) {
            guard start + 2 < bytes.count else { return nil }
            if let kind = kindOfSlice(header: bytes[start]) { return kind }
        }
        return nil
    }

    private func kindOfTemporalUnit(_ bytes: UnsafeRawBufferPointer) -> Kind? {
        let (sequenceHeader, frameHeader, frame): (UInt8, UInt8, UInt8) = (1, 3, 6)
        var (position, hasReducedHeaders) = (0, false)
        while position < bytes.count {
            let header = bytes[position]
            position += header & 0b100 == 0 ? 1 : 2
            guard let size = header & 0b10 == 0 ? bytes.count - position : length(in: bytes, &position) else {
                return nil
            }
            let first = size > 0 && position < bytes.count ? bytes[position] : nil
            switch header >> 3 & 0xf {
            // The bit follows the profile (three bits) and `still_picture`.
            case sequenceHeader: hasReducedHeaders = first.map { $0 & 0b1000 != 0 } ?? false
            // `show_existing_frame` is 0, `frame_type` (two bits) is KEY_FRAME, and `show_frame` is 1.
            case frameHeader, frame: return first.map { hasReducedHeaders || $0 >> 4 == 1 ? .randomAccess : .other }
            default: break
            }
            position += size
        }
        return nil
    }

    /// Reads a variable-length number (LEB128) and advances `position` behind it.
    private func length(in bytes: UnsafeRawBufferPointer, _ position: inout Int) -> Int? {
        var value = 0
        for index in 0..<4 {
            guard position < bytes.count else { return nil }
            let byte = bytes[position]
            position += 1
            value |= Int(byte & 0x7f) << (7 * index)
            if byte & 0x80 == 0 { return value }
        }
        return nil
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

    /// Returns `nil` if a NAL unit is no slice.
    private func kindOfSlice(header: UInt8) -> Kind? {
        switch codec {
        case .h264:
            let type = header & 0x1f
            return (1...5).contains(type) ? type == 5 ? .randomAccess : .other : nil
        case .h265:
            let type = header >> 1 & 0x3f
            switch type {
            case 6...9: return .leading
            case 16...23: return .randomAccess
            default: return type < 32 ? .other : nil
            }
        case .av1: return nil
        }
    }
}
