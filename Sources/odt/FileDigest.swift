/// What a file's content is known by.
enum FileDigest {
    /// In hexadecimal, as the platform's own program reckons it; `nil` where the file cannot be read.
    static func sha256(_ path: String) throws -> String? {
        var program = try ChildProcess("/usr/bin/sha256sum", ["--", path], readsOutput: true)
        let text = program.output()
        // A name with unusual characters makes it start the line with a backslash.
        return try program.exitCode() == 0 ? text.split(separator: " ").first?.drop { $0 == "\\" }.description : nil
    }
}
