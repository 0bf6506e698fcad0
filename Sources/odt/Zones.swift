import Glibc
import SwiftODT

let zonesSubcommand = Subcommand(
    name: "zones", summary: "draw zones and lines on a frame of a video, in a web browser", help: help, work: runZones)

private let help = """
    Writes a web page with a frame of a video, on which zones and lines are drawn by clicking; it shows the JSON text that the
    element's property zones takes.

    usage: odt zones [options] VIDEO|PICTURE|ADDRESS

      -o FILE        the page (VIDEO's name with -zones.html, in this folder); '-' is the standard output
      --frame N      which frame to show, counted from 1 (25, or the last one)
      --zones FILE   zones to begin with
      --check FILE   only say whether these zones are right, and list them; no video then
      --force        replace a page that is there
      --help         this text
    """

@Sendable private func runZones(_ arguments: [String]) throws -> Int32 {
    let line = try CommandLineOptions(
        arguments, valued: ["-o", "--frame", "--zones", "--check"], flags: ["--force"])
    if let file = line.text("--check") { return try check(file) }
    guard let video = line.operands.first, line.operands.count == 1 else {
        throw CommandLineError(line.operands.isEmpty ? "no video is named." : "one video at a time.")
    }
    return try writePage(of: video, line)
}

private func check(_ file: String) throws -> Int32 {
    for zone in try Zone.list(named: file) {
        print(
            padded(zone.name, to: 20), padded(zone.kind.rawValue, to: 8), "\(zone.points.count) points",
            zone.labels.isEmpty ? "" : zone.labels.sorted().joined(separator: ", "))
    }
    return ExitCode.success
}

private func writePage(of video: String, _ line: CommandLineOptions) throws -> Int32 {
    let page = line.text("-o") ?? FilePath.stem(of: video) + "-zones.html"
    let frame = try line.wholeNumber("--frame", in: 1...1_000_000) ?? 25
    if access(page, F_OK) == 0, !line.has("--force") {
        throw CommandLineError("\(page) is there already; --force replaces it, -o names another.")
    }
    let zones = try line.text("--zones").map { file in
        _ = try Zone.list(named: file)
        return try FileBytes.read(file, limit: 4 << 20)
    }
    let picture = try VideoFrame.jpeg(of: video, number: frame)
    try ByteStream.write(Array(ZonePage.html(picture: picture, zones: zones).utf8), to: page)
    if page != "-" { print("\(page): open it in a web browser") }
    return ExitCode.success
}
