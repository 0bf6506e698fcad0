/// A reader for the numbers in a FlexBuffer's root map, which stores the options of TensorFlow Lite's custom
/// operations. Every offset is checked.
enum FlexBuffer {
    /// - Returns: the numeric entries, or `nil` if the root is not a valid map.
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

    /// Limits the copying for a corrupt key without terminator, which would extend to the end of the file.
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

    /// Returns the target of an offset. Offsets point backwards.
    private static func follow(_ bytes: [UInt8], _ place: Int, _ width: Int) -> Int? {
        guard let step = unsigned(bytes, place, width), step > 0, step <= place else { return nil }
        return place - step
    }
}
