import Playback
import SwiftODT

let doctorSubcommand = Subcommand(
    name: "doctor", summary: "check the installation and suggest remedies", help: help, work: runDoctor)

private let help = """
    Checks each part of the installation and prints a remedy for each problem.

    usage: odt doctor [--json]

    Checks GStreamer, the swiftodt plugin, the OpenVINO runtime, the default models and the integrity of their files, the
    known-answer tests of the models, the time of one inference, decoders and encoders, cameras, fonts and the cache of
    compiled networks. Nothing is changed.

      --json           print all findings as one line of JSON
      --help           show this text

    Each line is 'fine', 'limited' (works with restrictions) or 'missing'. The exit code is 1 if something is missing.

    examples:
      odt doctor
    """

@Sendable private func runDoctor(_ arguments: [String]) throws -> Int32 {
    // --try is internal: loading a damaged plugin can crash the process, so a child process does it.
    let line = try CommandLineOptions(arguments, valued: ["--try"], flags: ["--json"])
    if let plugin = line.text("--try") {
        try PluginSearch.startGStreamer()
        print(PluginState.reason(against: plugin) ?? "")
        return ExitCode.success
    }
    guard line.operands.isEmpty else { throw CommandLineError("unexpected operand '\(line.operands[0])'.") }
    var findings: [Finding] = []
    // Each finding is printed at once, because some examinations take long.
    for examine in examinations {
        let found = examine()
        if !line.has("--json") { found.forEach { print($0.text) } }
        findings += found
    }
    let lacking = findings.filter { $0.verdict == .missing }
    if line.has("--json") {
        print(JSONValue.object(["findings": .array(findings.map(\.json))]).text)
    } else {
        print(
            lacking.isEmpty
                ? "Nothing is missing." : "Missing: \(lacking.map(\.part).joined(separator: ", ")).")
    }
    return lacking.isEmpty ? ExitCode.success : ExitCode.failure
}

/// Each function examines one part. Those that need GStreamer follow the one that initializes it.
private let examinations: [@Sendable () -> [Finding]] = [
    examineGStreamer, examinePlugin, examineRuntime, examineModels, examineKnownAnswers, examineNetwork,
    examineDecoders, examineEncoders,
    examineCameras, examineFonts, examineCache,
]
