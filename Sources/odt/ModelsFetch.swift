import Glibc
import SwiftODT

/// The program that fetches models, `Pipelines/fetch-models`.
struct ModelFetcher {
    let path: String
    var folder: String { FilePath.folder(of: path) }

    /// What to run where it cannot be found.
    static let advice = "Pipelines/fetch-models"

    /// Looks for it above this program (a checkout) and where it would be installed with it.
    static func find() -> ModelFetcher? {
        guard let program = FilePath.canonical("/proc/self/exe") else { return nil }
        var folder = FilePath.folder(of: program)
        var candidates = [FilePath.folder(of: folder) + "/share/swiftodt/fetch-models"]
        while folder != "/" {
            candidates.append(folder + "/" + advice)
            folder = FilePath.folder(of: folder)
        }
        return candidates.first { access($0, X_OK) == 0 && FileBytes.size($0) != nil }.map(ModelFetcher.init)
    }

    /// Runs it, its words going where ours go, and gives its exit code.
    func run(_ names: [String]) throws -> Int32 { try ChildProcess(path, names).exitCode() }
}

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
