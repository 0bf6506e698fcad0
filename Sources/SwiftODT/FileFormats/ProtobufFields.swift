/// A cursor that reads the fields of a protobuf message.
struct ProtobufFields {
    let message: ArraySlice<UInt8>
    private(set) var position: Int

    init(_ message: ArraySlice<UInt8>) {
        self.message = message
        position = message.startIndex
    }

    /// Returns `nil` if the message ends or if the integer is malformed.
    mutating func varint() -> UInt64? {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 64, by: 7) {
            guard position < message.endIndex else { return nil }
            let byte = message[position]
            position += 1
            value |= UInt64(byte & 0x7F) << shift
            if byte & 0x80 == 0 { return value }
        }
        return nil
    }

    /// Reads the content of a length-delimited field. Returns `nil` if the content exceeds the message.
    mutating func bytes() -> ArraySlice<UInt8>? {
        guard let length = varint(), length <= UInt64(message.endIndex - position) else { return nil }
        defer { position += Int(length) }
        return message[position..<position + Int(length)]
    }

    /// Skips the content of an integer, a 32-bit or a 64-bit field. Returns `false` for another wire type, or if the
    /// content exceeds the message.
    mutating func skip(wireType: UInt64) -> Bool {
        switch wireType {
        case 0: return varint() != nil
        case 1: position += 8
        case 5: position += 4
        default: return false
        }
        return position <= message.endIndex
    }
}

// MARK: - All fields at once

struct ProtobufField {
    let number: Int
    let value: Value
    /// The bytes of the field, including the tag.
    let whole: ArraySlice<UInt8>

    enum Value {
        case number(UInt64)
        case bytes(ArraySlice<UInt8>)
        /// A 32-bit or 64-bit value. No caller needs its content.
        case fixed
    }
}

extension ProtobufFields {
    /// Returns all fields in order, without copying their content. Returns `nil` if the message is malformed.
    static func all(of message: ArraySlice<UInt8>) -> [ProtobufField]? {
        var fields = ProtobufFields(message)
        var found: [ProtobufField] = []
        while fields.position < message.endIndex {
            let start = fields.position
            guard let tag = fields.varint(), let number = Int(exactly: tag >> 3) else { return nil }
            let value: ProtobufField.Value
            switch tag & 7 {
            case 0:
                guard let content = fields.varint() else { return nil }
                value = .number(content)
            case 2:
                guard let content = fields.bytes() else { return nil }
                value = .bytes(content)
            default:
                guard fields.skip(wireType: tag & 7) else { return nil }
                value = .fixed
            }
            found.append(ProtobufField(number: number, value: value, whole: message[start..<fields.position]))
        }
        return found
    }
}

extension [ProtobufField] {
    /// Returns the last value of the field. In protobuf, a later value overrides an earlier one.
    func number(_ field: Int) -> UInt64? {
        lazy.compactMap { if $0.number == field, case .number(let value) = $0.value { value } else { nil } }.last
    }

    func bytes(_ field: Int) -> ArraySlice<UInt8>? { all(field).last }

    func text(_ field: Int) -> String? { bytes(field).map { String(decoding: $0, as: UTF8.self) } }

    func all(_ field: Int) -> [ArraySlice<UInt8>] {
        compactMap { if $0.number == field, case .bytes(let value) = $0.value { value } else { nil } }
    }

    /// Accepts packed and unpacked encoding. Returns `nil` if a value is malformed.
    func integers(_ field: Int) -> [Int]? {
        var list: [Int] = []
        for one in self where one.number == field {
            switch one.value {
            case .number(let value): list.append(Int(truncatingIfNeeded: value))
            case .bytes(let packed):
                var values = ProtobufFields(packed)
                while values.position < packed.endIndex {
                    guard let value = values.varint() else { return nil }
                    list.append(Int(truncatingIfNeeded: value))
                }
            case .fixed: return nil
            }
        }
        return list
    }
}

struct ProtobufMessage {
    private(set) var bytes: [UInt8] = []

    mutating func append(_ field: Int, _ value: Int) {
        append(varint: UInt64(field) << 3)
        append(varint: UInt64(bitPattern: Int64(value)))
    }

    /// Appends a length-delimited field.
    mutating func append(_ field: Int, _ content: some Collection<UInt8>) {
        append(varint: UInt64(field) << 3 | 2)
        append(varint: UInt64(content.count))
        bytes.append(contentsOf: content)
    }

    mutating func append(_ field: Int, _ text: String) { append(field, text.utf8) }

    /// Appends a copy of a field of another message.
    mutating func append(_ field: ProtobufField) { bytes.append(contentsOf: field.whole) }

    private mutating func append(varint value: UInt64) {
        var rest = value
        while rest > 0x7F {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }
}
