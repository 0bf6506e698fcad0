import Glibc

/// Names of files as text.
///
/// To the system a name is bytes, which need not be UTF-8; to Swift a text is UTF-8. Bytes that are none stand in the text as characters
/// that nobody uses otherwise (of the last private plane), and become themselves again where the system is asked.
///
///     PathText.withSystemPath(name) { open($0, O_RDONLY) }
public enum PathText {
    private static let plane: UInt32 = 0x10_fe00

    /// The words of the command line, the program's name left out.
    public static func arguments() -> [String] {
        CommandLine.unsafeArgv.withMemoryRebound(to: UnsafePointer<CChar>?.self, capacity: Int(CommandLine.argc)) {
            (1..<max(1, Int(CommandLine.argc))).compactMap { [words = $0] in words[$0].map(text(ofSystemPath:)) }
        }
    }

    public static func text(ofSystemPath path: UnsafePointer<CChar>) -> String {
        text(of: UnsafeRawBufferPointer(start: path, count: length(of: path)))
    }

    public static func text(of bytes: some Collection<UInt8>) -> String {
        var text = ""
        var decoder = UTF8()
        var rest = bytes[...]
        while let byte = rest.first {
            var iterator = rest.makeIterator()
            if case .scalarValue(let scalar) = decoder.decode(&iterator) {
                text.unicodeScalars.append(scalar)
                rest = rest.dropFirst(UTF8.width(scalar))
            } else {
                text.unicodeScalars.append(Unicode.Scalar(plane + UInt32(byte))!)
                rest = rest.dropFirst()
            }
            decoder = UTF8()
        }
        return text
    }

    /// The name as the system has it, without an end mark.
    public static func bytes(of text: String) -> [UInt8] {
        guard text.unicodeScalars.contains(where: { isByte($0) }) else { return Array(text.utf8) }
        var bytes: [UInt8] = []
        for scalar in text.unicodeScalars {
            if isByte(scalar) {
                bytes.append(UInt8(scalar.value - plane))
            } else {
                bytes += UTF8.encode(scalar)!
            }
        }
        return bytes
    }

    /// Whether the name is UTF-8 to the system as well.
    public static func isUTF8(_ text: String) -> Bool { !text.unicodeScalars.contains(where: { isByte($0) }) }

    public static func withSystemPath<Answer>(
        _ path: String, _ body: (UnsafePointer<CChar>) throws -> Answer
    ) rethrows -> Answer {
        try (bytes(of: path) + [0]).withUnsafeBytes {
            try body($0.baseAddress!.assumingMemoryBound(to: CChar.self))
        }
    }

    private static func isByte(_ scalar: Unicode.Scalar) -> Bool {
        (plane + 0x80...plane + 0xff).contains(scalar.value)
    }

    private static func length(of text: UnsafePointer<CChar>) -> Int {
        var length = 0
        while text[length] != 0 { length += 1 }
        return length
    }

    /// Whether there is anything of this name.
    public static func isThere(_ path: String) -> Bool { withSystemPath(path) { access($0, F_OK) } == 0 }
}
