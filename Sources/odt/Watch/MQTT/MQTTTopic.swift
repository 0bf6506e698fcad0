/// Converts names to parts of topics.
enum MQTTTopic {
    /// Converts a name to one topic level. Characters with a meaning in topics and invalid characters are escaped
    /// as `%2F`, so that different names stay different.
    static func level(_ name: String) -> String {
        var text = ""
        for scalar in name.unicodeScalars {
            if scalar == "%" || !isPlain(scalar) || scalar == "/" {
                for byte in String(scalar).utf8 { text += (byte < 16 ? "%0" : "%") + hexadecimal(byte) }
            } else {
                text.unicodeScalars.append(scalar)
            }
        }
        return text
    }

    /// Returns whether the topic is valid for publishing.
    static func isGood(_ topic: String) -> Bool { topic.first != "$" && topic.unicodeScalars.allSatisfy(isPlain) }

    /// Converts a name to letters, digits, `_` and `-`, as Home Assistant requires. A hash keeps different names
    /// different.
    static func slug(_ name: String) -> String {
        let isPlain = name.utf8.allSatisfy(isSlug)
        let text = String(decoding: name.utf8.map { isSlug($0) ? $0 : UInt8(ascii: "_") }, as: UTF8.self)
        guard !isPlain else { return text }
        // FNV-1a, because Swift's hashes differ between runs.
        let hash = name.utf8.reduce(0x811C_9DC5 as UInt32) { ($0 ^ UInt32($1)) &* 0x0100_0193 }
        return text + "_" + String(hash, radix: 16)
    }

    private static func isSlug(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }

    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        scalar != "+" && scalar != "#" && scalar.properties.generalCategory != .control
            && !scalar.properties.isNoncharacterCodePoint
    }

    private static func hexadecimal(_ byte: UInt8) -> String { String(byte, radix: 16, uppercase: true) }
}
