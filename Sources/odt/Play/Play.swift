import Glibc
import ODTPlayback
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
    if line.text("--sink") == nil, let problem = displayProblem {
        throw PlaybackError(
            "\(problem): use odt annotate to write a video, or odt watch --page 8080 to see it in a browser")
    }
    return try convertingUsageErrors { try play(source, line) }
}

/// The reason why no window can be shown; `nil` if no reason was found. The display is checked because some sinks of
/// GStreamer crash if they cannot reach the display.
private var displayProblem: String? {
    if DataFolders.environment("WAYLAND_DISPLAY") != nil { return nil }
    guard let display = DataFolders.environment("DISPLAY") else {
        return "there is no display (DISPLAY and WAYLAND_DISPLAY are unset)"
    }
    // A local display, such as :0 or :0.0, is a socket. Other displays are not checked.
    guard let number = display.dropFirst().split(separator: ".").first, display.hasPrefix(":"),
        number.allSatisfy(\.isNumber), !isListening("/tmp/.X11-unix/X\(number)")
    else { return nil }
    return "the display '\(display)' does not answer (check DISPLAY)"
}

/// Returns whether a server accepts connections to a socket. The function tries the path of the socket, and the
/// abstract name that X servers also use.
private func isListening(_ path: String) -> Bool {
    [path.utf8CString.map(UInt8.init(bitPattern:)), [0] + path.utf8].contains { name in
        let file = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        defer { close(file) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name.prefix($0.count)) }
        let size = socklen_t(MemoryLayout<sa_family_t>.size + name.count)
        return withUnsafeBytes(of: &address) {
            connect(file, $0.baseAddress!.assumingMemoryBound(to: sockaddr.self), size)
        } == 0
    }
}

private func play(_ source: MediaSource, _ line: CommandLineOptions) throws -> Int32 {
    try PluginSearch.start()
    let sink = line.text("--sink") ?? "autovideosink"
    guard Element.isInstalled(sink) else {
        throw CommandLineError("--sink: GStreamer has no element '\(sink)'; gst-inspect-1.0 lists them.")
    }
    _ = TerminationHandler.shared
    let pipeline = try Pipeline(
        "\(source.description) videoconvert name=video ! videoflip video-direction=auto ! swiftodt name=swiftodt "
            + "multiple-objects=true max-objects=100 ! videoconvert ! \(sink)")
    source.setAddress(in: pipeline)
    let element = pipeline["swiftodt"]
    for setting in try line.settings() { try PropertySetting.set(setting, of: element) }
    guard let pad = element.pad("sink") else { throw PlaybackError("swiftodt has no sink pad") }
    let watchdog = FrameWatchdog()
    watchdog.attach(at: pad)
    var configuration = Player.Configuration()
    configuration.hasBegun = { watchdog.hasFirstFrame }
    configuration.end = { pad.endStream() }
    let notify: @Sendable (String) -> Void = { printError("odt play: \($0)") }
    let linker = StreamLinker(videoOf: pipeline, notify: notify)
    defer { withExtendedLifetime(linker) {} }
    let player = Player(pipeline, configuration, notify: notify)
    var ending = player.play { _ in }
    player.stop()
    source.explain(&ending)
    if let failure = ending.failure, ending.signal == nil, !failure.contains("window was closed") {
        printError("odt play: \(failure)")
        return ExitCode.of(ending.reason)
    }
    return ExitCode.success
}
