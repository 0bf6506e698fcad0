@testable import GstSwiftODT
@testable import SwiftODT

/// label-format and font, and what labels say by them.
func fuzzLabelFormat(_ bytes: FuzzedBytes) -> CInt {
    var bytes = bytes
    let present = bytes.next(UInt8.self)
    let (before, after) = (bytes.text, String(bytes.text.reversed()))
    _ = FontDescription(before)
    _ = LabelFormat.unknownWords(in: before)
    var options = AnnotatorOptions()
    options.labelFormat = before
    options.drawConfidence = present & 1 == 1
    let object = AnnotatedObject(
        id: present & 2 == 2 ? 7 : nil, box: Box(x: 0, y: 0, width: 1, height: 1),
        label: present & 4 == 4 ? String(after.prefix(200)) : "", category: present & 8 == 8 ? .food : .unknown,
        confidence: present & 16 == 16 ? .nan : nil, score: present & 32 == 32 ? 0.5 : .infinity)
    let text = LabelText(options).text(for: object)
    _ = LabelText.shortened(text, to: 3)
    return 0
}
