import COpenVINO
import Glibc

/// Where what setup fetches lies, and where what can be made again may be kept.
enum DataFolders {
    /// The folders that may hold `name`: the user's own, the system's, those of the prefix that this plugin or program is
    /// installed under, and the one beside it.
    static func holding(_ name: String) -> [String] {
        var folders = [userFolder("XDG_DATA_HOME", or: ".local/share")].compactMap(\.self)
        folders += ["/usr/local/share", "/usr/share", "/usr/local/lib"]
        if let file = swiftodt_own_file(), let real = canonicalPath(String(cString: file)) {
            var folder = parent(of: real)
            folders.append(folder)
            for _ in 0..<3 where folder != "/" {
                folder = parent(of: folder)
                folders.append((folder == "/" ? "" : folder) + "/share")
            }
        }
        var seen = Set<String>()
        return folders.map { $0 + "/swiftodt/" + name }.filter { seen.insert($0).inserted }
    }

    /// The user's folder for what can be made again; `nil` for users without a home.
    static var cache: String? { userFolder("XDG_CACHE_HOME", or: ".cache").map { $0 + "/swiftodt" } }

    /// An environment variable that is set to something.
    static func environment(_ name: String) -> String? {
        guard let value = getenv(name), value.pointee != 0 else { return nil }
        return String(cString: value)
    }

    /// The absolute path without links; `nil` where there is no such file.
    static func canonicalPath(_ path: String) -> String? {
        guard let real = realpath(path, nil) else { return nil }
        defer { free(real) }
        return String(cString: real)
    }

    private static func userFolder(_ variable: String, or folder: String) -> String? {
        if let named = environment(variable), named.hasPrefix("/") { return named }
        return environment("HOME").map { $0 + "/" + folder }
    }

    private static func parent(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return "/" }
        return String(path[..<slash])
    }
}
