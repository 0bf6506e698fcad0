import Glibc
import SwiftODT

/// A program that downloads what no package contains: `Pipelines/fetch-models` or `Pipelines/fetch-runtime`.
struct FetchProgram {
    enum Kind: String {
        case models = "fetch-models"
        case runtime = "fetch-runtime"

        /// The command that error messages suggest.
        var advice: String { "Pipelines/" + rawValue }
    }

    let path: String
    /// Whether the program belongs to a checkout instead of an installation.
    let isOfCheckout: Bool
    var folder: String { FilePath.folder(of: path) }

    /// Searches the installation of this program, then the folders above it (a checkout).
    static func find(_ kind: Kind) -> FetchProgram? {
        guard let program = FilePath.canonical("/proc/self/exe") else { return nil }
        var folder = FilePath.folder(of: program)
        var candidates = [
            FetchProgram(path: FilePath.folder(of: folder) + "/share/swiftodt/" + kind.rawValue, isOfCheckout: false)
        ]
        while folder != "/" {
            candidates.append(FetchProgram(path: folder + "/" + kind.advice, isOfCheckout: true))
            folder = FilePath.folder(of: folder)
        }
        return candidates.first { access($0.path, X_OK) == 0 && FileBytes.size($0.path) != nil }
    }

    /// The command that installs the runtime and the models.
    static var advice: String { areInstalled ? "'odt setup'" : "Pipelines/setup" }

    /// The command that fetches the default models.
    static var modelAdvice: String { areInstalled ? "'odt models fetch'" : Kind.models.advice }

    /// Whether the programs were installed with this program.
    static var areInstalled: Bool { find(.runtime)?.isOfCheckout == false }

    /// Runs the program with this process's standard streams and returns its exit code.
    func run(_ words: [String]) throws -> Int32 { try ChildProcess(path, words).exitCode() }
}
