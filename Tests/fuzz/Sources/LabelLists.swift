@testable import SwiftODT

/// Parses all kinds of label lists: label files, exporters' metadata, category tables and lists in properties.
func fuzzLabels(_ bytes: FuzzedBytes) -> CInt {
    _ = Labels(parsing: bytes.all)
    _ = Labels(notes: bytes.all)
    _ = Labels(dictionaryText: bytes.text)
    _ = DetectionFilter.labels(in: bytes.text)
    let table = try? CategoryTable(text: bytes.text)
    _ = (table ?? .standard).category(of: bytes.text)
    return 0
}
