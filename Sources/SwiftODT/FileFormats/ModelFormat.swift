/// The supported formats of model files. The raw values are the file extensions.
package enum ModelFormat: String, CaseIterable, Sendable {
    case xml, onnx, tflite, pb, pdmodel

    /// Creates the format of a file from its extension. Returns `nil` if the extension is not supported.
    package init?(file: String) {
        guard let dot = file.lastIndex(of: ".") else { return nil }
        self.init(rawValue: file[file.index(after: dot)...].lowercased())
    }
}
