/// A parsed JSON value. Foundation's parser is not used, because it would double the size of the plugin.
///
///     let value = try JSONValue(parsing: #"{"labels": ["cup"]}"#.utf8)
///     print(value["labels"]?.array?.first?.string ?? "none")
package enum JSONValue: Hashable, Sendable {
    case null
    case bool(Bool)
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])
}

extension JSONValue {
    package struct SyntaxError: Error, CustomStringConvertible {
        package let line: Int
        package let reason: String

        package var description: String { "line \(line): \(reason)" }
    }

    /// Parses a complete JSON text in linear time.
    ///
    /// - Throws: ``SyntaxError`` if the text is not valid JSON (RFC 8259), or if values are nested deeper than 64
    ///   levels.
    package init(parsing text: some Collection<UInt8>) throws {
        var reader = JSONReader(bytes: Array(text))
        self = try reader.document()
    }

    package subscript(key: String) -> JSONValue? {
        if case .object(let members) = self { members[key] } else { nil }
    }

    package var string: String? {
        if case .string(let text) = self { text } else { nil }
    }

    package var number: Double? {
        if case .number(let value) = self { value } else { nil }
    }

    package var bool: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    package var array: [JSONValue]? {
        if case .array(let values) = self { values } else { nil }
    }

    /// `nil` if the number is not an integer or is outside the range of `Int`.
    package var integer: Int? { number.flatMap(Int.init(exactly:)) }
}

/// A recursive-descent parser for JSON texts.
private struct JSONReader {
    private static let deepest = 64

    let bytes: [UInt8]
    var position = 0
    var depth = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    mutating func document() throws -> JSONValue {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
        let value = try value()
        skipSpace()
        guard position == bytes.count else { throw error("unexpected text after the end of the value") }
        return value
    }

    private func error(_ reason: String) -> JSONValue.SyntaxError {
        let line = 1 + bytes[..<min(position, bytes.count)].count { $0 == UInt8(ascii: "\n") }
        return JSONValue.SyntaxError(line: line, reason: reason)
    }

    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func skipSpace() {
        while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
    }

    private mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    private mutating func value() throws -> JSONValue {
        skipSpace()
        guard let byte = next else { throw error("the text ends where a value should be") }
        switch byte {
        case UInt8(ascii: "{"): return try nested { try $0.object() }
        case UInt8(ascii: "["): return try nested { try $0.array() }
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: return .number(try number())
        }
    }

    private mutating func nested(_ body: (inout JSONReader) throws -> JSONValue) throws -> JSONValue {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.deepest else { throw error("values are nested too deeply") }
        position += 1
        return try body(&self)
    }

    private mutating func word(_ word: StaticString, _ value: JSONValue) throws -> JSONValue {
        let end = position + word.utf8CodeUnitCount
        guard end <= bytes.count, word.withUTF8Buffer({ bytes[position..<end].elementsEqual($0) }) else {
            throw error("\(word) was expected")
        }
        position = end
        return value
    }

    private mutating func object() throws -> JSONValue {
        var members: [String: JSONValue] = [:]
        skipSpace()
        if skip("}") { return .object(members) }
        while true {
            skipSpace()
            guard next == UInt8(ascii: "\"") else { throw error("a name in quotes was expected") }
            let name = try string()
            skipSpace()
            guard skip(":") else { throw error("\":\" was expected after \"\(name)\"") }
            members[name] = try value()
            skipSpace()
            if skip("}") { return .object(members) }
            guard skip(",") else { throw error("\",\" or \"}\" was expected") }
        }
    }

    private mutating func array() throws -> JSONValue {
        var values: [JSONValue] = []
        skipSpace()
        if skip("]") { return .array(values) }
        while true {
            values.append(try value())
            skipSpace()
            if skip("]") { return .array(values) }
            guard skip(",") else { throw error("\",\" or \"]\" was expected") }
        }
    }

    private mutating func number() throws -> Double {
        let start = position
        while let byte = next, (0x30...0x39).contains(byte) || "+-.eE".utf8.contains(byte) { position += 1 }
        let text = bytes[start..<position]
        let digits = text.first == UInt8(ascii: "-") ? text.dropFirst() : text
        func isDigit(_ place: Int) -> Bool { digits.indices.contains(place) && (0x30...0x39).contains(digits[place]) }
        // `DecimalText` also accepts numbers that JSON does not allow: with leading zeros, with a plus sign, or with a
        // decimal point that lacks a digit on one side.
        guard isDigit(digits.startIndex), isDigit(digits.endIndex - 1),
            digits.first != 0x30 || !isDigit(digits.startIndex + 1),
            digits.firstIndex(of: UInt8(ascii: ".")).map({ isDigit($0 + 1) }) ?? true,
            let value = DecimalText.number(text), value.isFinite
        else {
            position = start
            throw error("a value was expected")
        }
        return value
    }

    private mutating func string() throws -> String {
        position += 1
        var text: [UInt8] = []
        while let byte = next {
            position += 1
            switch byte {
            case UInt8(ascii: "\""): return String(decoding: text, as: UTF8.self)
            case UInt8(ascii: "\\"): text.append(contentsOf: Array(String(try escape()).utf8))
            case ..<0x20: throw error("a string contains an unescaped control character")
            default: text.append(byte)
            }
        }
        throw error("a string is not terminated")
    }

    private mutating func escape() throws -> Character {
        guard let byte = next else { throw error("a string is not terminated") }
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Character(Unicode.Scalar(byte))
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): return Character(try unicodeEscape())
        default: throw error("\"\\\(Unicode.Scalar(byte))\" is not a valid escape")
        }
    }

    /// Parses the part of an escape sequence after `\u`: four hexadecimal digits, or two such groups for a surrogate
    /// pair.
    private mutating func unicodeEscape() throws -> Unicode.Scalar {
        let first = try hexGroup()
        if let scalar = Unicode.Scalar(first) { return scalar }
        guard first < 0xDC00, skip("\\"), skip("u") else { throw error("unpaired surrogate") }
        let second = try hexGroup()
        guard (0xDC00...0xDFFF).contains(second),
            let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
        else { throw error("unpaired surrogate") }
        return scalar
    }

    private mutating func hexGroup() throws -> UInt32 {
        guard position + 4 <= bytes.count,
            bytes[position..<position + 4].allSatisfy({ Unicode.Scalar($0).properties.isASCIIHexDigit }),
            let value = UInt32(String(decoding: bytes[position..<position + 4], as: UTF8.self), radix: 16)
        else { throw error("four hexadecimal digits were expected") }
        position += 4
        return value
    }
}

extension JSONValue {
    /// JSON without line breaks and with sorted keys. Equal values have equal texts. Infinities and NaN become `null`,
    /// because JSON cannot represent them.
    package var text: String {
        switch self {
        case .null: "null"
        case .bool(let flag): flag ? "true" : "false"
        case .number(let number): Self.text(of: number)
        case .string(let string): Self.quoted(string)
        case .array(let values): "[" + values.map(\.text).joined(separator: ",") + "]"
        case .object(let members):
            "{" + members.sorted { $0.key < $1.key }.map { Self.quoted($0) + ":" + $1.text }.joined(separator: ",")
                + "}"
        }
    }

    private static func text(of number: Double) -> String {
        guard number.isFinite else { return "null" }
        let text = number.description
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }

    /// Returns a JSON string literal.
    package static func quoted(_ string: String) -> String {
        var text = "\""
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            case _ where scalar.value < 0x20:
                let digits = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text + "\""
    }
}
