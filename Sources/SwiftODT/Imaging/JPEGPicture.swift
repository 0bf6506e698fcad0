import CODTTurboJPEG

extension Picture {
    convenience init(jpeg file: [UInt8]) throws {
        // Some complete files lack the marker for the end of the image. With this marker, a warning about missing data
        // means that a part of the picture is missing.
        let bytes = file + [0xFF, 0xD9]
        guard let decoder = tjInitDecompress() else {
            throw ODTError(.failed, "TurboJPEG cannot be initialised; check that libturbojpeg is installed")
        }
        defer { tjDestroy(decoder) }
        var broken: ODTError {
            let why = tjGetErrorStr2(decoder).map { String(cString: $0) } ?? "no reason given"
            return ODTError(
                .invalidFile, "the JPEG picture is corrupt or its encoding is unsupported (\(why)); convert it to PNG")
        }
        // Other warnings are ignored: many cameras pad the data of JPEG files with a few bytes, which causes a warning,
        // but TurboJPEG decodes the picture. The missing part of a truncated file would be grey.
        func check(_ code: CInt) throws {
            guard code != 0 else { return }
            let warning = tjGetErrorStr2(decoder).map { String(cString: $0) } ?? ""
            // A restart marker is missing if a part of the data is.
            let isTruncated = warning.contains("premature end of data") || warning.contains("instead of RST")
            if isTruncated || tjGetErrorCode(decoder) == CInt(TJERR_FATAL.rawValue) { throw broken }
        }
        var (width, height, subsampling, colorSpace): (CInt, CInt, CInt, CInt) = (0, 0, 0, 0)
        try check(
            tjDecompressHeader3(decoder, bytes, CUnsignedLong(bytes.count), &width, &height, &subsampling, &colorSpace))
        guard width > 0, height > 0 else { throw broken }
        // A CMYK file is decoded to its four ink channels.
        let isCMYK = [TJCS_CMYK, TJCS_YCCK].contains { colorSpace == CInt($0.rawValue) }
        let format = isCMYK ? TJPF_CMYK : TJPF_BGRX
        let orientation = Orientation(jpeg: bytes) ?? .identity
        try self.init(width: Int(width), height: Int(height), orientation: orientation) { memory in
            try check(
                tjDecompress2(
                    decoder, bytes, CUnsignedLong(bytes.count), memory.assumingMemoryBound(to: UInt8.self), width, 0,
                    height, CInt(format.rawValue), 0))
            if isCMYK { Self.convertCMYK(memory, count: Int(width) * Int(height)) }
        }
    }

    /// Converts CMYK pixels in place to the bytes blue, green, red and unused. JPEG files store inverted CMYK values.
    private static func convertCMYK(_ memory: UnsafeMutableRawPointer, count: Int) {
        let pixels = memory.assumingMemoryBound(to: UInt8.self)
        for i in 0..<count {
            let pixel = pixels + i * 4
            let key = UInt16(pixel[3])
            let (red, green, blue) = (UInt16(pixel[0]), UInt16(pixel[1]), UInt16(pixel[2]))
            pixel[0] = UInt8(blue * key / 255)
            pixel[1] = UInt8(green * key / 255)
            pixel[2] = UInt8(red * key / 255)
            pixel[3] = 255
        }
    }
}

extension Orientation {
    /// Returns `nil` if the number is not an EXIF orientation, 1 to 8.
    package init?(exif number: Int) {
        guard (1...8).contains(number) else { return nil }
        let all: [Self] = [
            .identity, .flipHorizontal, .rotate180, .flipVertical, .transpose, .rotate90, .transverse, .rotate270,
        ]
        self = all[number - 1]
    }

    /// Reads the orientation from the EXIF data of a JPEG file. Returns `nil` if the file specifies none.
    init?(jpeg bytes: [UInt8]) {
        guard let number = ExifOrientation(bytes).number() else { return nil }
        self.init(exif: number)
    }
}

/// Finds the EXIF orientation tag in a JPEG file. Every offset is checked before it is used.
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
        switch integer(tiff, bytes: 2) {
        case 0x4D4D: break
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
