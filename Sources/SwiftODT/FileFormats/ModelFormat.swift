/// The supported model file formats, by file extension.
package enum ModelFormat: String, CaseIterable, Sendable {
    case xml, onnx, tflite, pb, pdmodel

    /// Returns the format for a file name, or `nil` for an unsupported extension.
    package init?(file: String) {
        guard let dot = file.lastIndex(of: ".") else { return nil }
        self.init(rawValue: file[file.index(after: dot)...].lowercased())
    }
}
