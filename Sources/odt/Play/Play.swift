import Glibc
import Playback
import SwiftODT

let playSubcommand = Subcommand(
    name: "play", summary: "show a video or camera with its objects in a window", help: help, work: runPlay)

private let help = """
    Shows a video or camera with its objects in a window, at its own speed. To end, close the window or press Ctrl-C.

    usage: odt play [options] FILE|URI|CAMERA    ('-' is standard input)

      --zones FILE       count objects in the zones and at the lines of FILE (made with odt zones)
      --set NAME=VALUE   set a property of the element; repeatable; gst-inspect-1.0 swiftodt lists the properties
                         (default: multiple-objects=true and max-objects=100): --set label-allowlist=person
      --sink NAME        GStreamer element that shows the video (default: autovideosink, which needs a display)
      --help             show this text

    examples:
      odt play street.mp4
      odt play --set detector=motion /dev/video0
    """

@Sendable private func runPlay(_ arguments: [String]) throws -> Int32 {
    let line = try CommandLineOptions(arguments, valued: ["--zones", "--set", "--sink"], flags: [])
    guard line.operands.count == 1 else { throw CommandLineError("name one video, URI or camera.") }
    let source = try MediaSource(StandardInput.videoPath(of: line.operands[0]))
    guard line.text("--sink") != nil || hasDisplay else {
        throw PlaybackError(
            "there is no display (DISPLAY and WAYLAND_DISPLAY are unset): use odt annotate to write a video, or "
                + "odt watch --page 8080 to see it in a browser")
    }
    do { return try play(source, line) } catch let error as PlaybackError where error.isUsage {
        throw CommandLineError(error.description)
    }
}

private var hasDisplay: Bool {
    let names: [String] = ["DISPLAY", "WAYLAND_DISPLAY"]
    return names.contains { name in getenv(name).map { $0.pointee != 0 } ?? false }
}

private func play(_ source: MediaSource, _ line: CommandLineOptions) throws -> Int32 {
    try PluginSearch.start()
    let sink = line.text("--sink") ?? "autovideosink"
    guard Element.isThere(sink) else {
        throw CommandLineError("--sink: GStreamer has no element '\(sink)'; gst-inspect-1.0 lists them.")
    }
    _ = TerminationHandler.shared
    let pipeline = try Pipeline(
        "\(source.description) ! videoconvert ! videoflip video-direction=auto ! swiftodt name=swiftodt "
            + "multiple-objects=true max-objects=100 ! videoconvert ! \(sink)")
    source.give(to: pipeline)
    let element = pipeline["swiftodt"]
    if let zones = line.text("--zones") {
        _ = try Zone.list(named: zones)
        try PropertySetting.set("zones=\(zones)", of: element)
    }
    for setting in line.texts("--set") { try PropertySetting.set(setting, of: element) }
    guard let pad = element.pad("sink") else { throw PlaybackError("swiftodt has no sink pad") }
    let watchdog = FrameWatchdog()
    watchdog.attach(at: pad)
    var configuration = Player.Configuration()
    configuration.hasBegun = { watchdog.isThere }
    configuration.end = { pad.endStream() }
    let player = Player(pipeline, configuration) { printError("odt play: \($0)") }
    let ending = player.play { _ in }
    player.stop()
    if let failure = ending.failure, ending.signal == nil, !failure.contains("window was closed") {
        printError("odt play: \(source.explained(failure))")
        return ExitCode.failure
    }
    return ExitCode.success
}
