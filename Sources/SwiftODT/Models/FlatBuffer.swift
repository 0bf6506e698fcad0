/// A reader for FlatBuffers, the format of .tflite files. It checks every offset; fields whose offset points outside
/// the buffer are treated as absent.
struct FlatBuffer {
    let bytes: [UInt8]
    private let allowance: Allowance

    /// - Parameter identifier: the four-character file identifier that follows the first offset.
    init?(_ bytes: [UInt8], identifier: String) {
        guard bytes.count >= 8, bytes[4..<8].elementsEqual(identifier.utf8) else { return nil }
        self.bytes = bytes
        allowance = Allowance(bytes: 16 * bytes.count)
    }

    /// The number of bytes that may still be read. Vectors can share memory, so a small malicious file could expand to
    /// any number of nested tables. A valid file is read only a few times over.
    private final class Allowance {
        var bytes: Int

        init(bytes: Int) { self.bytes = bytes }
    }

    /// Deducts bytes from the allowance. Returns `false` if the rest is insufficient.
    fileprivate func allows(_ count: Int) -> Bool {
        guard allowance.bytes >= count else { return false }
        allowance.bytes -= count
        return true
    }

    /// Reads a .tflite file. Returns `nil` for other formats.
    static func read(tflite path: String) throws -> FlatBuffer? {
        guard ModelFormat(file: path) == .tflite else { return nil }
        return FlatBuffer(try FileBytes.read(path, limit: 1 << 30), identifier: "TFL3")
    }

    /// The root table.
    var root: Table? { offset(at: 0).flatMap { table(at: $0) } }

    /// A table, whose fields are optional and identified by their number in the schema.
    struct Table {
        fileprivate let buffer: FlatBuffer
        fileprivate let position: Int
        fileprivate let fields: Range<Int>
    }

    /// The maximum length of a vector, so that a corrupt length costs little.
    fileprivate static let maximumElements = 1 << 20

    fileprivate func number<Number: FixedWidthInteger>(_ type: Number.Type, at position: Int) -> Number? {
        let size = MemoryLayout<Number>.size
        guard position >= 0, position <= bytes.count - size else { return nil }
        return bytes.withUnsafeBytes {
            Number(littleEndian: $0.loadUnaligned(fromByteOffset: position, as: Number.self))
        }
    }

    /// Returns the target of the offset stored at a position.
    fileprivate func offset(at position: Int) -> Int? {
        guard let step = number(UInt32.self, at: position), step > 0 else { return nil }
        let target = position + Int(step)
        return target < bytes.count ? target : nil
    }

    fileprivate func table(at position: Int) -> Table? {
        guard let back = number(Int32.self, at: position) else { return nil }
        let list = position - Int(back)
        guard let size = number(UInt16.self, at: list), size >= 4, list + Int(size) <= bytes.count else { return nil }
        return Table(buffer: self, position: position, fields: list + 4..<list + Int(size))
    }
}

extension FlatBuffer.Table {
    /// Returns the position of a field's content, or `nil` if the field has its default value.
    private func contentPosition(_ field: Int) -> Int? {
        guard fields.lowerBound + 2 * field + 2 <= fields.upperBound,
            let step = buffer.number(UInt16.self, at: fields.lowerBound + 2 * field), step > 0
        else { return nil }
        return position + Int(step)
    }

    func integer<Number: FixedWidthInteger>(_ field: Int, as type: Number.Type) -> Number? {
        contentPosition(field).flatMap { buffer.number(type, at: $0) }
    }

    func float(_ field: Int) -> Float? { integer(field, as: UInt32.self).map { Float(bitPattern: $0) } }

    func table(_ field: Int) -> FlatBuffer.Table? {
        contentPosition(field).flatMap { buffer.offset(at: $0) }.flatMap { buffer.table(at: $0) }
    }

    func tables(_ field: Int) -> [FlatBuffer.Table] {
        elements(field, size: 4) { position in buffer.offset(at: position).flatMap { buffer.table(at: $0) } }
    }

    func integers<Number: FixedWidthInteger>(_ field: Int, as type: Number.Type) -> [Number] {
        elements(field, size: MemoryLayout<Number>.size) { buffer.number(type, at: $0) }
    }

    func floats(_ field: Int) -> [Float] { integers(field, as: UInt32.self).map { Float(bitPattern: $0) } }

    func text(_ field: Int) -> String? { contents(field).map { String(decoding: $0, as: UTF8.self) } }

    /// Returns the content of a byte vector.
    func contents(_ field: Int) -> ArraySlice<UInt8>? {
        guard let span = span(field, size: 1), buffer.allows(span.count) else { return nil }
        return buffer.bytes[span]
    }

    /// Returns the byte range of a vector's elements.
    func span(_ field: Int, size: Int) -> Range<Int>? {
        guard let start = contentPosition(field).flatMap({ buffer.offset(at: $0) }),
            let count = buffer.number(UInt32.self, at: start)
        else { return nil }
        let (bytes, overflow) = Int(count).multipliedReportingOverflow(by: size)
        guard !overflow, bytes <= buffer.bytes.count - start - 4 else { return nil }
        return start + 4..<start + 4 + bytes
    }

    private func elements<Element>(_ field: Int, size: Int, _ read: (Int) -> Element?) -> [Element] {
        guard let span = span(field, size: size), span.count / size <= FlatBuffer.maximumElements,
            buffer.allows(span.count)
        else { return [] }
        return stride(from: span.lowerBound, to: span.upperBound, by: size).compactMap(read)
    }
}
