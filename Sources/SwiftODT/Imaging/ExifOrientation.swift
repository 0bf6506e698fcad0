extension Orientation {
    /// Creates the orientation for an EXIF orientation number (1...8), or `nil` for any other number.
    public init?(exif number: Int) {
        switch number {
        case 1: self = .identity
        case 2: self = .flipHorizontal
        case 3: self = .rotate180
        case 4: self = .flipVertical
        case 5: self = .transpose
        case 6: self = .rotate90
        case 7: self = .transverse
        case 8: self = .rotate270
        default: return nil
        }
    }

    /// Creates the orientation that the EXIF data of a JPEG file specifies, or `nil` if it specifies none.
    init?(jpeg bytes: [UInt8]) {
        guard let number = ExifOrientation(bytes).number() else { return nil }
        self.init(exif: number)
    }
}

/// Finds the orientation tag in a JPEG file. Every offset read from the file is bounds-checked.
private struct ExifOrientation {
    private let bytes: [UInt8]
    private var bigEndian = true

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Returns the orientation number in the first directory of the first EXIF segment.
    consuming func number() -> Int? {
        var at = 2
        while let marker = integer(at, bytes: 2), marker > 0xFF00 {
            let isFillByte = marker == 0xFFFF
            let isScan = marker == 0xFFDA
            if isFillByte {
                at += 1
                continue
            }
            guard !isScan, let length = integer(at + 2, bytes: 2), length >= 2 else { return nil }
            let identifier: [UInt8] = [0x45, 0x78, 0x69, 0x66, 0, 0]
            let body = at + 4
            if marker == 0xFFE1, length >= 8, body + 6 <= bytes.count, bytes[body..<body + 6].elementsEqual(identifier)
            {
                return orientation(tiff: body + 6)
            }
            at += 2 + length
        }
        return nil
    }

    private mutating func orientation(tiff: Int) -> Int? {
        bigEndian = true
        switch integer(tiff, bytes: 2) {
        case 0x4D4D: bigEndian = true
        case 0x4949: bigEndian = false
        default: return nil
        }
        guard integer(tiff + 2, bytes: 2) == 42, let offset = integer(tiff + 4, bytes: 4),
            let count = integer(tiff + offset, bytes: 2)
        else { return nil }
        for index in 0..<count {
            let entry = tiff + offset + 2 + 12 * index
            guard let tag = integer(entry, bytes: 2) else { return nil }
            if tag == 0x0112 { return integer(entry + 8, bytes: 2) }
        }
        return nil
    }

    private func integer(_ at: Int, bytes count: Int) -> Int? {
        guard at >= 0, at + count <= bytes.count else { return nil }
        let slice = bytes[at..<at + count]
        return bigEndian
            ? slice.reduce(0) { $0 << 8 | Int($1) } : slice.reversed().reduce(0) { $0 << 8 | Int($1) }
    }
}
