import Glibc
import SwiftODT

let setupSubcommand = Subcommand(
    name: "setup", summary: "fetch what networks need: the runtime and the default models", help: help, work: runSetup)

private let help = """
    Fetches what networks need and no package of Debian's has: the OpenVINO runtime (34 MB to download where the index
    sends parts of files, else 59; 100 MB unpacked) and the default models, as far as they are not there.
    Without them only detector=motion and detector=upstream work.

    usage: odt setup [--system] [--all-devices]

      --system       for all users, into \(systemFolder) (needs root); without it for this user, into
                     ${XDG_DATA_HOME:-~/.local/share}/swiftodt
      --all-devices  also the runtime's GPU and NPU plugins (60 MB more), for device=GPU and device=NPU
      --help         this text

    Both come from Python's package index, with their content pinned; needs python3 with pip (Debian's python3-pip). 'odt doctor' says
    afterwards whether all is there.
    """

private let systemFolder = "/usr/local/share/swiftodt"

@Sendable private func runSetup(_ words: [String]) throws -> Int32 {
    let line = try CommandLineOptions(words, valued: [], flags: ["--system", "--all-devices"])
    guard line.operands.isEmpty else { throw CommandLineError("'\(line.operands[0])' is not understood here.") }
    let (isForAll, hasAllDevices) = (line.has("--system"), line.has("--all-devices"))
    guard let runtime = FetchProgram.find(.runtime), let models = FetchProgram.find(.models) else {
        throw ODTError(
            .fileNotFound,
            "the programs that fetch are not beside this one; run Pipelines/setup in the checkout that it is from")
    }
    // Whatever root keeps for itself else.
    if isForAll { umask(0o022) }
    // For all users it has to be where all users look, whatever this one has.
    if isForAll || hasAllDevices || (try? InferenceRuntime.find()) == nil {
        let code = try runtime.run(
            (isForAll ? ["--folder", systemFolder] : []) + (hasAllDevices ? ["--all-devices"] : []))
        guard code == ExitCode.success else { return code }
    }
    if isForAll || !ModelSearchPath.Purpose.allCases.allSatisfy({ (try? ModelSearchPath.locate($0)) != nil }) {
        let code = try models.run(isForAll ? ["--folder", systemFolder + "/models"] : [])
        guard code == ExitCode.success else { return code }
    }
    print("Runtime and default models are there; 'odt doctor' looks at all parts.")
    return ExitCode.success
}
