/// Converts names to parts of MQTT topics and ids.
enum MQTTTopic {
    /// Converts a name to one level of a topic. Characters that have a meaning in topics and invalid characters are
    /// percent-encoded (`/` becomes `%2F`), so that different names yield different levels.
    static func level(_ name: String) -> String {
        var text = ""
        for scalar in name.unicodeScalars {
            if scalar == "%" || !isPlain(scalar) || scalar == "/" {
                for byte in String(scalar).utf8 {
                    text += (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
                }
            } else {
                text.unicodeScalars.append(scalar)
            }
        }
        return text
    }

    /// Returns whether messages may be published to the topic.
    static func isGood(_ topic: String) -> Bool { topic.first != "$" && topic.unicodeScalars.allSatisfy(isPlain) }

    /// Converts a name to letters, digits, `_` and `-`, as Home Assistant requires for ids. If characters have to be
    /// replaced, a hash of the name is appended, so that different names yield different ids.
    static func slug(_ name: String) -> String {
        let isPlain = name.utf8.allSatisfy(isSlug)
        let text = String(decoding: name.utf8.map { isSlug($0) ? $0 : UInt8(ascii: "_") }, as: UTF8.self)
        guard !isPlain else { return text }
        // The hash function is FNV-1a. Swift's own hashes differ between runs of the program.
        let hash = name.utf8.reduce(0x811C_9DC5 as UInt32) { ($0 ^ UInt32($1)) &* 0x0100_0193 }
        return text + "_" + String(hash, radix: 16)
    }

    private static func isSlug(_ byte: UInt8) -> Bool {
        let character = Character(Unicode.Scalar(byte))
        return character.isASCII && (character.isLetter || character.isNumber || "_-".contains(character))
    }

    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        scalar != "+" && scalar != "#" && scalar.properties.generalCategory != .control
            && !scalar.properties.isNoncharacterCodePoint
    }
}
