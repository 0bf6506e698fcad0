/// Computes hashes of files.
enum FileDigest {
    /// Returns the SHA-256 hash in hexadecimal, computed by sha256sum; `nil` if the file cannot be read.
    static func sha256(_ path: String) throws -> String? {
        var program = try ChildProcess("/usr/bin/sha256sum", ["--", path], readsOutput: true)
        let text = program.output()
        // sha256sum begins the line with a backslash if the name contains unusual characters.
        return try program.exitCode() == 0 ? text.split(separator: " ").first?.drop { $0 == "\\" }.description : nil
    }
}
