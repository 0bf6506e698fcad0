import Glibc

/// Splits file paths as `dirname` and `basename` do.
enum FilePath {
    /// Returns the folder of a path, without a trailing slash.
    static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Returns the file name without folder and extension.
    static func stem(of path: String) -> String {
        let name = path.lastIndex(of: "/").map { path[path.index(after: $0)...] } ?? path[...]
        return String(name.lastIndex(of: ".").map { name[..<$0] } ?? name)
    }

    /// Returns the absolute path with symbolic links resolved; `nil` if the file does not exist.
    static func canonical(_ path: String) -> String? {
        guard let real = realpath(path, nil) else { return nil }
        defer { free(real) }
        return String(cString: real)
    }
}

/// Computes hashes of files.
enum FileDigest {
    /// Returns the SHA-256 hash in hexadecimal, computed by sha256sum; `nil` if the file cannot be read.
    static func sha256(_ path: String) throws -> String? {
        var program = try ChildProcess("/usr/bin/sha256sum", ["--", path], readsOutput: true)
        let text = program.output()
        // `sha256sum` begins its output with a backslash if the file name contains a backslash or a line feed.
        return try program.exitCode() == 0 ? text.split(separator: " ").first?.drop { $0 == "\\" }.description : nil
    }
}

/// Decodes percent escapes such as `%40` in URIs.
enum PercentEscapes {
    /// Returns the decoded text; `nil` if an escape lacks two hexadecimal digits, or the result is not UTF-8.
    static func decoded(_ text: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            let digits = rest.prefix(2)
            guard digits.count == 2, digits.allSatisfy({ Unicode.Scalar($0).properties.isASCIIHexDigit }),
                let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
            else { return nil }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
