import Glibc

/// Searches for OpenVINO's C library in the folders of `odt setup`, then in those of the system. If `SWIFTODT_OPENVINO`
/// is set, only the file or folder that it names is searched.
enum RuntimeSearch {
    private static let library = "libopenvino_c.so"

    /// The files to try, in this order (`files`), and a description of the searched folders for messages (`places`).
    struct Candidates {
        var files: [String]
        var places: [String]
    }

    /// - Parameter named: the file or folder that the user has specified, or `nil`.
    static func candidates(named: String? = DataFolders.environment("SWIFTODT_OPENVINO")) -> Candidates {
        if let named {
            var status = stat()
            let isFolder = stat(named, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
            return Candidates(
                files: isFolder ? libraries(inAndBelow: named) : [named], places: ["SWIFTODT_OPENVINO=" + named])
        }
        let own = DataFolders.holding("openvino")
        var files = own.flatMap(libraries(inAndBelow:))
        // A name without a folder makes the dynamic loader search `LD_LIBRARY_PATH` and its own cache.
        files.append(library)
        files += systemFolders.flatMap(libraries(in:))
        return Candidates(files: files, places: own + ["the system's library folders"])
    }

    private static let systemFolders = [
        "/usr/local/lib", "/usr/local/lib64", "/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64",
        "/usr/lib", "/opt/intel/openvino/runtime/lib/intel64", "/opt/intel/openvino/runtime/lib/aarch64",
    ]

    /// Returns the libraries in a folder and in the subfolders that OpenVINO's Python wheel and archives use.
    private static func libraries(inAndBelow folder: String) -> [String] {
        ["", "/libs", "/lib", "/openvino/libs", "/runtime/lib/intel64", "/runtime/lib/aarch64"]
            .flatMap { libraries(in: folder + $0) }
    }

    /// Returns the libraries in a folder, newest version first. OpenVINO's Python wheel has only a versioned name such
    /// as `libopenvino_c.so.2641`.
    private static func libraries(in folder: String) -> [String] {
        guard let directory = opendir(folder) else { return [] }
        defer { closedir(directory) }
        var found: [(version: [Int], file: String)] = []
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            guard name == library || name.hasPrefix(library + ".") else { continue }
            let version = name.dropFirst(library.count).split(separator: ".").map { Int($0) ?? 0 }
            found.append((version, folder + "/" + name))
        }
        return found.sorted { $1.version.lexicographicallyPrecedes($0.version) }.map(\.file)
    }
}
