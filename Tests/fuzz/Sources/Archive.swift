@testable import SwiftODT

/// The archive at the end of a .tflite file, with the labels in it.
func fuzzArchive(_ bytes: FuzzedBytes) -> CInt {
    _ = ZipArchive(bytes.all).flatMap(Labels.init(archive:))
    return 0
}

func fuzzInflate(_ bytes: FuzzedBytes) -> CInt {
    let unpacked = (try? Inflate.unpack(bytes.rest, limit: 1 << 16)) ?? []
    guard unpacked.count <= 1 << 16 else { fatalError("more was unpacked than may be") }
    return 0
}
