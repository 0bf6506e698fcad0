import Glibc
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
    // A damaged plugin can crash the process that loads it, so `odt doctor` runs itself in a child process with the
    // internal option `--try PLUGIN`. With this option, the process only loads the plugin and prints the error.
    let line = try CommandLineOptions(arguments, valued: ["--try"], flags: ["--json"])
    if let plugin = line.text("--try") {
        try PluginSearch.startGStreamer()
        print(PluginState.reason(against: plugin) ?? "")
        return ExitCode.success
    }
    guard line.operands.isEmpty else { throw CommandLineError("unexpected operand '\(line.operands[0])'.") }
    var findings: [Finding] = []
    // Some checks take long, so each finding is printed at once.
    for check in installationChecks() {
        guard let result = check.run() else { continue }
        let finding = Finding(part: check.part, result: result)
        if !line.has("--json") { print(finding.text) }
        findings.append(finding)
    }
    let lacking = findings.filter { $0.verdict == "missing" }
    if line.has("--json") {
        print(JSONValue.object(["findings": .array(findings.map(\.json))]).text)
    } else {
        print(
            lacking.isEmpty
                ? "Nothing is missing." : "Missing: \(lacking.map(\.part).joined(separator: ", ")).")
    }
    return lacking.isEmpty ? ExitCode.success : ExitCode.failure
}

enum CheckResult {
    case fine(String)
    /// The part works with restrictions.
    case limited(String, remedy: String)
    case missing(String, remedy: String)
}

private struct Finding {
    let part: String
    let verdict: String
    let detail: String
    let remedy: String?
    private let color: TerminalColor

    init(part: String, result: CheckResult) {
        self.part = part
        switch result {
        case .fine(let detail): (verdict, color, self.detail, remedy) = ("fine", .green, detail, nil)
        case .limited(let detail, let remedy):
            (verdict, color, self.detail, self.remedy) = ("limited", .yellow, detail, remedy)
        case .missing(let detail, let remedy):
            (verdict, color, self.detail, self.remedy) = ("missing", .red, detail, remedy)
        }
    }

    var text: String {
        let line = color.text(padded(verdict, to: 9)) + padded(part, to: 11) + detail
        return remedy.map { line + "\n" + padded("", to: 20) + $0 } ?? line
    }

    var json: JSONValue {
        .object([
            "part": .string(part), "verdict": .string(verdict), "detail": .string(detail),
            "remedy": remedy.map(JSONValue.string) ?? .null,
        ])
    }
}

private enum TerminalColor: Int {
    case red = 31
    case green = 32
    case yellow = 33

    /// Whether to print colours. The environment variable `NO_COLOR` turns colours off (no-color.org).
    static let isUsed: Bool = {
        func value(_ name: String) -> String { getenv(name).map { String(cString: $0) } ?? "" }
        return isatty(STDOUT_FILENO) != 0 && !["", "dumb"].contains(value("TERM")) && value("NO_COLOR").isEmpty
    }()

    func text(_ text: String) -> String { Self.isUsed ? "\u{1b}[\(rawValue)m\(text)\u{1b}[0m" : text }
}
