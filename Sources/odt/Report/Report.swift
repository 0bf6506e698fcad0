import Glibc
import ODTPlayback
import SwiftODT

let reportSubcommand = Subcommand(
    name: "report", summary: "write a web page about the objects in a video", help: help, work: runReport)

private let help = """
    Writes a web page about the objects in a video: their number by label, when and where they were visible, zone and line
    events, and the best picture of each object. The page is a single file without external resources and can be printed.
    With a database it also plays clips of events, which stay in their own files.

    usage: odt report [options] FILE.jsonl [VIDEO|URI]
           odt report [options] --store FILE.sqlite [PAGE.html]

    FILE.jsonl holds the element's messages, one JSON object per line, as written by odt annotate --json or
    Pipelines/bus-to-json, or with message-format=json; '-' is standard input. The pictures come from VIDEO, which is read once.
    FILE.sqlite is the database of 'odt watch --store'; its pictures come from the recordings of the same watch (--record),
    and its clips are those of the same watch (--clips). A camera with redaction shows only files recorded with it.

      -o FILE        the page; '-' is standard output (default: FILE.jsonl's name with -report.html, in the current folder)
      --csv FILE     write a table with one row per object ('-' is standard output); without -o, VIDEO and PAGE.html, no
                     page is written
      --events-csv FILE
                     write a table with one row per event of zones and lines, likewise
      --title TEXT   the heading (default: the name of VIDEO or FILE.jsonl)
      --zones FILE   the zones that were used, to show them in the picture
      --force        replace an existing page
      --help         show this text

    options for databases:
      --camera NAME  only this camera; repeatable (default: all)
      --from TIME, --to TIME
                     only this period: \(WallTime.form) (default: all)
      --recordings DIR, --clips DIR
                     the folder of the recordings or clips, if they were moved
      --no-pictures  omit the pictures, which need to read all recordings of the period

    examples:
      odt report messages.jsonl street.mp4
      odt report --store events.sqlite --camera front report.html
    """

@Sendable private func runReport(_ arguments: [String]) throws -> Int32 {
    let line = try CommandLineOptions(
        arguments,
        valued: [
            "-o", "--csv", "--events-csv", "--title", "--zones", "--store", "--camera", "--from", "--to",
            "--recordings", "--clips",
        ],
        flags: ["--force", "--no-pictures"])
    if let store = line.text("--store") { return try runReport(ofStore: store, line) }
    let ofStores = ["--camera", "--from", "--to", "--recordings", "--clips", "--no-pictures"]
    if let option = ofStores.first(where: { line.text($0) != nil || line.has($0) }) {
        throw CommandLineError("\(option) needs --store FILE.sqlite.")
    }
    guard let file = line.operands.first else { throw CommandLineError("name a FILE.jsonl or --store FILE.sqlite.") }
    guard line.operands.count <= 2 else { throw CommandLineError("unexpected operand '\(line.operands[2])'.") }
    let video = line.operands.dropFirst().first
    let page = try page(
        line, or: file == "-" ? "report.html" : FilePath.stem(of: file) + "-report.html")
    let zones = try line.text("--zones").map(Zone.list(named:)) ?? []
    // The video is checked first, because reading the messages takes longer.
    let source = try video.map(MediaSource.init)
    var (observations, isCutOff) = try observe(file, line)
    if isCutOff {
        printError("odt report: the last line of \(file) is incomplete, as after an interruption; it is ignored.")
    }
    let shown = video ?? (file == "-" ? "Report" : file)
    // The path and the query of a URI can contain a password.
    let title =
        line.text("--title")
        ?? (MediaSource.isAddress(shown) ? CameraPlan.derivedName(of: shown) : FilePath.stem(of: shown))
    guard let tracks = try writeTables(&observations, line) else { return ExitCode.success }
    let data = ReportData(
        title: title, file: publicName(file), video: video.map(publicName), observations: observations, zones: zones,
        clips: [], isCutOff: isCutOff)
    let pictures = try source.flatMap { try extractPictures(of: tracks, in: $0, observations) }
    return try write(data, tracks, pictures, to: page)
}

