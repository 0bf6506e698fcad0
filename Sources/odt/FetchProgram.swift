import Glibc
import SwiftODT

/// One of the programs that fetch what is in no package: `Pipelines/fetch-models` and `Pipelines/fetch-runtime`.
struct FetchProgram {
    enum Kind: String {
        case models = "fetch-models"
        case runtime = "fetch-runtime"

        /// What to run where it cannot be found.
        var advice: String { "Pipelines/" + rawValue }
    }

    let path: String
    /// Whether it is one of a checkout, and not installed with this program.
    let isOfCheckout: Bool
    var folder: String { FilePath.folder(of: path) }

    /// Looks for it where it would be installed with this program, and above this program (a checkout).
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

    /// What brings in runtime and models where this program is: a checkout's setup, or the subcommand.
    static var advice: String { areInstalled ? "'odt setup'" : "Pipelines/setup" }

    /// What fetches the default models where this program is.
    static var modelAdvice: String { areInstalled ? "'odt models fetch'" : Kind.models.advice }

    /// Whether they were installed with this program; else they are a checkout's, or not there.
    static var areInstalled: Bool { find(.runtime)?.isOfCheckout == false }

    /// Runs it, its words going where ours go, and gives its exit code.
    func run(_ words: [String]) throws -> Int32 { try ChildProcess(path, words).exitCode() }
}
