import CODTGStreamer
import CODTGStreamerCheck
import Glibc
import Testing

@testable import GstSwiftODT
@testable import SwiftODT

/// Tests that loading a detector neither blocks the streaming thread nor, if it fails, breaks the stream.
@Suite struct DetectionSourceLoaderTests {
    /// Creates the first detector at once and later ones when `isOpen` is set.
    private final class ControlledLoader: Sendable {
        struct State {
            var made = 0
            /// The number of calls that have returned or thrown.
            var returned = 0
            var isOpen = false
            var fails = false
        }

        let state = Monitor(State())

        func make() throws -> DetectionSource {
            defer { state.update { $0.returned += 1 } }
            let isFirst = state.update { state in
                state.made += 1
                return state.made == 1
            }
            if !isFirst { state.wait { $0.isOpen ? () : nil } }
            if !isFirst, state.update({ $0.fails }) {
                throw ODTError(.unsupported, "the test detector cannot be loaded")
            }
            return .detector(SlowDetector(milliseconds: 0, capacity: 2))
        }

        var made: Int { state.update { $0.made } }
    }

    private func start(_ loader: ControlledLoader, _ properties: String) -> ElementHarness {
        let harness = ElementHarness(properties, maker: { _, _, _ in try loader.make() })
        harness.setCaps()
        return harness
    }

    private func waitUntil(_ condition: () -> Bool) {
        for _ in 0..<2000 where !condition() { usleep(1000) }
        #expect(condition(), "the condition does not hold after 2 s")
    }

