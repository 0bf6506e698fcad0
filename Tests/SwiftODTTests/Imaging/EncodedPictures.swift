import Foundation

/// Small encoded pictures. "Red and blue" is 16 x 8 pixels: the left half is red, the right half blue.
enum EncodedPictures {
    static let jpegRedAndBlue = bytes(
        """
        /9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAYEBQYFBAYGBQYHBwYIChAKCgkJChQODwwQFxQYGBcUFhYaHSUfGhsjHBYWICwgIyYnKSopGR8tMC0oMC\
        UoKSj/2wBDAQcHBwoIChMKChMoGhYaKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCj/wAARCAAIABAD\
        AREAAhEBAxEB/8QAFQABAQAAAAAAAAAAAAAAAAAABgf/xAAUEAEAAAAAAAAAAAAAAAAAAAAA/8QAFQEBAQAAAAAAAAAAAAAAAAAACAb/xAAUEQEAAA\
        AAAAAAAAAAAAAAAAAA/9oADAMBAAIRAxEAPwCdI4kQAwhWf//Z
        """)
    /// The same picture as inverted CMYK, as Adobe software stores it.
    static let jpegInks = bytes(
        """
        /9j/7gAOQWRvYmUAZAAAAAAA/9sAQwAGBAUGBQQGBgUGBwcGCAoQCgoJCQoUDg8MEBcUGBgXFBYWGh0lHxobIxwWFiAsICMmJykqKRkfLTAtKDAlKC\
        ko/8AAFAgACAAQBEMRAE0RAFkRAEsRAP/EABYAAQEBAAAAAAAAAAAAAAAAAAgACf/EABQQAQAAAAAAAAAAAAAAAAAAAAD/2gAOBEMATQBZAEsAAD8A\
        VIqCoVLKtNVE/9k=
        """)
    static let jpegGray = bytes(
        """
        /9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAYEBQYFBAYGBQYHBwYIChAKCgkJChQODwwQFxQYGBcUFhYaHSUfGhsjHBYWICwgIyYnKSopGR8tMC0oMC\
        UoKSj/wAALCAAIABABAREA/8QAFQABAQAAAAAAAAAAAAAAAAAABgf/xAAUEAEAAAAAAAAAAAAAAAAAAAAA/9oACAEBAAA/AJ0AP//Z
        """)
    /// 4 x 2 pixels: two red columns and two blue columns.
    static let pngRedAndBlue = bytes(
        """
        iVBORw0KGgoAAAANSUhEUgAAAAQAAAACCAIAAADwyuo0AAAAGUlEQVR42mP8z8DAwMDAyPCfgYGBiQEJAAAqNwIDAve+MAAAAABJRU5ErkJggg==
        """)
    /// Three pixels: opaque red, fully transparent, half-transparent black.
    static let pngTransparent = bytes(
        """
        iVBORw0KGgoAAAANSUhEUgAAAAMAAAABCAYAAAAb4BS0AAAAEElEQVR42mP4z8DwnwECGgAVeAJ/AVyF4AAAAABJRU5ErkJggg==
        """)
    /// Three pixels: black, middle grey and white with 16 bits.
    static let pngDeepGray = bytes(
        """
        iVBORw0KGgoAAAANSUhEUgAAAAMAAAABEAAAAABuG5crAAAAD0lEQVR42mNgYGhg+P8fAAUEAn9a+/enAAAAAElFTkSuQmCC
        """)

    /// Returns a JPEG file. Its EXIF data contains only the orientation.
    static func jpeg(exifOrientation number: UInt8, bigEndian: Bool) -> [UInt8] {
        let tiff: [UInt8] =
            bigEndian
            ? [0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, number, 0, 0, 0, 0, 0, 0]
            : [0x49, 0x49, 42, 0, 8, 0, 0, 0, 1, 0, 0x12, 0x01, 3, 0, 1, 0, 0, 0, number, 0, 0, 0, 0, 0, 0, 0]
        let body: [UInt8] = [0x45, 0x78, 0x69, 0x66, 0, 0] + tiff
        let segment: [UInt8] = [0xFF, 0xE1, 0, UInt8(body.count + 2)] + body
        return Array(jpegRedAndBlue.prefix(2)) + segment + Array(jpegRedAndBlue.dropFirst(2))
    }

    private static func bytes(_ base64: String) -> [UInt8] { Array(Data(base64Encoded: base64)!) }
}
