import CODTGStreamer
import CODTGStreamerCheck
import Glibc
import ODTTestSupport
import Testing

@testable import GstSwiftODT
@testable import SwiftODT

/// Tests which frames wait for results: order, completeness, and prompt interruption while detections are in flight.
@Suite struct SchedulingTests {
    @Test func lookAheadKeepsOrderAndResults() {
        let detector = SlowDetector(milliseconds: 3, capacity: 4)
        let harness = ElementHarness("strategy=every-frame tracking=false", source: { .detector(detector) })
        harness.setCaps()
        for number in 0..<24 { harness.push(harness.buffer(number)) }
        gst_harness_push_event(harness.harness, gst_event_new_eos())
        var times: [UInt64] = []
        while let output = harness.pull() {
            times.append(UInt64(output.pointee.pts))
            ElementHarness.release(output)
        }
        #expect(times == (0..<24).map { UInt64($0) * 33_333_333 })
        let messages = harness.messages("swiftodt")
        #expect(messages.count == 24)
        for (number, message) in messages.enumerated() {
            #expect(message.objects.first?[uint: "x"] == 4 + number % 16)
            #expect(message[uint64: "detection-latency"] == 0)
        }
    }

    @Test func framesWaitWhileLaterOnesAreInferred() {
        let detector = ControlledDetector(capacity: 3)
        let harness = ElementHarness("strategy=every-frame", source: { .detector(detector) })
        harness.setCaps()
        for number in 0..<3 {
            harness.push(harness.buffer(number))
            #expect(detector.frames.count == number + 1)
        }
        #expect(gst_harness_buffers_in_queue(harness.harness) == 0)
        detector.answer()
        gst_harness_push_event(harness.harness, gst_event_new_eos())
        #expect(gst_harness_buffers_in_queue(harness.harness) == 3)
    }

    @Test func lookAheadCountsInLatencyAndCanBeDisabled() {
        for (lookAhead, frames) in [(0, 4), (1, 0), (2, 2)] {
            let detector = SlowDetector(milliseconds: 1, capacity: 4)
            let harness = ElementHarness(
                "strategy=every-frame look-ahead=\(lookAhead)", source: { .detector(detector) })
            harness.setCaps()
            #expect(gst_harness_query_latency(harness.harness) == GstClockTime(frames) * 33_333_333)
        }
    }

