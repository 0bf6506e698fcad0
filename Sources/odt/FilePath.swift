import Glibc

/// Splits paths of files as dirname and basename do.
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

    /// Returns the absolute path with links resolved; `nil` if the file does not exist.
    static func canonical(_ path: String) -> String? {
        guard let real = realpath(path, nil) else { return nil }
        defer { free(real) }
        return String(cString: real)
    }
}
