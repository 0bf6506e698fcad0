import Playback
import SwiftODT

let benchSubcommand = Subcommand(
    name: "bench", summary: "how fast a model is on a video: stages, frames a second, memory", help: help,
    work: runBench)

private let help = """
    Plays a video through the element with a model, as fast as it goes, and says how fast that is: frames a second, the
    processor's time, memory, and what each stage takes. Nothing is drawn or written.

    usage: odt bench [options] MODEL VIDEO

    MODEL is a file or the name of an installed model ('odt models list'); 'default' is the one that is used where none is
    named, 'motion' the detector that needs none. VIDEO is whatever GStreamer reads.

      --frames N       at most so many (1000; 0 for all)
      --set NAME=VALUE a property of the element, such as inference-interval=2, device=GPU or draw=true; may come again
      --json           one line of JSON, times in milliseconds
      --help           this text

    The first frames are left out: until the 10th, networks, caches and the decoder warm up. To compare two models run them in
    turns, several times: the machine does other things too.
    """

@Sendable private func runBench(_ arguments: [String]) throws -> Int32 {
    let line = try CommandLineOptions(arguments, valued: ["--frames", "--set"], flags: ["--json"])
    guard line.operands.count == 2 else {
        throw CommandLineError(
            line.operands.count < 2 ? "a model and a video are wanted." : "one model and one video at a time.")
    }
    let frames = try line.wholeNumber("--frames", in: 0...Int.max) ?? 1000
    let run = try BenchRun(model: line.operands[0], video: line.operands[1], properties: line.texts("--set"))
    let measured = try run.measure(frames: frames)
    print(line.has("--json") ? measured.json.text : measured.text)
    return ExitCode.success
}
