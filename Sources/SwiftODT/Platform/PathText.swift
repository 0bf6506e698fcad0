import Glibc

/// Converts between file names and Swift strings. To the system, a file name is a sequence of bytes.
///
/// A file name need not be valid UTF-8. In a string, each byte that is not part of valid UTF-8 is represented by a
/// private-use code point (U+10FE00 plus the byte). When the string is passed to the system, the code point is
/// converted back to the byte.
///
///     PathText.withSystemPath(name) { open($0, O_RDONLY) }
package enum PathText {
    /// The code point to which the value of an invalid byte is added.
    private static let plane: UInt32 = 0x10_fe00

    /// Returns the command line arguments, without the name of the program.
    package static func arguments() -> [String] {
        CommandLine.unsafeArgv.withMemoryRebound(to: UnsafePointer<CChar>?.self, capacity: Int(CommandLine.argc)) {
            (1..<max(1, Int(CommandLine.argc))).compactMap { [words = $0] in words[$0].map(text(ofSystemPath:)) }
        }
    }

    package static func text(ofSystemPath path: UnsafePointer<CChar>) -> String {
        text(of: UnsafeRawBufferPointer(start: path, count: Int(strlen(path))))
    }

    package static func text(of bytes: some Collection<UInt8>) -> String {
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

    /// Returns the bytes of a file name, without a terminating zero.
    package static func bytes(of text: String) -> [UInt8] {
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

    package static func isUTF8(_ text: String) -> Bool { !text.unicodeScalars.contains(where: { isByte($0) }) }

    package static func withSystemPath<Answer>(
        _ path: String, _ body: (UnsafePointer<CChar>) throws -> Answer
    ) rethrows -> Answer {
        try (bytes(of: path) + [0]).withUnsafeBytes {
            try body($0.baseAddress!.assumingMemoryBound(to: CChar.self))
        }
    }

    private static func isByte(_ scalar: Unicode.Scalar) -> Bool {
        (plane + 0x80...plane + 0xff).contains(scalar.value)
    }

    package static func exists(_ path: String) -> Bool { withSystemPath(path) { access($0, F_OK) } == 0 }
}
