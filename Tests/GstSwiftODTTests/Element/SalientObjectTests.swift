import CODTGStreamer
import CODTGStreamerCheck
import Foundation
import Glibc
import ODTTestSupport
import Testing

@testable import GstSwiftODT
@testable import SwiftODT

/// Tests `unknown-objects=salient`: the network runs once per second in videos; only single pictures without labelled
/// objects wait for it and use it; recordings do not contain its results.
@Suite struct SalientObjectTests {
    private let salient = FixedDetector(Detection(box: Box(x: 8, y: 6, width: 24, height: 30), score: 0.8))

    private static let cup = Detection(
        box: Box(x: 8, y: 8, width: 24, height: 24), score: 0.9, label: Label(index: 0, text: "cup"))

    /// - Parameter make: creates the saliency network.
    private func start(
        _ properties: String, finding detector: FixedDetector = FixedDetector(),
        make: (@Sendable () throws -> DetectionSource)? = nil
    ) -> ElementHarness {
        let salient = salient
        let harness = ElementHarness(
            "mode=single-image draw=false \(properties)",
            maker: { settings, _, _ in
                guard settings.detector == .salient else { return .detector(detector) }
                return try make?() ?? .detector(salient)
            })
        harness.setCaps()
        return harness
    }

    private func objects(_ harness: ElementHarness, _ number: Int) -> [Structure] {
        ElementHarness.release(harness.pass(harness.buffer(number)))
        return harness.messages("swiftodt").last?.objects ?? []
    }

    @Test(arguments: ["salient", "auto"]) func salientObjectIsReported(_ which: String) throws {
        let found = objects(start("unknown-objects=\(which)"), 0)
        #expect(found.count == 1)
        #expect(found.first?[text: "label"] == "" && found.first?[int: "label-index"] == -1)
        #expect(found.first?[text: "category"] == "unknown" && found.first?[real: "score"] == 0.8)
    }

    /// In a video, the network runs once per second. The third result in the same place makes an object.
    @Test(arguments: [("salient", 4), ("auto", 0)]) func standingObjectOfVideoIsReported(_ which: String, _ runs: Int) {
        let harness = start("mode=stream strategy=every-frame unknown-objects=\(which)")
        var counts: [Int] = []
        for number in 0..<100 { counts.append(objects(harness, number).count) }
        #expect(salient.asked == runs)
        #expect(counts.last == (runs > 0 ? 1 : 0) && counts.first == 0)
    }

    @Test func salientDetectorIsSkippedWhenObjectsHaveLabels() {
        let found = objects(start("unknown-objects=salient", finding: FixedDetector(Self.cup)), 0)
        #expect(found.map { $0[text: "label"] } == ["cup"])
        #expect(salient.asked == 0)
    }

    @Test func unknownObjectsNoneSkipsSalientDetector() {
        #expect(objects(start("unknown-objects=none"), 0).isEmpty)
        #expect(salient.asked == 0)
    }

    /// If the detector itself is the saliency network, no second one is loaded.
    @Test func salientDetectorIsNotLoadedTwice() {
        let harness = start(
            "detector=salient unknown-objects=salient", make: { .detector(FixedDetector(Self.cup)) })
        #expect(harness.takeMessage(GST_MESSAGE_WARNING)?.contains("detects these objects already") == true)
        #expect(objects(harness, 0).count == 1 && salient.asked == 0)
    }

    /// Live frames do not wait for the network. The result of the run in flight is not used after `reset-tracks`.
    @Test func resetTracksStartsNoOtherSalientRunWhileOneIsInFlight() {
        let network = ControlledDetector()
        let harness = start(
            "mode=stream strategy=keep-only-latest unknown-objects=salient", make: { .detector(network) })
        for number in 0..<5 { _ = objects(harness, number) }
        harness.session.signals.requestReset()
        for number in 5..<50 { _ = objects(harness, number) }
        #expect(network.frames.count == 1)
        network.answer()
        for number in 50..<55 { _ = objects(harness, number) }
        #expect(network.frames.count == 2)
    }

