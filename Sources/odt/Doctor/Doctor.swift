import Glibc
import ODTPlayback
import SwiftODT

let doctorSubcommand = Subcommand(
    name: "doctor", summary: "check the installation and suggest remedies", help: help, work: runDoctor)

private let help = """
    Checks each part of the installation and prints a remedy for each problem.

    usage: odt doctor [--json]

    Checks GStreamer, the swiftodt plugin, the OpenVINO runtime, the default models and the integrity of their files, the
    known-answer tests of the models, the time of one inference, decoders and encoders, cameras, fonts and the cache of
    compiled networks, to which the tests can add networks. Nothing else is changed.

      --json           print all findings as one line of JSON
      --help           show this text

    Each line is 'fine', 'limited' (works with restrictions) or 'missing'. The exit code is 1 if something is missing.

    examples:
      odt doctor
    """

@Sendable private func runDoctor(_ arguments: [String]) throws -> Int32 {
    // A damaged library can crash the process that loads it, so `odt doctor` runs itself in a child process with an
    // internal option. With this option, the process only loads the plugin or the runtime and prints the error.
    let line = try CommandLineOptions(arguments, valued: ["--try"], flags: ["--json", "--try-runtime"])
    if line.has("--try-runtime") {
        do { _ = try InferenceRuntime.find() } catch { print("\(error)") }
        return ExitCode.success
    }
    if let plugin = line.text("--try") {
        try PluginSearch.startGStreamer()
        print(PluginState.reason(against: plugin) ?? "")
        return ExitCode.success
    }
    guard line.operands.isEmpty else { throw CommandLineError("unexpected operand '\(line.operands[0])'.") }
    var findings: [(part: String, result: CheckResult)] = []
    // Some checks take long, so each finding is printed at once.
    for check in installationChecks() {
        guard let result = check.run() else { continue }
        if !line.has("--json") {
            print(result.text(of: check.part))
            flushOutput()
        }
        findings.append((check.part, result))
    }
    let lacking = findings.filter { $0.result.verdict == .missing }
    if line.has("--json") {
        print(JSONValue.object(["findings": .array(findings.map { $1.json(of: $0) })]).text)
    } else {
        print(
            lacking.isEmpty
                ? "Nothing is missing." : "Missing: \(lacking.map(\.part).joined(separator: ", ")).")
    }
    return lacking.isEmpty ? ExitCode.success : ExitCode.failure
}

struct CheckResult {
    enum Verdict: String {
        case fine, missing
        /// The part works with restrictions.
        case limited

        /// The ANSI code of the verdict's color: green, red or yellow.
        fileprivate var color: Int { self == .fine ? 32 : self == .missing ? 31 : 33 }
    }

    let verdict: Verdict
    let detail: String
    var remedy: String?

    static func fine(_ detail: String) -> CheckResult { CheckResult(verdict: .fine, detail: detail) }
    static func limited(_ detail: String, remedy: String) -> CheckResult {
        CheckResult(verdict: .limited, detail: detail, remedy: remedy)
    }
    static func missing(_ detail: String, remedy: String) -> CheckResult {
        CheckResult(verdict: .missing, detail: detail, remedy: remedy)
    }

    fileprivate func text(of part: String) -> String {
        let word = padded(verdict.rawValue, to: 9)
        let line = (usesColors ? "\u{1b}[\(verdict.color)m\(word)\u{1b}[0m" : word) + padded(part, to: 11) + detail
        return remedy.map { line + "\n" + padded("", to: 20) + $0 } ?? line
    }

    fileprivate func json(of part: String) -> JSONValue {
        .object([
            "part": .string(part), "verdict": .string(verdict.rawValue), "detail": .string(detail),
            "remedy": remedy.map(JSONValue.string) ?? .null,
        ])
    }
}

/// Whether to print colors. The environment variable `NO_COLOR` turns colors off (no-color.org).
private let usesColors: Bool = {
    isatty(STDOUT_FILENO) != 0 && ![nil, "dumb"].contains(DataFolders.environment("TERM"))
        && DataFolders.environment("NO_COLOR") == nil
}()
