import Playback
import SwiftODT

let benchSubcommand = Subcommand(
    name: "bench", summary: "measure the speed of a model on a video", help: help,
    work: runBench)

private let help = """
    Measures how fast a model processes a video: frames per second, processor time per frame, peak memory, and the time of each
    processing stage. Plays the video at maximum speed; nothing is drawn or written.

    usage: odt bench [options] MODEL VIDEO

    MODEL is a file or the name of an installed model (see 'odt models list'), 'default' for the default detector, or 'motion'
    for the motion detector, which needs no model. VIDEO is any file or URI that GStreamer can read.

      --frames N       stop after N frames; 0 for the whole video (default: 1000)
      --set NAME=VALUE set a property of the element; repeatable: --set inference-interval=2 --set device=GPU
      --json           print one line of JSON, times in milliseconds, memory in bytes
      --help           show this text

    The first 10 frames are not measured, because networks, caches and the decoder warm up. To compare two models, run them
    alternately several times, because other programs disturb single runs.

    examples:
      odt bench --frames 500 default street.mp4
    """

@Sendable private func runBench(_ arguments: [String]) throws -> Int32 {
    let line = try CommandLineOptions(arguments, valued: ["--frames", "--set"], flags: ["--json"])
    guard line.operands.count == 2 else {
        throw CommandLineError(
            line.operands.count < 2 ? "name a MODEL and a VIDEO." : "name one MODEL and one VIDEO.")
    }
    let frames = try line.wholeNumber("--frames", in: 0...Int.max) ?? 1000
    let run = try BenchRun(model: line.operands[0], video: line.operands[1], properties: line.texts("--set"))
    let measured = try run.measure(frames: frames)
    print(line.has("--json") ? measured.json.text : measured.text)
    return ExitCode.success
}
