@testable import SwiftODT

/// JSON, the manifest it may be, and the description of a network in the cache.
func fuzzManifest(_ bytes: FuzzedBytes) -> CInt {
    _ = try? JSONValue(parsing: bytes.all)
    _ = try? ModelManifest(parsing: bytes.all, file: "/folder/manifest.json")
    if let description = NetworkDescription(text: bytes.text) { _ = NetworkDescription(text: description.text) }
    return 0
}
