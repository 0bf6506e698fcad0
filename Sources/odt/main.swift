import CODTVersion
import Glibc
import ODTPlayback
import SwiftODT

let subcommands: [Subcommand] = [
    annotateSubcommand,
    benchSubcommand,
    classifySubcommand,
    detectSubcommand,
    doctorSubcommand,
    modelsSubcommand,
    playSubcommand,
    reportSubcommand,
    setupSubcommand,
    trackSubcommand,
    watchSubcommand,
    zonesSubcommand,
]

func usage() -> String {
    let width = subcommands.map(\.name.count).max() ?? 0
    let lines = subcommands.map { subcommand in
        "  " + padded(subcommand.name, to: width + 2) + subcommand.summary
    }
    return """
        Detects and tracks objects in pictures and video.

        usage: odt <subcommand> [options]

        \(lines.joined(separator: "\n"))

        Run 'odt <subcommand> --help' for the options of a subcommand, 'odt --version' for the version.
        """
}

StandardDescriptors.openMissing()
// A write beyond the file size limit is then an error, which names the file.
signal(SIGXFSZ, SIG_IGN)
var words = PathText.arguments()
// `odt help SUBCOMMAND` is `odt SUBCOMMAND --help`.
if words.count > 1, words[0] == "help" { words = [words[1], "--help"] }
switch words.first {
case nil:
    printError(usage())
    exit(ExitCode.usage)
case "help", "--help", "-h":
    print(usage())
case "--version":
    print("odt \(SWIFTODT_VERSION)")
case let name?:
    guard let subcommand = subcommands.first(where: { $0.name == name }) else {
        let meant = spellingSuggestion(for: name, in: subcommands.map(\.name)).map { "; \($0)" }
        printError("odt: unknown subcommand '\(name)'\(meant ?? ".")\n\n\(usage())")
        exit(ExitCode.usage)
    }
    let code = subcommand.run(Array(words.dropFirst()))
    flushOutput()
    exit(code)
}
