import CODTGStreamer
import CODTGStreamerCheck
import Foundation
import Testing

@testable import GstSwiftODT
@testable import SwiftODT

/// Measures the latency of live frames with a fast, a slow and a very slow detector. Run by
/// `Tests/Benchmarks/live/run`; disabled in ordinary test runs.
@Suite(.enabled(if: ProcessInfo.processInfo.environment["SWIFTODT_BENCHMARK"] != nil, "a benchmark"))
struct LatencyBenchmark {
    @Test func addedLatencyIsIndependentOfDetector() {
        for milliseconds in [10, 100, 1000] {
            let detector = SlowDetector(milliseconds: milliseconds)
            let harness = ElementHarness("strategy=keep-only-latest", source: { .detector(detector) })
            harness.setCaps("I420", width: 1280, height: 720)
            var times: [Nanoseconds] = []
            for number in 0..<300 {
                let buffer = harness.buffer(number % 10, fill: nil)
                buffer.pointee.pts = GstClockTime(number) * 33_333_333
                let start = MonotonicClock.now
                harness.push(buffer)
                times.append(MonotonicClock.now - start)
                ElementHarness.release(harness.pull())
                usleep(10_000)
            }
            times.sort()
            print(
                "live: detector \(milliseconds) ms, added latency p50 \(Double(times[150]) / 1e6) ms, p99",
                "\(Double(times[297]) / 1e6) ms, frames in 300, out \(times.count), detections \(detector.frames.count)"
            )
        }
    }
}
