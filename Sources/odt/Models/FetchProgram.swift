import Glibc
import SwiftODT

/// A program that downloads components that Debian does not package: `Pipelines/fetch-models` or
/// `Pipelines/fetch-runtime`.
struct FetchProgram {
    enum Kind: String {
        case models = "fetch-models"
        case runtime = "fetch-runtime"

        /// The command for error messages if the program is not installed. It runs the program in a checkout of the
        /// sources.
        var advice: String { "Pipelines/" + rawValue }
    }

    let path: String
    /// Whether the program is in a checkout of the sources instead of an installation.
    let isOfCheckout: Bool
    var folder: String { FilePath.folder(of: path) }

    /// Searches for the program first in the installation of this `odt`, then in the checkout that contains this `odt`.
    static func find(_ kind: Kind) -> FetchProgram? {
        guard let program = FilePath.canonical("/proc/self/exe") else { return nil }
        let prefix = FilePath.folder(of: FilePath.folder(of: program))
        var candidates = [FetchProgram(path: "\(prefix)/share/swiftodt/\(kind.rawValue)", isOfCheckout: false)]
        // Other parent folders are not searched, because other users may be able to write to them.
        if let end = program.ranges(of: "/.build/").last?.lowerBound {
            candidates.append(FetchProgram(path: "\(program[..<end])/\(kind.advice)", isOfCheckout: true))
        }
        return candidates.first { access($0.path, X_OK) == 0 && FileBytes.size($0.path) != nil }
    }

    /// The command that installs the runtime and the models.
    static var advice: String { areInstalled ? "'odt setup'" : "Pipelines/setup" }

    static var modelAdvice: String { areInstalled ? "'odt models fetch'" : Kind.models.advice }

    /// Whether the fetch programs are installed together with this `odt`.
    static var areInstalled: Bool { find(.runtime)?.isOfCheckout == false }

    func run(_ words: [String]) throws -> Int32 { try ChildProcess(path, words).exitCode() }
}