    /// Loading in this test does not finish until `isOpen` is set, so frames would block if they waited.
    @Test func framesPassWhileDetectorLoads() {
        let loader = ControlledLoader()
        let harness = start(loader, "strategy=keep-only-latest")
        harness.push(harness.buffer(0))
        harness.set("strategy", "every-frame")
        for number in 1..<30 { #expect(harness.push(harness.buffer(number)) == GST_FLOW_OK) }
        waitUntil { loader.made == 2 }
        loader.state.update { $0.isOpen = true }
        waitUntil { loader.state.read { $0.returned } == 2 }
        for number in 30..<100 { harness.push(harness.buffer(number)) }
        gst_harness_push_event(harness.harness, gst_event_new_eos())
        #expect(gst_harness_buffers_in_queue(harness.harness) == 100)
        #expect(loader.made == 2)
    }

    /// Passes if nothing hangs or crashes.
    @Test func stopAndFreeDoNotWaitForLoadingDetector() {
        let loader = ControlledLoader()
        do {
            let harness = start(loader, "strategy=keep-only-latest")
            harness.push(harness.buffer(0))
            harness.set("strategy", "every-frame")
            harness.push(harness.buffer(1))
            waitUntil { loader.made == 2 }
            gst_harness_push_event(harness.harness, gst_event_new_flush_start())
            gst_harness_push_event(harness.harness, gst_event_new_flush_stop(1))
            gst_element_set_state(harness.element, GST_STATE_NULL)
        }
        // The element no longer exists, so the loaded detector is discarded.
        loader.state.update { $0.isOpen = true }
        waitUntil { loader.state.read { $0.returned } == 2 }
    }

    @Test(arguments: [("", GST_MESSAGE_WARNING), ("device=AUTO", GST_MESSAGE_ERROR)])
    func detectorLoadFailureIsPosted(_ properties: String, _ type: GstMessageType) {
        let loader = ControlledLoader()
        loader.state.update { ($0.isOpen, $0.fails) = (true, true) }
        let harness = start(loader, "strategy=keep-only-latest \(properties)")
        harness.push(harness.buffer(0))
        harness.set("strategy", "every-frame")
        var text: String?
        var number = 0
        waitUntil {
            if text != nil { return true }
            number += 1
            harness.push(harness.buffer(number))
            text = harness.takeMessage(type)
            return text != nil
        }
        #expect(text?.contains("the test detector cannot be loaded") == true)
        #expect(loader.made == 2)
    }

    /// With `detector=auto`, the motion detector can replace only the first network, not one that is loaded later.
    @Test func motionDetectorDoesNotReplaceNetworkThatIsLoadedLater() {
        let requested = Monitor([Settings.DetectorChoice]())
        let harness = ElementHarness(
            "strategy=keep-only-latest",
            maker: { settings, _, _ in
                requested.update { $0.append(settings.detector) }
                return .detector(SlowDetector(milliseconds: 0, capacity: 2))
            })
        harness.setCaps()
        harness.push(harness.buffer(0))
        harness.set("strategy", "every-frame")
        harness.push(harness.buffer(1))
        waitUntil { requested.read { $0.count } == 2 }
        #expect(requested.read { $0 } == [.auto, .neural])
    }

    /// A property that takes effect from READY warns, reads back as set, and does not change the running stream.
    @Test func readyPropertiesKeepTheirStartValues() {
        let harness = ElementHarness("detector=upstream track-min-hits=1 draw=false")
        harness.setCaps()
        harness.set("detector", "motion")
        #expect(harness.takeMessage(GST_MESSAGE_WARNING)?.contains("detector takes effect from READY") == true)
        harness.set("draw", "true")
        #expect(harness.takeMessage(GST_MESSAGE_WARNING) == nil)
        let buffer = harness.buffer(0)
        harness.addRegion(to: buffer, x: 8, y: 6, width: 20, height: 16)
        ElementHarness.release(harness.pass(buffer))
        #expect(harness.messages("swiftodt").first?.objects.count == 1)
        gst_element_set_state(harness.element, GST_STATE_READY)
        gst_element_set_state(harness.element, GST_STATE_PLAYING)
        harness.setCaps()
        let again = harness.buffer(1)
        harness.addRegion(to: again, x: 8, y: 6, width: 20, height: 16)
        ElementHarness.release(harness.pass(again))
        #expect(harness.messages("swiftodt").first?.objects.isEmpty == true)
    }

    @Test func latencyMessageIsPostedOnChange() {
        let harness = ElementHarness(
            "strategy=every-frame look-ahead=2", source: { .detector(SlowDetector(milliseconds: 0, capacity: 4)) })
        harness.setCaps()
        func hasLatencyMessage() -> Bool {
            var isReported = false
            while let message = gst_bus_pop_filtered(harness.bus, GST_MESSAGE_LATENCY) {
                gst_mini_object_unref(UnsafeMutableRawPointer(message).assumingMemoryBound(to: GstMiniObject.self))
                isReported = true
            }
            return isReported
        }
        var number = 0
        func push() {
            harness.push(harness.buffer(number))
            number += 1
        }
        push()
        #expect(gst_harness_query_latency(harness.harness) == 66_666_666)
        push()
        #expect(!hasLatencyMessage())
        harness.set("inference-interval", "3")
        push()
        #expect(hasLatencyMessage())
        #expect(gst_harness_query_latency(harness.harness) == 199_999_998)
        harness.set("strategy", "keep-only-latest")
        push()
        #expect(hasLatencyMessage())
        #expect(gst_harness_query_latency(harness.harness) == 0)
        harness.set("strategy", "every-frame")
        push()
        #expect(hasLatencyMessage())
        gst_harness_set_src_caps_str(harness.harness, "video/x-raw,format=I420,width=64,height=48,framerate=10/1")
        push()
        #expect(hasLatencyMessage())
        #expect(gst_harness_query_latency(harness.harness) == 600_000_000)
        push()
        #expect(!hasLatencyMessage())
    }

    /// In a live stream the processing time of frames that wait for their results is part of the latency.
    @Test func liveLatencyIncludesDetectorTime() {
        let harness = ElementHarness(
            "strategy=every-frame look-ahead=1", source: { .detector(SlowDetector(milliseconds: 20)) })
        harness.setCaps()
        for number in 0..<12 { harness.push(harness.buffer(number)) }
        gst_harness_set_upstream_latency(harness.harness, 0)
        let latency = gst_harness_query_latency(harness.harness)
        #expect(latency >= 25_000_000 && latency < 1_000_000_000)
    }

    @Test func processingTimeEstimateIsStable() {
        var estimate = ProcessingTimeEstimate()
        var changes = 0
        for number in 0..<2000 {
            let before = estimate.estimate
            estimate.add(20_000_000 + Nanoseconds(number * 7919 % 11) * 300_000)
            changes += estimate.estimate == before ? 0 : 1
        }
        #expect(changes == 1 && estimate.estimate >= 20_000_000 && estimate.estimate <= 40_000_000)
        for _ in 0..<200 { estimate.add(2_000_000) }
        #expect(estimate.estimate == 5_000_000)
    }
}
