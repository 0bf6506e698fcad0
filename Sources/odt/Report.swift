import Glibc
import Playback
import SwiftODT

let reportSubcommand = Subcommand(
    name: "report", summary: "a web page on what was seen in a video", help: help, work: runReport)

private let help = """
    Writes a web page on what was seen in a video: how many of what, when, for how long and where, who entered or crossed what,
    and each object's best picture. The page is one file that needs no network and prints well.

    usage: odt report [options] FILE.jsonl [VIDEO|ADDRESS]

    FILE.jsonl is what Pipelines/record and Pipelines/bus-to-json write, or what swiftodt says with message-format=json, one
    message a line; '-' is the standard input. The pictures come from VIDEO, which is read once from its beginning.

      -o FILE        the page (FILE.jsonl's name with -report.html, in this folder); '-' is the standard output
      --title TEXT   its heading (VIDEO's name, or FILE.jsonl's)
      --zones FILE   the zones that were set, to show them in the picture
      --force        replace a page that is there
      --help         this text
    """

@Sendable private func runReport(_ arguments: [String]) throws -> Int32 {
    let line = try CommandLineOptions(arguments, valued: ["-o", "--title", "--zones"], flags: ["--force"])
    guard let file = line.operands.first else { throw CommandLineError("no file of messages is named.") }
    guard line.operands.count <= 2 else { throw CommandLineError("'\(line.operands[2])' is one word too many.") }
    let video = line.operands.dropFirst().first
    let page = line.text("-o") ?? (file == "-" ? "report.html" : FilePath.stem(of: file) + "-report.html")
    if page != "-", PathText.withSystemPath(page, { access($0, F_OK) }) == 0, !line.has("--force") {
        throw CommandLineError("\(page) is there already; --force replaces it, -o names another.")
    }
    let zones = try line.text("--zones").map(Zone.list(named:)) ?? []
    // Before the messages are read, which takes longer.
    let source = try video.map(MediaSource.init)
    let (observations, isCutOff) = try observe(file)
    if isCutOff {
        complain("odt report: the last line of \(file) is cut off, as interrupted recordings end; it is left out.")
    }
    let title = line.text("--title") ?? FilePath.stem(of: video ?? (file == "-" ? "Report" : file))
    let data = ReportData(
        title: title, file: publicName(file), video: video.map(publicName), observations: observations, zones: zones,
        isCutOff: isCutOff)
    let tracks = observations.tracks
    let pictures = try source.map { try BestPictures(of: tracks, in: $0, observations) }
    if let signal = pictures?.signal { return 128 + signal }
    if let missing = pictures?.missingCount, missing > 0 {
        complain(
            "odt report: \(missing) of \(tracks.count) objects are not in \(video ?? ""): is it the video of these messages?"
        )
    }
    let html = ReportPage.html(
        title: title, data: data.json(tracks), frame: pictures?.frame, pictures: pictures?.pictures ?? [])
    try ByteStream.write(html, to: page)
    if page != "-" { print("\(page): open it in a web browser") }
    return ExitCode.success
}

/// Adds a file's messages up; also says whether its last line is cut off.
private func observe(_ file: String) throws -> (Observations, isCutOff: Bool) {
    var lines = try LineStream(file)
    var observations = Observations()
    var isCutOff = false
    while let line = try lines.next() {
        if line.allSatisfy({ $0 == 0x20 || $0 == 0x0D || $0 == 0x09 }) { continue }
        do {
            if let message = try SaidMessage(line) { try observations.add(message) }
        } catch  where !lines.isWhole && !observations.isEmpty {
            isCutOff = true
        } catch let error as JSONValue.SyntaxError {
            throw ReportError("\(file):\(lines.number): is no line of JSON: \(error.reason)")
        } catch {
            throw ReportError("\(file):\(lines.number): \(error)")
        }
    }
    guard lines.number > 0 else {
        throw ReportError("\(file) is empty; Pipelines/bus-to-json -o \(file) writes messages into it")
    }
    guard !observations.isEmpty else {
        throw ReportError("\(file) has no message of swiftodt in its \(lines.number) lines")
    }
    observations.finish()
    return (observations, isCutOff)
}

/// What a page that is passed on may say of where something came from: neither folders nor passwords.
private func publicName(_ place: String) -> String {
    guard let scheme = place.firstRange(of: "://") else {
        return place.split(separator: "/").last.map(String.init) ?? place
    }
    let rest = place[scheme.upperBound...].prefix { $0 != "?" && $0 != "#" }
    let end = rest.firstIndex(of: "/") ?? rest.endIndex
    let host = rest[..<end].lastIndex(of: "@").map { rest[rest.index(after: $0)...] } ?? rest
    return String(place[..<scheme.upperBound] + host)
}
