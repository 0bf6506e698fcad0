@testable import SwiftODT

/// All texts with names in them: label files, exporters' notes, category tables, the lists of the properties.
func fuzzLabels(_ bytes: FuzzedBytes) -> CInt {
    _ = Labels(parsing: bytes.all)
    _ = Labels(notes: bytes.all)
    _ = Labels(dictionaryText: bytes.text)
    _ = DetectionFilter.labels(in: bytes.text)
    let table = try? CategoryTable(text: bytes.text)
    _ = (table ?? .standard).category(of: bytes.text)
    return 0
}
