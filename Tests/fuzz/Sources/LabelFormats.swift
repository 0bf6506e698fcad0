@testable import GstSwiftODT
@testable import SwiftODT

/// Parses a label-format and draws a label with it.
func fuzzLabelFormat(_ bytes: FuzzedBytes) -> CInt {
    var bytes = bytes
    let present = bytes.next(UInt8.self)
    let (before, after) = (bytes.text, String(bytes.text.reversed()))
    _ = LabelFormat.unknownWords(in: before)
    var options = AnnotatorOptions()
    options.labelFormat = before
    options.drawConfidence = present & 1 == 1
    let object = AnnotatedObject(
        id: present & 2 == 2 ? 7 : nil, box: Box(x: 0, y: 0, width: 1, height: 1),
        label: present & 4 == 4 ? String(after.prefix(200)) : "", category: present & 8 == 8 ? .food : .unknown,
        confidence: present & 16 == 16 ? .nan : nil, score: present & 32 == 32 ? 0.5 : .infinity)
    let picture = UnsafeMutableRawPointer.allocate(byteCount: 64 * 64, alignment: 16)
    defer { picture.deallocate() }
    picture.initializeMemory(as: UInt8.self, repeating: 0, count: 64 * 64)
    let frame = Frame(format: .gray8, width: 64, height: 64, planes: [.init(base: picture, stride: 64)])
    Annotator().draw([object], options: options, into: frame)
    return 0
}

/// Parses a font description and looks the font up.
func fuzzFont(_ bytes: FuzzedBytes) -> CInt {
    var bytes = bytes
    let font = NamedFont(bytes.text)
    _ = font.find()
    return font.family.isEmpty || font.size.map { !($0 > 0) } ?? false ? -1 : 0
}
