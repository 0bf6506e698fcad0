import Glibc
import ODTPlayback
import SwiftODT

let zonesSubcommand = Subcommand(
    name: "zones", summary: "draw zones and lines on a frame of a video, in a web browser", help: help, work: runZones)

private let help = """
    Writes a web page with a frame of a video for drawing zones and lines. The page shows the JSON text for the element's
    property zones.

    usage: odt zones [options] VIDEO|PICTURE|URI    ('-' is standard input)
           odt zones --check FILE

      -o FILE        the page; '-' is standard output (default: VIDEO's name with -zones.html, in the current folder)
      --frame N      the frame to show, counted from 1 (default: 25, or the last one)
      --zones FILE   start with the zones of FILE
      --orientation NAME
                     turn the frame, as the element's property orientation: 90r, 180, 90l, horiz, vert, ul-lr, ur-ll, identity
                     (default: as the video's tag says)
      --check FILE   only validate the zones of FILE and list them
      --force        replace an existing page
      --help         show this text

    examples:
      odt zones -o gate.html gate.mp4
    """

@Sendable private func runZones(_ arguments: [String]) throws -> Int32 {
    let line = try CommandLineOptions(
        arguments, valued: ["-o", "--frame", "--zones", "--check", "--orientation"], flags: ["--force"])
    if let file = line.text("--check") { return try check(file) }
    return try writePage(of: StandardInput.videoPath(of: line.video()), line)
}

private func check(_ file: String) throws -> Int32 {
    let zones = try Zone.list(named: file)
    if zones.isEmpty { print("no zones") }
    for zone in zones {
        print(
            padded(zone.name, to: 20), padded(zone.kind.rawValue, to: 8), "\(zone.points.count) points",
            zone.labels.isEmpty ? "" : zone.labels.sorted().joined(separator: ", "))
    }
    return ExitCode.success
}

private func writePage(of video: String, _ line: CommandLineOptions) throws -> Int32 {
    // The path and the query of a URI can contain a password.
    let name = MediaSource.isAddress(video) ? CameraPlan.derivedName(of: video) : FilePath.stem(of: video)
    let page = line.text("-o") ?? name + "-zones.html"
    let orientation = line.text("--orientation")
    let frame = try line.wholeNumber("--frame", in: 1...1_000_000) ?? 25
    try ByteStream.check(
        outputs: [page], inputs: [video, line.text("--zones")].compactMap { $0 }, mayReplace: line.has("--force"))
    let zones = try line.text("--zones").map { file in
        _ = try Zone.list(named: file)
        return try FileBytes.read(file, limit: 4 << 20)
    }
    if let orientation, Orientation(nick: orientation) == nil {
        throw CommandLineError(
            "--orientation must be 90r, 180, 90l, horiz, vert, ul-lr, ur-ll or identity, not '\(orientation)'.")
    }
    guard let picture = try VideoFrame.jpeg(of: video, number: frame, orientation: orientation) else {
        return 128 + (TerminationHandler.shared.signal ?? SIGINT)
    }
    try ByteStream.write(ZonePage.html(picture: picture, zones: zones), to: page)
    if page != "-" { print("\(page): open it in a web browser") }
    return ExitCode.success
}

/// The web page for drawing zones. The page contains the frame and sends no requests.
enum ZonePage {
    /// - Parameters:
    ///   - picture: The frame as a JPEG file.
    ///   - zones: The JSON text of the initial zones; `nil` for none.
    static func html(picture: [UInt8], zones: [UInt8]?) -> [UInt8] {
        let start = zones.map { String(decoding: $0, as: UTF8.self) } ?? "[]"
        // `<` is escaped, because `</script>` in a text would end the script element.
        let safe = start.split(separator: "<", omittingEmptySubsequences: false).joined(separator: "\\u003c")
        var page = PackageResources.zones_head_html
        page += "<img id=picture alt=\"a frame of the video\" src=\"data:image/jpeg;base64,".utf8
        page += Base64.text(picture).utf8
        page += "\">".utf8
        page += PackageResources.zones_body_html
        page += "<script>const START = \(safe);\n".utf8
        page += PackageResources.zones_editor_js
        return page + "</script>\n".utf8
    }
}