    /// The maximum of `look-ahead` is the maximum number of frames held.
    @Test func maximumLookAheadDeterminesLatency() throws {
        let inspected = ElementHarness()
        defer { withExtendedLifetime(inspected) {} }
        let pointer = UnsafeMutableRawPointer(inspected.element)
        let object = pointer.assumingMemoryBound(to: GObject.self)
        let type = UnsafeMutableRawPointer(object.pointee.g_type_instance.g_class)
        let spec = try #require(
            g_object_class_find_property(type?.assumingMemoryBound(to: GObjectClass.self), "look-ahead"))
        let most = UnsafeMutableRawPointer(spec).assumingMemoryBound(to: GParamSpecUInt.self).pointee.maximum
        let harness = ElementHarness(
            "strategy=every-frame look-ahead=\(most)",
            source: { .detector(SlowDetector(milliseconds: 1, capacity: 64)) })
        harness.setCaps()
        #expect(gst_harness_query_latency(harness.harness) == GstClockTime(most) * 33_333_333)
    }

    /// After a still frame, in an idle stream, or at the end of a segment there may be no later frame, so held frames
    /// must be output.
    @Test(arguments: ["", "zoom=auto", "inference-interval=3"])
    func pauseEventsDrainQueue(_ properties: String) {
        let pauses: [(name: String, make: () -> UnsafeMutablePointer<GstEvent>?)] = [
            ("gap", { gst_event_new_gap(266_666_664, 1_000_000_000) }),
            ("segment-done", { gst_event_new_segment_done(GST_FORMAT_TIME, 266_666_664) }),
            ("stream-group-done", { gst_event_new_stream_group_done(1) }),
            ("still frame", { gst_video_event_new_still_frame(1) }),
        ]
        for pause in pauses {
            let detector = SlowDetector(milliseconds: 60, capacity: 4, inputSize: Self.input)
            let harness = ElementHarness("strategy=every-frame \(properties)", source: { .detector(detector) })
            harness.setCaps()
            for number in 0..<8 { harness.push(harness.buffer(number)) }
            #expect(gst_harness_buffers_in_queue(harness.harness) < 8)
            gst_harness_push_event(harness.harness, pause.make())
            #expect(gst_harness_buffers_in_queue(harness.harness) == 8, "\(pause.name)")
            // The event follows the frames, and the stream continues.
            for number in 8..<16 { harness.push(harness.buffer(number)) }
            gst_harness_push_event(harness.harness, gst_event_new_eos())
            #expect(gst_harness_buffers_in_queue(harness.harness) == 16, "\(pause.name)")
        }
    }

    /// The need for inference on a frame depends on the result of the previous one. With inferences in flight it would
    /// depend on the speed of the machine.
    @Test func adaptiveIntervalHoldsNoFrames() {
        let detector = SlowDetector(milliseconds: 1, capacity: 4)
        let harness = ElementHarness("strategy=every-frame inference-interval=0", source: { .detector(detector) })
        harness.setCaps()
        #expect(gst_harness_query_latency(harness.harness) == 0)
        for number in 0..<12 {
            harness.push(harness.buffer(number))
            #expect(gst_harness_buffers_in_queue(harness.harness) == number + 1)
        }
        // Without motion one inference is enough for this short time.
        #expect(detector.frames == [0])
    }

    /// With a moving camera each frame is inferred regardless of the previous result, so it does not wait for it. In
    /// live streams and with `look-ahead=1` it does.
    @Test(arguments: ["", "zoom=auto"]) func cameraMotionAllowsTwoInferencesInFlight(_ properties: String) {
        for (lookAhead, isLive, held) in [(0, false, 1), (1, false, 0), (0, true, 0)] {
            for capacity in [1, 4] {
                let detector = SlowDetector(milliseconds: 0, capacity: capacity, inputSize: Self.input)
                let harness = ElementHarness(
                    "strategy=every-frame inference-interval=0 look-ahead=\(lookAhead) \(properties)",
                    source: { .detector(detector) })
                gst_harness_set_live(harness.harness, isLive ? 1 : 0)
                harness.setCaps(width: 320, height: 180)
                for number in 0..<16 {
                    // The camera moves until the tenth frame.
                    let scene = min(number, 10)
                    harness.push(harness.buffer(number) { Self.blocks(scene, at: $0) })
                    // The frame must not be finished although its result is available.
                    detector.waitForResults()
                    let waiting = (2...10).contains(number) ? held : 0
                    #expect(gst_harness_buffers_in_queue(harness.harness) == number + 1 - waiting)
                }
                #expect(detector.frames.count >= 11 && detector.frames[10] < 340_000_000)
                gst_harness_push_event(harness.harness, gst_event_new_eos())
                #expect(gst_harness_buffers_in_queue(harness.harness) == 16)
            }
        }
    }

    /// One inference is in flight when the next region is chosen, for any capacity of the detector.
    @Test func zoomAutoWaitsForPreviousResult() {
        for (properties, frames) in [("", 1), ("look-ahead=8", 1), ("inference-interval=3", 3), ("look-ahead=1", 0)] {
            for capacity in [1, 4] {
                let detector = SlowDetector(milliseconds: 0, capacity: capacity, inputSize: Self.input)
                let harness = ElementHarness(
                    "strategy=every-frame zoom=auto \(properties)", source: { .detector(detector) })
                harness.setCaps()
                #expect(gst_harness_query_latency(harness.harness) == GstClockTime(frames) * 33_333_333)
                for number in 0..<8 {
                    harness.push(harness.buffer(number))
                    // The frame must not be finished although its result is available.
                    detector.waitForResults()
                    #expect(gst_harness_buffers_in_queue(harness.harness) == max(0, number + 1 - frames))
                }
                gst_harness_push_event(harness.harness, gst_event_new_eos())
                #expect(gst_harness_buffers_in_queue(harness.harness) == 8)
            }
        }
    }

    @Test func selectedRegionsAreIndependentOfMachineSpeed() {
        let views = [(0, 4), (60, 1), (60, 3)].map { milliseconds, capacity in
            let detector = SlowDetector(milliseconds: milliseconds, capacity: capacity, inputSize: Self.input)
            let harness = zooming(detector, "inference-interval=2")
            for number in 0..<40 { harness.push(harness.buffer(number)) }
            gst_harness_push_event(harness.harness, gst_event_new_eos())
            #expect(gst_harness_buffers_in_queue(harness.harness) == 40)
            return detector.views
        }
        #expect(views[0] == views[1])
        #expect(views[0] == views[2])
        #expect(views[0].count == 20)
        #expect(Set(views[0]).count > 2)
    }

    /// A frame that is still queued when a new epoch begins must not affect it.
    @Test func endedEpochDoesNotAffectRegionSelection() {
        let detector = SlowDetector(milliseconds: 1, capacity: 2, inputSize: Self.input)
        let harness = zooming(detector)
        for number in 0..<16 { harness.push(harness.buffer(number)) }
        for number in 800..<804 { harness.push(harness.buffer(number)) }
        gst_harness_push_event(harness.harness, gst_event_new_eos())
        #expect(detector.views.count == 20)
        #expect(detector.views.suffix(4) == detector.views.prefix(4))
    }

    private static let input = InputSize(width: 80, height: 80)

    /// Returns a byte of a picture 320 pixels wide: blocks of 2 x 2 pixels with uncorrelated grey levels that differ
    /// for each scene.
    private static func blocks(_ scene: Int, at place: Int) -> UInt8 {
        var mixed = UInt64(scene * 1_000_003 + place / 640 * 160 + place / 2 % 160) &* 0x9E37_79B9_7F4A_7C15
        mixed = (mixed ^ mixed >> 29) &* 0xBF58_476D_1CE4_E5B9
        return 64 + UInt8(truncatingIfNeeded: mixed >> 40) / 2
    }

    /// Returns an element with frames several times as large as the detector's input.
    private func zooming(_ detector: SlowDetector, _ properties: String = "") -> ElementHarness {
        let harness = ElementHarness("strategy=every-frame zoom=auto \(properties)", source: { .detector(detector) })
        harness.setCaps(width: 320, height: 180)
        return harness
    }

    @Test func detectorCanBeReplacedWhileFramesWait() {
        let harness = ElementHarness(
            "strategy=every-frame tracking=false",
            source: { .detector(SlowDetector(milliseconds: 3, capacity: 4)) })
        harness.setCaps()
        for number in 0..<24 {
            harness.set("look-ahead", "\(number % 4)")
            #expect(harness.push(harness.buffer(number)) == GST_FLOW_OK)
        }
        gst_harness_push_event(harness.harness, gst_event_new_eos())
        #expect(gst_harness_buffers_in_queue(harness.harness) == 24)
        #expect(harness.messages("swiftodt").count == 24)
    }

    @Test func keepOnlyLatestInfersNewestFrameWithoutWaiting() {
        let detector = ControlledDetector()
        let harness = ElementHarness(
            "strategy=keep-only-latest track-min-hits=1", source: { .detector(detector) })
        harness.setCaps()
        for round in 0..<5 {
            // Eight frames pass without waiting while one detection is in flight.
            for number in round * 8..<round * 8 + 8 {
                let output = harness.pass(harness.buffer(number))
                #expect(output != nil)
                ElementHarness.release(output)
            }
            let seen = detector.frames.map { Int($0 / 33_333_333) }
            #expect(seen == (0...round).map { $0 * 8 })
            detector.answer()
        }
        let messages = harness.messages("swiftodt")
        func frames(_ field: String) -> [UInt64] { messages.compactMap { $0[uint64: field] }.map { $0 / 33_333_333 } }
        #expect(frames("detection-timestamp") == [0, 8, 16, 24])
        #expect(frames("detection-latency") == [8, 8, 8, 8])
    }

    /// Two streams have the turns while a third one claims a turn. The third stream then infers without turns, because it
    /// redacts. Its later claim is a new one.
    @Test func redactionWithdrawsClaimOfSharedInference() throws {
        func stream(_ detector: any Detector) -> ElementHarness {
            let harness = ElementHarness(
                "strategy=keep-only-latest share-inference=true", source: { .detector(detector) })
            harness.setCaps()
            harness.push(harness.buffer(0))
            return harness
        }
        let busy = [ControlledDetector(), ControlledDetector()]
        let others = busy.map(stream)
        defer { withExtendedLifetime(others) {} }
        let third = stream(ScriptedDetector { _ in [] })
        third.set("box-style", "blur")
        third.push(third.buffer(1))
        for detector in busy { detector.answer() }
        usleep(100_000)
        third.set("box-style", "rectangle")
        third.push(third.buffer(2))
        let turns = try #require(try third.counters()[structure: "turns"])
        #expect(turns[uint64: "count"] == 1)
        #expect(turns[uint64: "max-wait"].map { $0 < 100_000_000 } == true)
    }

    @Test func intervalSkipsFramesAndDetectNowOverridesIt() {
        let detector = SlowDetector(milliseconds: 0)
        let harness = ElementHarness(
            "strategy=every-frame inference-interval=10 look-ahead=1", source: { .detector(detector) })
        harness.setCaps()
        for number in 0..<20 {
            if number == 5 { emitAction(harness.element, "detect-now") }
            ElementHarness.release(harness.pass(harness.buffer(number)))
        }
        #expect(detector.frames.map { $0 / 33_333_333 } == [0, 5, 15])
    }

    @Test func flushAndStopInterruptSlowDetection() {
        let detector = SlowDetector(milliseconds: 3000)
        let harness = ElementHarness("strategy=every-frame look-ahead=1", source: { .detector(detector) })
        harness.setCaps()
        let begin = MonotonicClock.now
        let element = Shared(harness.harness)
        let isPushed = Monitor(false)
        let buffer = Shared(harness.buffer(0))
        DetachedThread.run {
            gst_harness_push(element.value, buffer.value)
            isPushed.update { $0 = true }
        }
        detector.waitForStart()
        gst_harness_push_event(harness.harness, gst_event_new_flush_start())
        _ = isPushed.wait { $0 ? true : nil }
        gst_harness_push_event(harness.harness, gst_event_new_flush_stop(1))
        #expect(MonotonicClock.now - begin < 2_000_000_000)
        #expect(harness.messages("swiftodt").isEmpty)
    }

    @Test func repeatedFlushesSeeksAndStopsAreSurvived() {
        var random = SeededGenerator(seed: testSeed())
        let detector = SlowDetector(milliseconds: 2, capacity: 3)
        let harness = ElementHarness("draw=true", source: { .detector(detector) })
        harness.setCaps()
        for number in 0..<1000 {
            switch Int.random(in: 0..<12, using: &random) {
            case 0: harness.flush()
            case 1:
                gst_element_set_state(harness.element, GST_STATE_READY)
                gst_element_set_state(harness.element, GST_STATE_PLAYING)
                harness.setCaps(Bool.random(using: &random) ? "NV12" : "I420")
            case 2:
                harness.setCaps(
                    "I420", width: .random(in: 1...80, using: &random), height: .random(in: 1...60, using: &random))
            case 3:
                let strategy = Bool.random(using: &random) ? "every-frame" : "keep-only-latest"
                harness.set("strategy", strategy)
            default: harness.push(harness.buffer(number))
            }
            while let output = harness.pull(ifThere: true) { ElementHarness.release(output) }
        }
        #expect(harness.takeMessage(GST_MESSAGE_ERROR) == nil)
        // Afterwards the element works normally.
        harness.setCaps()
        harness.push(harness.buffer(2000))
        gst_harness_push_event(harness.harness, gst_event_new_eos())
        var latest: GstClockTime?
        while let output = harness.pull(ifThere: true) {
            latest = output.pointee.pts
            ElementHarness.release(output)
        }
        let expected: GstClockTime? = 2000 * 33_333_333
        #expect(latest == expected)
    }
}

/// A C pointer passed to another thread. `@unchecked Sendable`: the tests synchronise its use.
struct Shared<Value>: @unchecked Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
}

private func emitAction(_ element: UnsafeMutablePointer<GstElement>, _ name: String) {
    var instance = GValue()
    g_value_init(&instance, g_type_from_name("GstSwiftOdt"))
    g_value_set_object(&instance, element)
    g_signal_emitv(&instance, g_signal_lookup(name, g_type_from_name("GstSwiftOdt")), 0, nil)
    g_value_unset(&instance)
}
