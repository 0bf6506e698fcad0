@testable import SwiftODT

/// Parses JSON, a manifest, and the cached description of a network.
func fuzzManifest(_ bytes: FuzzedBytes) -> CInt {
    _ = try? JSONValue(parsing: bytes.all)
    _ = try? ModelManifest(parsing: bytes.all, file: "/folder/manifest.json")
    if let description = NetworkDescription(text: bytes.text) { _ = NetworkDescription(text: description.text) }
    return 0
}