    /// Compilation takes seconds. Only a picture that needs the network waits, and flushing or stopping interrupts the
    /// wait.
    @Test func onlyEmptyFramesWaitForLoadingAndFlushInterrupts() {
        let (isOpen, isLoading) = (Monitor(false), Monitor(false))
        let salient = salient
        let harness = start(
            "strategy=every-frame",
            make: {
                isLoading.update { $0 = true }
                isOpen.wait { $0 ? () : nil }
                return .detector(salient)
            })
        #expect(objects(harness, 0).isEmpty)
        harness.set("unknown-objects", "salient")
        let waiting = Shared(harness.harness)
        func push(_ number: Int) -> Monitor<GstFlowReturn?> {
            let result = Monitor<GstFlowReturn?>(nil)
            let buffer = Shared(harness.buffer(number))
            DetachedThread.run {
                let flow = gst_harness_push(waiting.value, buffer.value)
                result.update { $0 = flow }
            }
            return result
        }
        let first = push(1)
        isLoading.wait { $0 ? () : nil }
        #expect(first.read { $0 } == nil, "it needs the network")
        gst_harness_push_event(harness.harness, gst_event_new_flush_start())
        #expect(first.wait { $0 } == GST_FLOW_FLUSHING)
        harness.endFlush()
        let second = push(2)
        // The test also passes if the frame arrives after the loading, but then it does not test the wait.
        usleep(20_000)
        isOpen.update { $0 = true }
        #expect(second.wait { $0 } == GST_FLOW_OK)
        #expect(harness.messages("swiftodt").last?.objects.count == 1)
    }

    /// Passes if nothing hangs or crashes.
    @Test func stopDoesNotWaitForLoading() {
        let (isOpen, isLoading, isLoaded) = (Monitor(false), Monitor(false), Monitor(false))
        do {
            let harness = start(
                "",
                make: {
                    defer { isLoaded.update { $0 = true } }
                    isLoading.update { $0 = true }
                    isOpen.wait { $0 ? () : nil }
                    throw ODTError(.failed, "the element has stopped")
                })
            harness.set("unknown-objects", "salient")
            let (waiting, buffer, isOver) = (Shared(harness.harness), Shared(harness.buffer(0)), Monitor(false))
            DetachedThread.run {
                gst_harness_push(waiting.value, buffer.value)
                isOver.update { $0 = true }
            }
            isLoading.wait { $0 ? () : nil }
            gst_element_set_state(harness.element, GST_STATE_NULL)
            isOver.wait { $0 ? () : nil }
        }
        isOpen.update { $0 = true }
        isLoaded.wait { $0 ? () : nil }
    }

    /// A load failure is an error if the user selected the network, otherwise a warning.
    @Test func salientLoadFailureIsPosted() {
        let lost: @Sendable () throws -> DetectionSource = { throw ODTError(.fileNotFound, "the network is lost") }
        let harness = start("unknown-objects=auto", make: lost)
        let warning = harness.takeMessage(GST_MESSAGE_WARNING)
        #expect(warning?.contains("the network is lost") == true, "\(warning ?? "")")
        #expect(objects(harness, 0).isEmpty && harness.takeMessage(GST_MESSAGE_ERROR) == nil)

        let named = start("", make: lost)
        named.set("unknown-objects", "salient")
        var text: String?
        for number in 0..<300 where text == nil {
            named.push(named.buffer(number))
            text = named.takeMessage(GST_MESSAGE_ERROR)
        }
        #expect(text?.contains("the network is lost") == true)
    }

    /// A recording contains the detector's results only. The saliency network runs again during playback.
    @Test func recordingExcludesSalientResults() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        func record(_ unknown: String) throws -> String {
            let file = "\(folder.path)/\(unknown).jsonl"
            let weak = Detection(box: Box(x: 1, y: 1, width: 9, height: 9), score: 0.2)
            do {
                let harness = start(
                    "unknown-objects=\(unknown) detector=motion record-detections=\(file)", finding: FixedDetector(weak)
                )
                for number in 0..<3 { #expect(objects(harness, number).count == (unknown == "none" ? 0 : 1)) }
                gst_harness_push_event(harness.harness, gst_event_new_eos())
            }
            return try String(contentsOfFile: file, encoding: .utf8)
        }
        #expect(try record("none") == record("salient"))

        let salient = salient
        let harness = ElementHarness(
            "mode=single-image draw=false detector=recorded detections-file=\(folder.path)/none.jsonl unknown-objects=salient",
            maker: { settings, hint, warn in
                if settings.detector == .salient { return .detector(salient) }
                return try DetectionSource.make(settings, hint, warn)
            })
        harness.setCaps()
        #expect((0..<3).map { objects(harness, $0).count } == [1, 1, 1])
    }

    @Test(arguments: [
        ("mode=stream tracking=false unknown-objects=salient", "tracking=true"),
        ("mode=stream tracking=false unknown-objects=auto", "tracking=true"),
        ("mode=stream detector=motion unknown-objects=auto", "detects these objects already"),
        ("detector=salient unknown-objects=auto", "detects these objects already"),
    ])
    func propertiesWithoutEffectWarn(_ properties: String, _ word: String) {
        let harness = start(properties)
        let warning = harness.takeMessage(GST_MESSAGE_WARNING)
        #expect(warning?.contains("unknown-objects") == true && warning?.contains(word) == true, "\(warning ?? "")")
    }
}
