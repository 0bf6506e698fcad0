@testable import SwiftODT

/// Parses a ZIP archive with labels, as at the end of a .tflite file.
func fuzzArchive(_ bytes: FuzzedBytes) -> CInt {
    _ = ZipArchive(bytes.all).flatMap(Labels.init(archive:))
    return 0
}

func fuzzInflate(_ bytes: FuzzedBytes) -> CInt {
    let unpacked = (try? Inflate.unpack(bytes.rest, limit: 1 << 16)) ?? []
    guard unpacked.count <= 1 << 16 else { fatalError("Inflate.unpack exceeded its limit") }
    return 0
}
