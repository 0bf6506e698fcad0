import Glibc
import ODTPlayback
import SwiftODT

let watchSubcommand = Subcommand(
    name: "watch", summary: "watch cameras continuously and report what they see", help: help,
    work: runWatch)

private let help = """
    Watches cameras continuously, reports tracked objects and events, and reconnects to cameras that drop out.

    usage: odt watch [options] SOURCE...
           odt watch [options] NAME=SOURCE...
           odt watch [options] --config FILE

    SOURCE is a camera's URI (rtsp://..., https://...), a local camera (/dev/video0), or a file or '-' for standard
    input, which are played once. NAME identifies the camera in all messages (default: its host, device or file name).
    Messages are written to standard output as lines of JSON with the camera's name as "source".

      --config FILE      read cameras and options from FILE: groups [camera NAME] with source= and properties of the
                         element, [cameras] with properties of all cameras, [watch] with these options without dashes,
                         [event NAME] with rules for events
      --set NAME=VALUE   set a property of the element for all cameras; repeatable; gst-inspect-1.0 swiftodt lists the
                         properties (default: multiple-objects=true and max-objects=100): --set label-allowlist=person
      --zones FILE       count objects in the zones and at the lines of FILE (made with odt zones)
      --json FILE        append messages to FILE instead of writing them to standard output
      --quiet            write no messages to standard output
    \(DecodingChoice.help)
    \(RecordOptions.help)
    \(ClipOptions.help)
    \(MQTTOptions.help)
    \(StoreOptions.help)
    \(PageOptions.help)
    \(MetricsOptions.help)
    \(EventRule.help)
    \(AlarmOptions.help)
      --timeout SECONDS  time without a frame after which a camera counts as lost, 1 to 86,400 (default: 20)
      --retry SECONDS    maximum delay between attempts to reconnect, 0.01 to 86,400; the delay starts at 1 s and doubles
                         (default: 60)
      --help             show this text

    Cameras are independent: the failure of one does not affect the others. Each time a camera is connected, lost or ended, a
    message "swiftodt-camera" reports it. Tracking ids are unique within one connection, whose number is "session".

    With --config, SIGHUP reads FILE again: only cameras that were added, removed or changed are affected. If FILE is invalid, the
    error is printed and nothing changes. Changes of [watch] except economy, gate, cpus and on-event need a restart.

    The watch ends when all files have been played, or after Ctrl-C, SIGTERM or SIGHUP; a second signal stops it at once. The
    exit code is 0 after success, also if a camera was never reached, 1 if a source failed, 2 after an invalid command line, 3 if
    the plugin is missing.

    examples:
      odt watch rtsp://192.168.1.20/stream1
      odt watch --set label-allowlist=person front=rtsp://192.168.1.20/stream1 yard=/dev/video0 | jq .
      odt watch --zones gate.json --json gate.jsonl gate=rtsp://user:secret@gate.local/live
    """

@Sendable private func runWatch(_ arguments: [String]) throws -> Int32 {
    let line = try CommandLineOptions(
        arguments, valued: Set(WatchOptions.valued.map { "--" + $0 } + ["--config", "--set", "--zones"]),
        flags: Set(WatchOptions.flags.map { "--" + $0 }))
    return try convertingUsageErrors {
        let state = Monitor(WatchedCameras.State())
        // Otherwise, a reload that is requested during the start would end the program.
        if line.text("--config") != nil { WatchedCameras.reloadAtHangUp(state) }
        let plan = try WatchPlan(line)
        try PluginSearch.start()
        for camera in plan.cameras { try camera.check(plan.options) { printError("odt watch: \($0)") } }
        for text in EventRule.warnings(about: plan.rules, cameras: plan.cameras) { printError("odt watch: \(text)") }
        // With --config, a signal may have arrived during the search.
        guard !TerminationHandler.shared.isOver else { return ExitCode.success }
        return try WatchedCameras(plan, state).watch(rereading: line)
    }
}
