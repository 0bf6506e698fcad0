@testable import SwiftODT

/// Decodes PNG and JPEG pictures, and EXIF data.
func fuzzPicture(_ bytes: FuzzedBytes) -> CInt {
    _ = Orientation(jpeg: bytes.all)
    // Skips PNG pictures of 65,536 pixels or more on a side, whose decompression would only take time.
    let content = bytes.all
    if content.count > 24, content[0] == 0x89, content[16] | content[17] | content[20] | content[21] != 0 { return 0 }
    _ = try? Picture(encoded: content)
    return 0
}
