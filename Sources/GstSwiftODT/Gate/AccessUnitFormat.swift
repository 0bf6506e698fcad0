/// How the NAL units of a stream are stored, and whether an access unit is decodable on its own.
///
/// In streams with gradual intra refresh, parsers mark recovery points as key frames, too. These frames are incomplete
/// without the frames before them. The gate therefore reads the type of the picture from the slice header.
struct AccessUnitFormat: Hashable {
    enum Codec {
        case h264
        case h265
        case av1
    }

    var codec: Codec
    /// The size in bytes of the length before each NAL unit; `nil` if NAL units begin with start codes.
    var lengthSize: Int?

    /// Returns whether the first slice of an access unit belongs to an intra picture. If no slice can be read, returns
    /// `true`, so that the key-frame flag of the parser decides.
    func isIntra(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard codec != .av1 else { return true }
        var position = 0
        var isRecoveryPoint = false
        while let start = nextUnit(in: bytes, &position) {
            guard start + 2 < bytes.count else { return true }
            if codec == .h264, bytes[start] & 0x1f == 6 {
                isRecoveryPoint = isRecoveryPoint || hasRecoveryPoint(bytes, at: start + 1)
            }
            if let isIntra = isIntraSlice(bytes, at: start, isRecoveryPoint) { return isIntra }
        }
        return true
    }

    /// Returns whether the supplemental enhancement information contains a recovery point (payload type 6). An intra
    /// picture that is neither IDR nor a recovery point is no random access point: later pictures can refer to frames
    /// before it.
    private func hasRecoveryPoint(_ bytes: UnsafeRawBufferPointer, at start: Int) -> Bool {
        var (position, zeros) = (start, 0)
        /// Returns the next byte of the payload. The byte 3 after two zero bytes prevents the emulation of a start code
        /// and is not part of the payload.
        func next() -> UInt8? {
            if zeros >= 2, position < bytes.count, bytes[position] == 3 { (position, zeros) = (position + 1, 0) }
            guard position < bytes.count else { return nil }
            defer { position += 1 }
            zeros = bytes[position] == 0 ? zeros + 1 : 0
            return bytes[position]
        }
        func number() -> Int? {
            var sum = 0
            while let byte = next() {
                sum += Int(byte)
                if byte != 0xff { return sum }
            }
            return nil
        }
        // The byte 0x80 ends the NAL unit.
        while position < bytes.count, bytes[position] != 0x80, let type = number(), let size = number() {
            if type == 6 { return true }
            for _ in 0..<size where next() == nil { return false }
        }
        return false
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
    private func isIntraSlice(_ bytes: UnsafeRawBufferPointer, at start: Int, _ isRecoveryPoint: Bool) -> Bool? {
        switch codec {
        case .h264:
            switch bytes[start] & 0x1f {
            case 5: return true
            case 1:
                guard isRecoveryPoint else { return false }
                var bits = BitReader(bytes: bytes, position: (start + 1) * 8)
                _ = bits.exponentialGolomb()
                // Slice types 2 and 4, or 7 and 9 if all slices of the picture have the same type.
                return bits.exponentialGolomb().map { [2, 4].contains($0 % 5) }
            default: return nil
            }
        case .h265:
            let type = bytes[start] >> 1 & 0x3f
            return type < 32 ? (16...23).contains(type) : nil
        case .av1: return nil
        }
    }
}

private struct BitReader {
    let bytes: UnsafeRawBufferPointer
    var position: Int

    private mutating func bit() -> Int? {
        guard position / 8 < bytes.count else { return nil }
        defer { position += 1 }
        return Int(bytes[position / 8] >> UInt8(7 - position % 8) & 1)
    }

    /// Returns `nil` at the end of the data.
    mutating func exponentialGolomb() -> Int? {
        var zeros = 0
        while let next = bit() {
            if next == 1 {
                var value = 1
                for _ in 0..<zeros {
                    guard let next = bit() else { return nil }
                    value = value << 1 | next
                }
                return value - 1
            }
            zeros += 1
            if zeros > 31 { return nil }
        }
        return nil
    }
}
