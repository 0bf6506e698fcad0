/// Steps through the fields of a protobuf message.
struct ProtobufFields {
    let message: ArraySlice<UInt8>
    private(set) var position: Int

    init(_ message: ArraySlice<UInt8>) {
        self.message = message
        position = message.startIndex
    }

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

    mutating func bytes() -> ArraySlice<UInt8>? {
        guard let length = varint(), length <= UInt64(message.endIndex - position) else { return nil }
        defer { position += Int(length) }
        return message[position..<position + Int(length)]
    }

    /// Passes over a number; `false` where the field is of a kind that is not used.
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

/// A field of a protobuf message.
struct ProtobufField {
    let number: Int
    let value: Value
    /// The field with its tag, as it stands in the message.
    let whole: ArraySlice<UInt8>

    enum Value {
        case number(UInt64)
        case bytes(ArraySlice<UInt8>)
        /// Four or eight bytes that nobody here reads.
        case fixed
    }
}

extension ProtobufFields {
    /// The fields of a message in order, without copying their content; `nil` where it is no message.
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
    func number(_ field: Int) -> UInt64? {
        lazy.compactMap { if $0.number == field, case .number(let value) = $0.value { value } else { nil } }.last
    }

    func bytes(_ field: Int) -> ArraySlice<UInt8>? { all(field).last }

    func text(_ field: Int) -> String? { bytes(field).map { String(decoding: $0, as: UTF8.self) } }

    /// What a field holds that may be there several times.
    func all(_ field: Int) -> [ArraySlice<UInt8>] {
        compactMap { if $0.number == field, case .bytes(let value) = $0.value { value } else { nil } }
    }

    /// A list of whole numbers, packed or one by one.
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