/// Writes a report from the messages of a period that `odt watch` has stored in a database.
private func runReport(ofStore store: String, _ line: CommandLineOptions) throws -> Int32 {
    guard line.operands.count <= 1 else {
        throw CommandLineError("unexpected operand '\(line.operands[1])': with --store, pictures come from recordings.")
    }
    if let operand = line.operands.first, line.text("-o") != nil {
        throw CommandLineError("the page is named twice: leave out '\(operand)' or -o.")
    }
    let page = try page(line, or: line.operands.first ?? FilePath.stem(of: store) + "-report.html")
    let zones = try line.text("--zones").map(Zone.list(named:)) ?? []
    let choice = StoredMessages.Choice(
        cameras: line.texts("--camera"), from: try moment("--from", line) ?? .min, to: try moment("--to", line) ?? .max)
    guard choice.from <= choice.to else { throw CommandLineError("--from is later than --to.") }
    var messages = try StoredMessages(store, choice)
    var observations = Observations(for: line)
    try messages.forEach { try observations.add($0) }
    guard !observations.isEmpty else { throw ReportError("\(store) has no messages in this period") }
    observations.finish()
    let title = line.text("--title") ?? messages.cameras.joined(separator: ", ")
    guard let tracks = try writeTables(&observations, line) else { return ExitCode.success }
    let data = ReportData(
        title: title, file: publicName(store), video: nil, observations: observations, zones: zones,
        clips: try clips(messages, observations, page, line), isCutOff: false)
    let pictures = line.has("--no-pictures") ? nil : try pictures(of: tracks, messages, observations, line)
    return try write(data, tracks, pictures, to: page)
}

/// Writes the page and returns the exit code. If a signal interrupted the extraction of pictures, writes nothing.
private func write(_ data: ReportData, _ tracks: [ObservedTrack], _ pictures: BestPictures?, to page: String) throws
    -> Int32
{
    if let signal = pictures?.signal { return 128 + signal }
    let html = ReportPage.html(
        title: data.title, data: data.json(tracks), hasClips: !data.clips.isEmpty, frame: pictures?.frame,
        pictures: pictures?.pictures ?? [])
    try ByteStream.write(html, to: page)
    if page != "-" { print("\(page): open it in a web browser") }
    return ExitCode.success
}

/// Returns the best pictures from the video of the messages; `nil` if it is unknown which of several recordings is this
/// video.
private func extractPictures(of tracks: [ObservedTrack], in video: MediaSource, _ observations: Observations) throws
    -> BestPictures?
{
    let (name, source) = (video.addressWithoutPassword, CameraPlan.derivedName(of: video.name))
    guard let shown = observations.place(ofVideo: source) else {
        printError(
            "odt report: no pictures: it is unknown which of several recordings in the messages is \(name); use only "
                + "messages about it")
        return nil
    }
    let pictures = try BestPictures(of: tracks, in: video, showing: shown, observations)
    let missing = pictures.missingCount
    if missing > 0, pictures.signal == nil {
        printError(
            "odt report: \(missing) of \(CountText.text(tracks.count, "object")) \(missing == 1 ? "is" : "are") not in \(name)"
                + (observations.hasOneRecording
                    ? ": is it the video of these messages?" : ", which shows only the source '\(source)'"))
    }
    return pictures
}

/// Returns the best pictures from the recorded segments that the database lists; `nil` if the database lists no
/// segment.
private func pictures(
    of tracks: [ObservedTrack], _ messages: StoredMessages, _ observations: Observations, _ line: CommandLineOptions
) throws -> BestPictures? {
    var segments = try messages.segments()
    // Reading the recordings takes long.
    try messages.end()
    if segments.isEmpty { return nil }
    if let folder = line.text("--recordings") {
        for place in segments.indices {
            segments[place].file = ReportClips.moved(segments[place].file, of: segments[place].camera, to: folder)
        }
    }
    segments.removeAll { messages.filters[$0.camera]?.permits($0.file) != true }
    let pictures = BestPictures(of: tracks, in: segments, observations)
    if pictures.missingCount > 0, pictures.signal == nil {
        printError(
            "odt report: \(pictures.missingCount) of \(tracks.count) objects have no picture: their best frame is outside the "
                + "period, or its recording is unfinished, deleted, moved (--recordings DIR), or not known to have the "
                + "redaction of the camera")
    }
    return pictures
}

