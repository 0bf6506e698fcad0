import CODTOpenVINO
import Glibc

/// Splits file paths as `dirname` and `basename` do, and lists folders.
package enum FilePath {
    /// Returns the folder without a trailing slash, or "." if the path has no folder.
    package static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    package static func name(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[path.index(after: $0)...]) } ?? path
    }

    /// Returns the file name without its last extension.
    package static func stem(of path: String) -> String {
        let name = name(of: path)
        return name.lastIndex(of: ".").map { String(name[..<$0]) } ?? name
    }

    /// Returns the absolute path without symbolic links, or `nil` if the file does not exist.
    package static func canonical(_ path: String) -> String? {
        guard let real = PathText.withSystemPath(path, { realpath($0, nil) }) else { return nil }
        defer { free(real) }
        return PathText.text(ofSystemPath: real)
    }

    /// Returns the names of the entries of a folder, unsorted; empty if the folder cannot be read.
    package static func names(
        in folder: UnsafePointer<CChar>, decoding text: (UnsafePointer<CChar>) -> String = { String(cString: $0) }
    ) -> [String] {
        guard let directory = opendir(folder) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            names.append(
                withUnsafePointer(to: &entry.pointee.d_name) {
                    $0.withMemoryRebound(to: CChar.self, capacity: 256) { text($0) }
                })
        }
        return names
    }
}

/// The folders of installed data and of caches.
package enum DataFolders {
    /// The folder for temporary files.
    package static var temporary: String { environment("TMPDIR") ?? "/tmp" }

    /// Returns the folders that may contain installed data called `name`, for example `models`. Each result is the
    /// folder `swiftodt/NAME` in one of these folders, in this order: the user's data folder, the system's data
    /// folders, the folder of this plugin or program, and the folder `share` of the prefix where it is installed.
    static func holding(_ name: String) -> [String] {
        var folders = [userFolder("XDG_DATA_HOME", or: ".local/share")].compactMap(\.self)
        folders += ["/usr/local/share", "/usr/share", "/usr/local/lib"]
        if let file = ownFile {
            folders.append(FilePath.folder(of: file))
            if let prefix = prefix(of: file) { folders.append(prefix + "/share") }
        }
        var seen = Set<String>()
        return folders.map { $0 + "/swiftodt/" + name }.filter { seen.insert($0).inserted }
    }

    /// Returns the prefix of an installed program `PREFIX/bin/NAME` or plugin `PREFIX/lib/gstreamer-1.0/NAME` or
    /// `PREFIX/lib/TRIPLET/gstreamer-1.0/NAME`, without a trailing slash; `nil` for other files. Other parent
    /// folders do not count, because other users may be able to write to them, as to `/tmp`.
    static func prefix(of file: String) -> String? {
        let folders = file.split(separator: "/").dropLast()
        let isPlugin = folders.last == "gstreamer-1.0"
        guard
            let place = isPlugin
                ? folders.suffix(3).lastIndex(where: { $0 == "lib" || $0 == "lib64" }) : folders.lastIndex(of: "bin"),
            isPlugin || place == folders.endIndex - 1
        else { return nil }
        return folders[..<place].map { "/" + $0 }.joined()
    }

    /// Returns the folder of the Python package `name` in the Python environment that contains `file`. Returns `nil` if
    /// `file` does not belong to a wheel of the Python package `swiftodt`, or if the environment has no package `name`.
    static func pythonPackage(_ name: String, besidePackageOf file: String? = ownFile) -> String? {
        guard var folder = file.map(FilePath.folder(of:)) else { return nil }
        // The wheel has the plugin in swiftodt/native/lib/gstreamer-1.0.
        for _ in 0..<4 where FilePath.name(of: folder) != "swiftodt" { folder = FilePath.folder(of: folder) }
        let package = FilePath.folder(of: folder) + "/" + name
        return access(folder + "/__init__.py", F_OK) == 0 && access(package, F_OK) == 0 ? package : nil
    }

    /// The path of this plugin or program, without symbolic links.
    static var ownFile: String? { swiftodt_own_file().flatMap { FilePath.canonical(String(cString: $0)) } }

    /// `nil` if the user has no home directory.
    static var cache: String? { userFolder("XDG_CACHE_HOME", or: ".cache").map { $0 + "/swiftodt" } }

    /// `nil` if the user has no home directory.
    static var configuration: String? { userFolder("XDG_CONFIG_HOME", or: ".config").map { $0 + "/swiftodt" } }

    /// Returns `nil` if the variable is not set or is empty.
    package static func environment(_ name: String) -> String? {
        guard let value = getenv(name), value.pointee != 0 else { return nil }
        return String(cString: value)
    }

    private static func userFolder(_ variable: String, or folder: String) -> String? {
        if let named = environment(variable), named.hasPrefix("/") { return named }
        return (environment("HOME") ?? accountHome).map { $0 + "/" + folder }
    }

    /// The home folder in the user database. Services that systemd starts as root have no variable `HOME`.
    private static let accountHome: String? = {
        var account = passwd()
        var found: UnsafeMutablePointer<passwd>?
        var text = [CChar](repeating: 0, count: 1 << 14)
        return text.withUnsafeMutableBufferPointer { text in
            guard let start = text.baseAddress,
                getpwuid_r(geteuid(), &account, start, text.count, &found) == 0, found != nil,
                let folder = account.pw_dir.map({ String(cString: $0) }), folder.hasPrefix("/")
            else { return nil }
            return folder
        }
    }()
}
