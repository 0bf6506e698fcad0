/// A reader for FlatBuffers, the format of .tflite files. Every offset is checked before it is used. A field whose
/// offset points outside the buffer counts as absent.
struct FlatBuffer {
    let bytes: [UInt8]
    private let allowance: Allowance

    /// - Parameter identifier: the four characters at byte 4 that identify the file type.
    init?(_ bytes: [UInt8], identifier: String) {
        guard bytes.count >= 8, bytes[4..<8].elementsEqual(identifier.utf8) else { return nil }
        self.bytes = bytes
        allowance = Allowance(bytes: 16 * bytes.count)
    }

    /// The number of bytes that may still be read. Without this limit, a small malicious file could expand to any
    /// number of nested tables, because several vectors can share the same memory. Reading a valid file takes only a
    /// few times the size of the file.
    private final class Allowance {
        var bytes: Int

        init(bytes: Int) { self.bytes = bytes }
    }

    /// Subtracts `count` from the allowance. Returns `false` if fewer bytes are left.
    fileprivate func allows(_ count: Int) -> Bool {
        guard allowance.bytes >= count else { return false }
        allowance.bytes -= count
        return true
    }

    /// Returns `nil` for files of other formats.
    static func read(tflite path: String) throws -> FlatBuffer? {
        guard ModelFormat(file: path) == .tflite else { return nil }
        return FlatBuffer(try FileBytes.read(path, limit: 1 << 30), identifier: "TFL3")
    }

    var root: Table? { offset(at: 0).flatMap { table(at: $0) } }

    /// A table of a FlatBuffer. Its fields are optional and are identified by their number in the schema.
    struct Table {
        fileprivate let buffer: FlatBuffer
        fileprivate let position: Int
        fileprivate let fields: Range<Int>
    }

    /// The maximum number of elements of a vector. Bounds the work for a vector with a corrupt length.
    fileprivate static let maximumElements = 1 << 20

    fileprivate func number<Number: FixedWidthInteger>(_ type: Number.Type, at position: Int) -> Number? {
        let size = MemoryLayout<Number>.size
        guard position >= 0, position <= bytes.count - size else { return nil }
        return bytes.withUnsafeBytes {
            Number(littleEndian: $0.loadUnaligned(fromByteOffset: position, as: Number.self))
        }
    }

    /// Returns the position to which the offset at `position` points, or `nil` if it is outside the buffer.
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
    /// Returns `nil` if the field is absent and thus has its default value.
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

    /// Returns the byte range of the elements of a vector. `size` is the number of bytes per element.
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

extension ArraySlice<UInt8> {
    /// Reads little-endian integers. Returns `nil` if the last one is incomplete.
    func integers<Number: FixedWidthInteger>(as type: Number.Type) -> [Number]? {
        let size = MemoryLayout<Number>.size
        guard count % size == 0 else { return nil }
        return withUnsafeBytes { bytes in
            stride(from: 0, to: bytes.count, by: size).map {
                Number(littleEndian: bytes.loadUnaligned(fromByteOffset: $0, as: type))
            }
        }
    }
}

/// A reader for the numbers in the root map of a FlexBuffer. Custom operations of TensorFlow Lite store their options
/// in this format. Every offset is checked before it is used.
enum FlexBuffer {
    /// Returns the numeric entries by key, or `nil` if the root is not a valid map.
    static func numbers(_ bytes: [UInt8]) -> [String: Double]? {
        guard bytes.count >= 3, let rootWidth = width(bytes[bytes.count - 1]) else { return nil }
        let (root, type) = (bytes.count - 2 - rootWidth, bytes[bytes.count - 2])
        guard type >> 2 == Kind.map, let width = Optional(1 << Int(type & 3)),
            let values = follow(bytes, root, rootWidth), let count = unsigned(bytes, values - width, width),
            (0...1000).contains(count), let keys = follow(bytes, values - 3 * width, width),
            let keyWidth = unsigned(bytes, values - 2 * width, width).flatMap({ Self.width(UInt8(clamping: $0)) })
        else { return nil }
        var numbers: [String: Double] = [:]
        for index in 0..<count {
            let typeAt = values + count * width + index
            guard bytes.indices.contains(typeAt), let key = follow(bytes, keys + index * keyWidth, keyWidth) else {
                return nil
            }
            let name = String(decoding: bytes[key...].prefix(longestKey).prefix { $0 != 0 }, as: UTF8.self)
            numbers[name] = number(bytes, values + index * width, width, kind: bytes[typeAt] >> 2)
        }
        return numbers
    }

    /// The maximum length of a key in bytes. A corrupt key without a terminator would otherwise extend to the end of
    /// the file.
    private static let longestKey = 64

    private enum Kind {
        static let (int, unsigned, float, map): (UInt8, UInt8, UInt8, UInt8) = (1, 2, 3, 9)
    }

    private static func width(_ byte: UInt8) -> Int? { [1, 2, 4, 8].contains(byte) ? Int(byte) : nil }

    private static func number(_ bytes: [UInt8], _ place: Int, _ width: Int, kind: UInt8) -> Double? {
        guard let bits = unsigned(bytes, place, width).map({ UInt64(truncatingIfNeeded: $0) }) else { return nil }
        switch (kind, width) {
        case (Kind.float, 4): return Double(Float(bitPattern: UInt32(truncatingIfNeeded: bits)))
        case (Kind.float, 8): return Double(bitPattern: bits)
        case (Kind.int, _): return Double(Int64(bitPattern: bits << (64 - 8 * width)) >> (64 - 8 * width))
        case (Kind.unsigned, _): return Double(bits)
        default: return nil
        }
    }

    private static func unsigned(_ bytes: [UInt8], _ place: Int, _ width: Int) -> Int? {
        guard place >= 0, place <= bytes.count - width else { return nil }
        let bits = (0..<width).reduce(UInt64(0)) { $0 | UInt64(bytes[place + $1]) << (8 * UInt64($1)) }
        return Int(truncatingIfNeeded: bits)
    }

    /// Returns the position to which the offset at `place` points. Offsets in a FlexBuffer point backwards.
    private static func follow(_ bytes: [UInt8], _ place: Int, _ width: Int) -> Int? {
        guard let step = unsigned(bytes, place, width), step > 0, step <= place else { return nil }
        return place - step
    }
}

/// The supported formats of model files. The raw values are the file extensions.
package enum ModelFormat: String, CaseIterable, Sendable {
    case xml, onnx, tflite, pb, pdmodel

    /// Returns `nil` if the file extension is not supported.
    package init?(file: String) {
        guard let dot = file.lastIndex(of: ".") else { return nil }
        self.init(rawValue: file[file.index(after: dot)...].lowercased())
    }
}