/// Returns the clips in the database. Clips whose files are missing or must not be shown are omitted.
private func clips(
    _ messages: StoredMessages, _ observations: Observations, _ page: String, _ line: CommandLineOptions
) throws -> [ReportClip] {
    let clips = try ReportClips(messages, observations, in: line.text("--clips"), of: page)
    if clips.missingCount > 0 {
        printError("odt report: \(CountText.text(clips.missingCount, "clip")) deleted or moved (--clips DIR)")
    }
    if clips.hiddenCount > 0 {
        printError(
            "odt report: \(CountText.text(clips.hiddenCount, "clip")) not linked: recorded without the redaction that the "
                + "camera has now")
    }
    return clips.clips
}

/// Writes the tables. Returns the tracks of the page, after reducing `observations` to them; `nil` if no page is written.
private func writeTables(_ observations: inout Observations, _ line: CommandLineOptions) throws -> [ObservedTrack]? {
    let tables = ReportTables(observations: observations)
    if let file = line.text("--csv") {
        try ByteStream.write(Array(tables.objects(observations.tracks).utf8), to: file)
    }
    if let file = line.text("--events-csv") { try ByteStream.write(Array(tables.events.utf8), to: file) }
    if hasOnlyTables(line) { return nil }
    observations.limitTracks()
    return observations.tracks
}

private func hasOnlyTables(_ line: CommandLineOptions) -> Bool {
    (line.text("--csv") ?? line.text("--events-csv")) != nil && line.text("-o") == nil && line.operands.count < 2
        && (line.text("--store") == nil || line.operands.isEmpty)
}

private func moment(_ option: String, _ line: CommandLineOptions) throws -> Int64? {
    guard let text = line.text(option) else { return nil }
    guard let time = WallTime.milliseconds(of: text) else {
        throw CommandLineError("\(option) must be a time such as \(WallTime.form), not '\(text)'.")
    }
    return time
}

/// Returns the path of the page. Throws an error if an output must not be written (``ByteStream/check``).
private func page(_ line: CommandLineOptions, or usual: String) throws -> String {
    let page = line.text("-o") ?? usual
    let tables = ["--csv", "--events-csv"].compactMap { line.text($0) }
    let outputs = tables + (hasOnlyTables(line) ? [] : [page])
    // With --store, the operand is the page.
    let inputs =
        (line.text("--store") == nil ? line.operands : []) + ["--zones", "--store"].compactMap { line.text($0) }
    try ByteStream.check(outputs: outputs, inputs: inputs, mayReplace: line.has("--force"))
    return page
}

extension Observations {
    fileprivate init(for line: CommandLineOptions) {
        self.init(keepsAllTracks: line.text("--csv") != nil, keepsAllEvents: line.text("--events-csv") != nil)
    }
}

/// Reads a file of messages. `isCutOff` is whether the last line of the file is incomplete.
private func observe(_ file: String, _ line: CommandLineOptions) throws -> (Observations, isCutOff: Bool) {
    var lines = try LineStream(file)
    var observations = Observations(for: line)
    var isCutOff = false
    while let text = try lines.next() {
        if text.allSatisfy({ $0 == 0x20 || $0 == 0x0D || $0 == 0x09 }) { continue }
        do {
            if let message = try ParsedMessage(text) { try observations.add(message) }
        } catch  where !lines.isWhole && !observations.isEmpty {
            isCutOff = true
        } catch let error as JSONValue.SyntaxError {
            // An error in the first line suggests another kind of file, such as the video.
            let advice = lines.number == 1 ? "; name the file of odt annotate --json first, then the video" : ""
            throw ReportError("\(file):\(lines.number): invalid JSON: \(error.reason)\(advice)")
        } catch {
            throw ReportError("\(file):\(lines.number): \(error)")
        }
    }
    guard lines.number > 0 else {
        throw ReportError("\(file) is empty; odt annotate --json \(file) writes messages to it")
    }
    guard !observations.isEmpty else {
        throw ReportError("\(file) has no swiftodt message in its \(CountText.text(lines.number, "line"))")
    }
    observations.finish()
    return (observations, isCutOff)
}

/// Returns a file name or URI without folders, user name, password and query, because the page may be published.
private func publicName(_ place: String) -> String {
    guard let scheme = place.firstRange(of: "://") else {
        return place.split(separator: "/").last.map(String.init) ?? place
    }
    let rest = place[scheme.upperBound...].prefix { $0 != "?" && $0 != "#" }
    let end = rest.firstIndex(of: "/") ?? rest.endIndex
    let host = rest[..<end].lastIndex(of: "@").map { rest[rest.index(after: $0)...] } ?? rest
    return String(place[..<scheme.upperBound] + host)
}
