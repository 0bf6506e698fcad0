@testable import SwiftODT

/// Parses an .onnx file: the graph, which is optimised, its properties, and labels among these.
func fuzzONNX(_ bytes: FuzzedBytes) -> CInt {
    let content = bytes.all
    if let rows = TrailingTranspose.transposeRemoved(content) { _ = FocusLayer.folded(rows) }
    _ = FocusLayer.folded(content)
    withMemoryFile(content) { path in
        let properties = try? ONNXProperties.read(path)
        for text in (properties ?? [:]).values { _ = Labels(dictionaryText: text) }
    }
    return 0
}
