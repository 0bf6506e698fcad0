import Playback
import SwiftODT

/// The durations of one processing stage.
struct BenchStage {
    let name: String
    /// The name of each statistic (p50, p95, max or mean) and its value in nanoseconds.
    let figures: [(name: String, value: UInt64)]

    /// Returns the stages in the element's `stats` that have nonzero durations.
    static func list(_ stats: MessageFields) -> [BenchStage] {
        let onThread = ["start", "wait", "track", "classify", "draw", "report", "detection-latency"]
            .map { (name: $0, figures: ["p50", "p95", "max"]) }
        let ofNetwork = ["preprocess", "inference", "decode"].map { (name: $0, figures: ["mean"]) }
        return (onThread + ofNetwork).compactMap { stage in
            let figures = stage.figures.compactMap { figure in
                stats.count("\(stage.name)-\(figure)").map { (name: figure, value: $0) }
            }
            return figures.contains { $0.value > 0 } ? BenchStage(name: stage.name, figures: figures) : nil
        }
    }
}

/// The result of a benchmark of one model on one video.
struct BenchResult {
    let model: String
    let video: String
    let frames: Int
    let framesPerSecond: Double
    /// The processor time of all cores per frame, in nanoseconds.
    let processorTime: Double
    /// The time from the start to the first frame, in nanoseconds. It includes compiling the network or loading it
    /// from the cache.
    let firstFrame: Nanoseconds
    /// The peak resident memory in bytes.
    let memory: Int
    let stages: [BenchStage]

    var text: String {
        let lines = [
            row("model", model), row("video", "\(video), \(frames) frames"),
            row("frames", "\(DecimalText.text(framesPerSecond, decimals: 1)) per second"),
            row("processor", "\(milliseconds(processorTime)) ms per frame, all cores together"),
            row("first frame", "after \(milliseconds(Double(firstFrame))) ms"),
            row("memory", "\(memory / 1_000_000) MB at peak"),
        ]
        let table = stages.map { stage in
            row(
                stage.name,
                stage.figures.map { "\($0.name) \(padded(milliseconds(Double($0.value)), to: 8))" }.joined(
                    separator: "  "))
        }
        return (lines + ["", "milliseconds per frame:"] + table).joined(separator: "\n")
    }

    var json: JSONValue {
        let stages = stages.map { stage in
            let figures = stage.figures.map { ($0.name, JSONValue.number(Double($0.value) / 1e6)) }
            return (stage.name, JSONValue.object(Dictionary(uniqueKeysWithValues: figures)))
        }
        return .object([
            "model": .string(model), "video": .string(video), "frames": .number(Double(frames)),
            "frames-per-second": .number(framesPerSecond), "processor-per-frame": .number(processorTime / 1e6),
            "first-frame": .number(Double(firstFrame) / 1e6), "memory": .number(Double(memory)),
            "stages": .object(Dictionary(uniqueKeysWithValues: stages)),
        ])
    }

    private func row(_ name: String, _ text: String) -> String { padded(name, to: 19) + text }

    private func milliseconds(_ nanoseconds: Double) -> String { DecimalText.text(nanoseconds / 1e6, decimals: 2) }
}
