import CODTGStreamer
import CODTGStreamerCheck
import Testing

@testable import GstSwiftODT
@testable import SwiftODT

/// Tests the event `swiftodt-activity`, which elements upstream receive.
@Suite struct ActivityEventTests {
    /// Pushes frames and returns the activities that the element sent upstream, with the frames' numbers.
    private func activities(
        _ properties: String, frames: Range<Int>, flushAt: Int? = nil, finds: @escaping @Sendable (Int) -> [Detection]
    ) -> [String] {
        let detector = ScriptedDetector(script: finds)
        let harness = ElementHarness(
            "track-max-age=100000000 draw=false \(properties)", source: { .detector(detector) })
        harness.setCaps()
        var sent: [String] = []
        for number in frames {
            if number == flushAt { harness.flush() }
            ElementHarness.release(harness.pass(harness.buffer(number, fill: nil)))
            for activity in harness.takeActivities() {
                func flag(_ name: String) -> Int { activity[flag: name] == true ? 1 : 0 }
                #expect(activity[uint64: "timestamp"] == UInt64(number) * 33_333_333)
                sent.append("\(number): \(flag("objects"))\(flag("inference"))")
            }
        }
        return sent
    }

    private static let cup = Detection(
        box: Box(x: 8, y: 6, width: 20, height: 16), score: 0.9, label: Label(index: 0, text: "cup"))

    /// The object is present from the start of the scene, missed from frame 5 on, and lost 0.1 s later.
    @Test func eventIsSentAtChangesOnly() {
        let sent = activities("", frames: 0..<14) { $0 < 5 ? [Self.cup] : [] }
        #expect(sent.prefix(2) == ["0: 10", "5: 11"])
        #expect(sent.last?.hasSuffix(": 00") == true && sent.count <= 4, "\(sent)")
    }

    @Test func tentativeObjectWantsInference() {
        let sent = activities("track-min-hits=3", frames: 0..<8) { $0 >= 2 ? [Self.cup] : [] }
        #expect(sent == ["0: 00", "2: 01", "4: 10"])
    }

    @Test func flushSendsActivityAgain() {
        #expect(activities("", frames: 0..<6, flushAt: 3) { _ in [] } == ["0: 00", "3: 00"])
    }

    /// The gate before the decoder waits for the report on each still picture.
    @Test func eventIsSentAfterEachStillFrameEvent() {
        let detector = ScriptedDetector { _ in [] }
        let harness = ElementHarness("draw=false", source: { .detector(detector) })
        harness.setCaps()
        func reports() -> Int { harness.takeActivities().count }
        ElementHarness.release(harness.pass(harness.buffer(0, fill: nil)))
        #expect(reports() == 1)
        for number in [60, 120] {
            ElementHarness.release(harness.pass(harness.buffer(number, fill: nil)))
            #expect(reports() == 0)
            gst_harness_push_event(harness.harness, gst_video_event_new_still_frame(1))
            #expect(reports() == 1)
            // Other events need no answer.
            gst_harness_push_event(
                harness.harness,
                gst_event_new_custom(GST_EVENT_CUSTOM_DOWNSTREAM, gst_structure_new_empty("swiftodt-preview")))
            #expect(reports() == 0)
        }
    }

    @Test func motionEqualsObjectsWithoutAdaptiveInference() {
        #expect(motion("") == ["0: true"])
    }

    /// A change of the picture is motion, even if an object explains it, and an unchanged picture is not.
    @Test func motionIsChangeOfPictureWithAdaptiveInference() {
        #expect(motion("inference-interval=0") == ["0: false", "3: true", "5: false"])
    }

    /// Returns the changes of the field `motion`. A cup is always detected; its place is brighter from frame 3 on.
    private func motion(_ properties: String) -> [String] {
        let detector = ScriptedDetector { _ in [Self.cup] }
        let harness = ElementHarness("draw=false \(properties)", source: { .detector(detector) })
        harness.setCaps()
        var sent: [String] = []
        for number in 0..<12 {
            let buffer = harness.buffer(number) { index in
                index < 64 * 48 && (8..<28).contains(index % 64) && (6..<22).contains(index / 64) && number >= 3
                    ? 220 : 128
            }
            ElementHarness.release(harness.pass(buffer))
            for activity in harness.takeActivities() {
                let moves = activity[flag: "motion"] == true
                if sent.last?.hasSuffix(": \(moves)") != true { sent.append("\(number): \(moves)") }
            }
        }
        return sent
    }

    @Test func inferenceIsAlwaysWantedWithoutTracking() {
        #expect(activities("tracking=false", frames: 0..<3) { _ in [] } == ["0: 01"])
    }
}
