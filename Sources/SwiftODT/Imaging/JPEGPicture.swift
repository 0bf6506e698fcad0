extension Picture {
    /// Decodes a JPEG picture with TurboJPEG.
    convenience init(jpeg bytes: [UInt8]) throws {
        let decoder = try JPEGDecoder()
        let header = try decoder.header(bytes)
        let orientation = Orientation(jpeg: bytes) ?? .identity
        try self.init(width: header.width, height: header.height, orientation: orientation) { memory in
            try decoder.decode(bytes, header, into: memory)
            if header.isCMYK { Self.convertCMYK(memory, count: header.width * header.height) }
        }
    }

    /// Converts CMYK pixels, which JPEG stores inverted, to blue, green, red, unused.
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
