import Glibc
import Playback
import SwiftODT

let watchSubcommand = Subcommand(
    name: "watch", summary: "watch cameras for as long as they are there, and say what they see", help: help,
    work: runWatch)

private let help = """
    Watches cameras, day and night, and says what they see. One that goes away is asked again until it is back.

    usage: odt watch [options] SOURCE...
           odt watch [options] NAME=SOURCE...
           odt watch [options] --config FILE

    SOURCE is a camera's address (rtsp://..., https://...), a camera of this machine (/dev/video0) or a file, which is watched to its end.
    NAME is what it is called in all that is said; without one it is called by its host, device or file. What is seen comes as
    lines of JSON on the standard output, each with the camera as "source".

      --config FILE      what to watch and how, in a file: groups [camera NAME] with source= and properties of the element, [cameras] with
                         properties for all of them, [watch] with these options without their dashes
      --set NAME=VALUE   a property of the element, for all cameras, more than once if need be; multiple-objects=true and max-objects=100 are set already
                         (gst-inspect-1.0 swiftodt lists them): --set label-allowlist=person
      --zones FILE       zones and lines to count at (odt zones makes them)
      --json FILE        lines are added to FILE instead
      --quiet            no lines on the standard output
    \(RecordOptions.help)
    \(MQTTOptions.help)
    \(StoreOptions.help)
    \(PageOptions.help)
      --timeout SECONDS  a camera that sends no picture for so long is lost (20)
      --retry SECONDS    the longest pause between attempts to connect: they begin with one second, and double (60)
      --help             this text

    The cameras do not know of each other: what happens to one is not felt by the others. Each time one is connected, lost or over,
    a line says so ("message": "swiftodt-camera"). Tracking ids are of one connection, which every line counts as "session".

    It ends when all files have been seen, or by Ctrl-C, SIGTERM or SIGHUP; a second one ends it at once. The exit code is 0 when all
    went well, 1 when a source could not be watched or no camera was ever reached, 2 when the command line was not understood.

    examples:
      odt watch rtsp://192.168.1.20/stream1
      odt watch --set label-allowlist=person front=rtsp://192.168.1.20/stream1 yard=/dev/video0 | jq .
      odt watch --zones gate.json --json gate.jsonl gate=rtsp://user:secret@gate.local/live
    """

@Sendable private func runWatch(_ arguments: [String]) throws -> Int32 {
    let line = try CommandLineOptions(
        arguments, valued: Set(WatchOptions.valued.map { "--" + $0 } + ["--config", "--set", "--zones"]),
        flags: Set(WatchOptions.flags.map { "--" + $0 }))
    do {
        let file = try line.text("--config").map(WatchConfiguration.init)
        let listed = file?.cameras ?? []
        var cameras = listed + (try CameraPlan.list(line.operands, besides: listed.map(\.name)))
        guard !cameras.isEmpty else { throw CommandLineError("no camera is named.") }
        let settings = try settings(line)
        for number in cameras.indices { cameras[number].settings += settings }
        let plan = try WatchPlan(cameras, WatchOptions(line, file?.options ?? []))
        try PluginSearch.start()
        for camera in cameras { try camera.check(plan.options) { printError("odt watch: \($0)") } }
        _ = TerminationHandler.shared
        return try watch(plan)
    } catch let error as PlaybackError where error.isUsage {
        throw CommandLineError(error.description)
    }
}

/// The properties that are to be set for all, those that options stand for first.
private func settings(_ line: CommandLineOptions) throws -> [CameraSetting] {
    let named = line.texts("--set").map { CameraSetting($0) }
    guard let zones = line.text("--zones") else { return named }
    _ = try Zone.list(named: zones)
    return [CameraSetting("zones=\(zones)")] + named
}

/// Watches all cameras until the last one is over.
///
/// - Returns: the exit code.
private func watch(_ plan: WatchPlan) throws -> Int32 {
    let recording = try RecordOptions(plan.options).map {
        try Recording($0, cameras: plan.cameras.filter(\.isRecorded).map(\.name))
    }
    let sinks = try WatchSinks(plan.options, cameras: plan.cameras.map(\.name)) { printError("odt watch: \($0)") }
    let left = Monitor(plan.cameras.count)
    let (failed, unreached) = (Monitor(0), Monitor(0))
    for camera in plan.cameras.map({ Camera($0, plan, sinks: sinks, recording: recording) }) {
        let watch: @Sendable () -> Void = {
            switch camera.watch() {
            case .watched: break
            case .neverReached: unreached.update { $0 += 1 }
            case .failed: failed.update { $0 += 1 }
            }
            left.update { $0 -= 1 }
        }
        if !DetachedThread.run(watch) { throw PlaybackError("there is no thread for so many cameras") }
    }
    left.wait { $0 == 0 ? () : nil }
    sinks.close()
    if sinks.isUnread { return 128 + SIGPIPE }
    // One camera of several may be off for weeks, which is no reason to call the end of the others a failure.
    let isWatched = unreached.read { $0 } < plan.cameras.count
    return isWatched && failed.read { $0 } == 0 ? ExitCode.success : ExitCode.failure
}
