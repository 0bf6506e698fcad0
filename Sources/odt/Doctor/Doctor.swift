import Playback
import SwiftODT

let doctorSubcommand = Subcommand(
    name: "doctor", summary: "say what is missing of an installation, and what to do", help: help, work: runDoctor)

private let help = """
    Looks at all that swiftodt needs, part by part, and says of each whether it is there, and what to do where it is not.

    usage: odt doctor [--json]

    GStreamer, the plugin, the runtime for networks, the models and whether their files are whole, whether they give known
    answers, how soon the default network answers, decoders and encoders, cameras, fonts, the cache. Nothing is changed.

    'limited' is what works but for something. The exit code is 1 where something is missing.
    """

@Sendable private func runDoctor(_ arguments: [String]) throws -> Int32 {
    // The last one is for itself: what may end the process is tried by another.
    let line = try CommandLineOptions(arguments, valued: ["--try"], flags: ["--json"])
    if let plugin = line.text("--try") {
        try PluginSearch.startGStreamer()
        print(PluginState.reason(against: plugin) ?? "")
        return ExitCode.success
    }
    guard line.operands.isEmpty else { throw CommandLineError("'\(line.operands[0])' is not understood here.") }
    var findings: [Finding] = []
    // One after the other: what takes its time is seen to take it.
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

/// Each looks at one part. Those that need GStreamer come after the one that starts it.
private let examinations: [@Sendable () -> [Finding]] = [
    examineGStreamer, examinePlugin, examineRuntime, examineModels, examineKnownAnswers, examineNetwork,
    examineDecoders, examineEncoders,
    examineCameras, examineFonts, examineCache,
]
