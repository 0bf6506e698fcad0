import Glibc
import Playback
import SwiftODT

let reportSubcommand = Subcommand(
    name: "report", summary: "a web page on what was seen in a video", help: help, work: runReport)

private let help = """
    Writes a web page on what was seen in a video: how many of what, when, for how long and where, who entered or crossed what,
    and each object's best picture. The page is one file that needs no network and prints well.

    usage: odt report [options] FILE.jsonl [VIDEO|ADDRESS]
           odt report [options] --store FILE.sqlite [PAGE.html]

    FILE.jsonl is what Pipelines/record and Pipelines/bus-to-json write, or what swiftodt says with message-format=json, one
    message a line; '-' is the standard input. The pictures come from VIDEO, which is read once from its beginning.
    FILE.sqlite is what 'odt watch --store' keeps; its pictures come from what the same watch recorded (--record).

      --camera NAME  of a store, one camera alone; more than once if need be
      --from TIME, --to TIME
                     of a store, no more than this: \(WallTime.form)
      --recordings DIR
                     of a store, where the recorded video is now, if it was moved
      --no-pictures  of a store: leave out the pictures, for which all recorded video of that time is read
      -o FILE        the page (FILE.jsonl's name with -report.html, in this folder); '-' is the standard output
      --title TEXT   its heading (VIDEO's name, or FILE.jsonl's)
      --zones FILE   the zones that were set, to show them in the picture
      --force        replace a page that is there
      --help         this text
    """

@Sendable private func runReport(_ arguments: [String]) throws -> Int32 {
    let line = try CommandLineOptions(
        arguments, valued: ["-o", "--title", "--zones", "--store", "--camera", "--from", "--to", "--recordings"],
        flags: ["--force", "--no-pictures"])
    if let store = line.text("--store") { return try runReport(ofStore: store, line) }
    let ofStores = ["--camera", "--from", "--to", "--recordings", "--no-pictures"]
    if let option = ofStores.first(where: { line.text($0) != nil || line.has($0) }) {
        throw CommandLineError("\(option) belongs to a store: --store FILE.sqlite names it.")
    }
    guard let file = line.operands.first else { throw CommandLineError("no file of messages is named.") }
    guard line.operands.count <= 2 else { throw CommandLineError("'\(line.operands[2])' is one word too many.") }
    let video = line.operands.dropFirst().first
    let page = try page(
        line, or: file == "-" ? "report.html" : FilePath.stem(of: file) + "-report.html")
    let zones = try line.text("--zones").map(Zone.list(named:)) ?? []
    // Before the messages are read, which takes longer.
    let source = try video.map(MediaSource.init)
    let (observations, isCutOff) = try observe(file)
    if isCutOff {
        printError("odt report: the last line of \(file) is cut off, as interrupted recordings end; it is left out.")
    }
    let title = line.text("--title") ?? FilePath.stem(of: video ?? (file == "-" ? "Report" : file))
    let data = ReportData(
        title: title, file: publicName(file), video: video.map(publicName), observations: observations, zones: zones,
        isCutOff: isCutOff)
    let tracks = observations.tracks
    let pictures = try source.map { try BestPictures(of: tracks, in: $0, observations) }
    if let signal = pictures?.signal { return 128 + signal }
    if let missing = pictures?.missingCount, missing > 0 {
        printError(
            "odt report: \(missing) of \(CountText.text(tracks.count, "object")) \(missing == 1 ? "is" : "are") not in \(video ?? ""): is it the video of these messages?"
        )
    }
    let html = ReportPage.html(
        title: title, data: data.json(tracks), frame: pictures?.frame, pictures: pictures?.pictures ?? [])
    try ByteStream.write(html, to: page)
    if page != "-" { print("\(page): open it in a web browser") }
    return ExitCode.success
}

/// Draws what a store holds of some hours.
private func runReport(ofStore store: String, _ line: CommandLineOptions) throws -> Int32 {
    guard line.operands.count <= 1 else {
        throw CommandLineError("'\(line.operands[1])' is one word too many: a store has no video.")
    }
    if let operand = line.operands.first, line.text("-o") != nil {
        throw CommandLineError("'\(operand)' and -o both name the page.")
    }
    let page = try page(line, or: line.operands.first ?? FilePath.stem(of: store) + "-report.html")
    let zones = try line.text("--zones").map(Zone.list(named:)) ?? []
    let choice = StoredMessages.Choice(
        cameras: line.texts("--camera"), from: try moment("--from", line) ?? .min, to: try moment("--to", line) ?? .max)
    guard choice.from <= choice.to else { throw CommandLineError("--from is later than --to.") }
    var messages = try StoredMessages(store, choice)
    var observations = Observations()
    try messages.forEach { try observations.add($0) }
    guard !observations.isEmpty else { throw ReportError("\(store) has nothing of that time") }
    observations.finish()
    let title = line.text("--title") ?? messages.cameras.joined(separator: ", ")
    let data = ReportData(
        title: title, file: publicName(store), video: nil, observations: observations, zones: zones, isCutOff: false)
    let tracks = observations.tracks
    let pictures = line.has("--no-pictures") ? nil : try pictures(of: tracks, messages, observations, line)
    if let signal = pictures?.signal { return 128 + signal }
    let html = ReportPage.html(
        title: title, data: data.json(tracks), frame: pictures?.frame, pictures: pictures?.pictures ?? [])
    try ByteStream.write(html, to: page)
    if page != "-" { print("\(page): open it in a web browser") }
    return ExitCode.success
}

/// The tracks' pictures from the recorded segments that a store knows; `nil` where it knows none.
private func pictures(
    of tracks: [ObservedTrack], _ messages: StoredMessages, _ observations: Observations, _ line: CommandLineOptions
) throws -> RecordedPictures? {
    var segments = try messages.segments()
    if segments.isEmpty { return nil }
    if let folder = line.text("--recordings") {
        for place in segments.indices {
            let name = segments[place].file.split(separator: "/").last ?? ""
            segments[place].file = "\(folder)/\(segments[place].camera)/\(name)"
        }
    }
    let pictures = RecordedPictures(of: tracks, in: segments, observations)
    if pictures.missingCount > 0, pictures.signal == nil {
        printError(
            "odt report: \(pictures.missingCount) of \(tracks.count) objects have no picture: their video is not finished, was deleted, "
                + "or was moved (--recordings DIR)")
    }
    return pictures
}

private func moment(_ option: String, _ line: CommandLineOptions) throws -> Int64? {
    guard let text = line.text(option) else { return nil }
    guard let time = WallTime.milliseconds(of: text) else {
        throw CommandLineError("\(option) is a time such as \(WallTime.form), not '\(text)'.")
    }
    return time
}

/// What the page is to be called.
///
/// - Throws: ``CommandLineError`` where there is one of that name already.
private func page(_ line: CommandLineOptions, or usual: String) throws -> String {
    let page = line.text("-o") ?? usual
    guard page == "-" || !PathText.isThere(page) || line.has("--force") else {
        throw CommandLineError("\(page) is there already; --force replaces it, -o names another.")
    }
    return page
}

/// Adds a file's messages up; also says whether its last line is cut off.
private func observe(_ file: String) throws -> (Observations, isCutOff: Bool) {
    var lines = try LineStream(file)
    var observations = Observations()
    var isCutOff = false
    while let line = try lines.next() {
        if line.allSatisfy({ $0 == 0x20 || $0 == 0x0D || $0 == 0x09 }) { continue }
        do {
            if let message = try ParsedMessage(line) { try observations.add(message) }
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
        throw ReportError("\(file) has no message of swiftodt in its \(CountText.text(lines.number, "line"))")
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
