@testable import SwiftODT

/// PNG and JPEG pictures, and the EXIF data in these.
func fuzzPicture(_ bytes: FuzzedBytes) -> CInt {
    _ = Orientation(jpeg: bytes.all)
    // Headers alone: what unpacking a large picture takes is time, which is none of ours.
    let content = bytes.all
    if content.count > 24, content[0] == 0x89, content[16] | content[17] | content[20] | content[21] != 0 { return 0 }
    _ = try? Picture(encoded: content)
    return 0
}
