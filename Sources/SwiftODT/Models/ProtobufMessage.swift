/// An encoder that writes a protobuf message field by field.
struct ProtobufMessage {
    private(set) var bytes: [UInt8] = []

    /// Appends an integer field.
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

    /// Copies a field of another message unchanged.
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
