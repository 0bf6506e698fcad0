import CVersion
import Glibc
import Playback

/// The subcommands of `odt`, one file each. Add a line here to add one.
let subcommands: [Subcommand] = [
    annotateSubcommand,
    benchSubcommand,
    classifySubcommand,
    detectSubcommand,
    doctorSubcommand,
    modelsSubcommand,
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
        Finds and follows objects in pictures and video.

        usage: odt <subcommand> [options]

        \(lines.joined(separator: "\n"))

        'odt <subcommand> --help' tells more, 'odt --version' which one this is.
        """
}

StandardDescriptors.openMissing()
let words = PathText.arguments()
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
        printError("odt: there is no subcommand '\(name)'.\n\n\(usage())")
        exit(ExitCode.usage)
    }
    let code = subcommand.run(Array(words.dropFirst()))
    flushOutput()
    exit(code)
}
