/// The metadata properties of an .onnx file, by name.
struct ONNXProperties {
    /// Reads the properties without loading the network: large fields are skipped. A malformed field ends the search
    /// without an error, because the runtime reports damaged files with better messages.
    static func read(_ path: String) throws(ODTError) -> [String: String] {
        try FileBytes.withDescriptor(path) { (file, size) throws(ODTError) in
            var properties: [String: String] = [:]
            var position = 0
            for _ in 0..<maximumFields where position < size {
                let head = try FileBytes.read(file, from: position, count: min(20, size - position), path: path)
                var fields = ProtobufFields(head[...])
                guard let tag = fields.varint() else { break }
                guard tag & 7 == 2 else {
                    guard fields.skip(wireType: tag & 7) else { break }
                    position += fields.position
                    continue
                }
                guard let length = fields.varint(), length <= UInt64(size - position - fields.position) else { break }
                position += fields.position
                if tag >> 3 == propertyField, length <= largestProperty {
                    let entry = try FileBytes.read(file, from: position, count: Int(length), path: path)
                    if let (key, value) = property(entry[...]) { properties[key] = value }
                }
                position += Int(length)
            }
            return properties
        }
    }

    private static let maximumFields = 10_000
    private static let propertyField: UInt64 = 14
    private static let largestProperty: UInt64 = 1 << 20

    /// Parses a `StringStringEntryProto`. Field 1 is the key, field 2 is the value.
    private static func property(_ entry: ArraySlice<UInt8>) -> (String, String)? {
        var fields = ProtobufFields(entry)
        var (key, value): (String?, String?) = (nil, nil)
        while let tag = fields.varint() {
            guard tag & 7 == 2 else {
                guard fields.skip(wireType: tag & 7) else { return nil }
                continue
            }
            guard let text = fields.bytes() else { return nil }
            switch tag >> 3 {
            case 1: key = String(decoding: text, as: UTF8.self)
            case 2: value = String(decoding: text, as: UTF8.self)
            default: break
            }
        }
        guard let key, let value else { return nil }
        return (key, value)
    }
}
