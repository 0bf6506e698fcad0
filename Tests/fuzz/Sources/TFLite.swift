@testable import SwiftODT

/// Parses a .tflite file, its metadata, its weights, and the options of its last operation.
func fuzzTFLite(_ bytes: FuzzedBytes) -> CInt {
    let content = bytes.all
    _ = FlexBuffer.numbers(content)
    // Sets the identifier, because the parser rejects any other one at once.
    var model = content
    if model.count >= 8 { model.replaceSubrange(4..<8, with: "TFL3".utf8) }
    if let buffer = FlatBuffer(model, identifier: "TFL3") {
        _ = TFLiteMetadata(model: buffer)
        _ = [String: QuantisationScale](tflite: buffer)
        _ = buffer.endsWithLogistic
        _ = TFLitePostProcess(model: buffer)?.cut(model)
        _ = TFLiteWeights(model: buffer)?.rescaled(model)
    }
    if model.count >= 8 { model.replaceSubrange(4..<8, with: "M001".utf8) }
    _ = TFLiteMetadata(notes: model)
    return 0
}
