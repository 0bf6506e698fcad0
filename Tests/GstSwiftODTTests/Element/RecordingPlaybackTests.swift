import CODTGStreamer
import CODTGStreamerCheck
import Foundation
import ODTTestSupport
import Testing

@testable import GstSwiftODT
@testable import SwiftODT

/// Tests that playback yields the same messages as detection, and that mismatching recordings are reported.
@Suite struct RecordingPlaybackTests {
    private let folder: TemporaryFolder
    private var file: String { folder.path + "/found.jsonl" }

    init() throws { folder = try TemporaryFolder() }

    /// A detector with different results for each frame time, including weak detections and empty results.
    private final class Finder: Detector {
        let capacity = 2
        let asked = Monitor([Nanoseconds]())

        func start(_ frame: Frame, options: DetectionOptions) throws -> DetectionPromise {
            asked.update { $0.append(frame.time) }
            let number = Double(frame.time / 33_333_333)
            if Int(number) % 9 == 4 { return DetectionPromise([]) }
            return DetectionPromise(
                [
                    Detection(
                        box: Box(x: 3 + number / 3, y: 7.1, width: 20.3, height: 18), score: 0.9 - number / 100,
                        label: Label(index: 3, text: "cup")),
                    Detection(
                        box: Box(x: 40, y: 20, width: 15, height: 15), score: 0.11, label: Label(index: 5, text: "ball")
                    ),
                    Detection(box: Box(x: 10, y: 30 - number / 4, width: 9, height: 9), score: 0.45),
                ].filter { $0.score >= options.scoreFloor })
        }

        func reset() {}
    }

    private struct Outcome: Equatable {
        var messages: [String]
        var pictures: [[UInt8]]
        var warnings: [String]
        var errors: [String]
    }

    private func play(
        _ properties: String, source: (@Sendable () -> DetectionSource)? = nil, frames: [Int] = Array(0..<14),
        width: Int = 64,
        extra: String = "", eos: Bool = true, change: (Int, ElementHarness) -> Void = { _, _ in }
    ) -> Outcome {
        let harness = ElementHarness(
            "strategy=every-frame multiple-objects=true message-format=json score-threshold=0.4 \(properties)",
            source: source)
        harness.setCaps(width: width, extra: extra)
        var outcome = Outcome(messages: [], pictures: [], warnings: [], errors: [])
        for number in frames {
            let buffer = harness.buffer(number)
            change(number, harness)
            harness.push(buffer)
            while let out = harness.pull(ifThere: true) {
                outcome.pictures.append(ElementHarness.bytes(of: out))
                ElementHarness.release(out)
            }
        }
        if eos { gst_harness_push_event(harness.harness, gst_event_new_eos()) }
        while let out = harness.pull(ifThere: true) {
            outcome.pictures.append(ElementHarness.bytes(of: out))
            ElementHarness.release(out)
        }
        readMessages(harness, into: &outcome)
        return outcome
    }

    /// Reads all messages at once, because popping messages of one type discards the others before them.
    private func readMessages(_ harness: ElementHarness, into outcome: inout Outcome) {
        while let message = gst_bus_pop(harness.bus) {
            defer {
                gst_mini_object_unref(UnsafeMutableRawPointer(message).assumingMemoryBound(to: GstMiniObject.self))
            }
            switch message.pointee.type {
            case GST_MESSAGE_ELEMENT:
                outcome.messages.append(textWithoutUTCTime(Structure(copying: gst_message_get_structure(message))))
            case GST_MESSAGE_WARNING, GST_MESSAGE_ERROR:
                var error: UnsafeMutablePointer<GError>?
                let isError = message.pointee.type == GST_MESSAGE_ERROR
                isError
                    ? gst_message_parse_error(message, &error, nil) : gst_message_parse_warning(message, &error, nil)
                defer { g_error_free(error) }
                let text = error.map { String(cString: $0.pointee.message) } ?? ""
                if isError { outcome.errors.append(text) } else { outcome.warnings.append(text) }
            default: break
            }
        }
    }

    /// Returns the text of a message without the UTC time, which is the wall clock in live streams such as a harness, and
    /// without the network, which the test's detector lacks and a recording takes from the settings.
    private func textWithoutUTCTime(_ message: Structure) -> String {
        message.text.replacing(/utc-time(=\(guint64\)|\\":)[0-9]+/, with: "")
            .replacing(/, model=\(string\)[^,]*, model-sum=\(string\)[^,;]*/, with: "")
            .replacing(/\\,\\"model\\":\\"[^"]*\\"\\,\\"model-sum\\":\\"[^"]*\\"/, with: "")
    }

    /// The gate before the decoder passes key frames only.
    @Test func playbackAcceptsSkippedFramesAfterStillPictures() {
        _ = record(frames: Array(0..<100))
        let outcome = play(
            "detector=recorded detections-file=\(file)", frames: [0, 1, 40, 70, 99],
            change: { number, harness in
                if number > 1 { gst_harness_push_event(harness.harness, gst_video_event_new_still_frame(1)) }
            })
        #expect(outcome.warnings == [] && outcome.errors == [])
    }

    private func record(_ properties: String = "", frames: [Int] = Array(0..<14)) -> Outcome {
        play(
            "\(properties) record-detections=\(file) record-existing=replace", source: { .detector(Finder()) },
            frames: frames)
    }

    private func replay(_ properties: String = "", frames: [Int] = Array(0..<14), width: Int = 64, extra: String = "")
        -> Outcome
    {
        play("\(properties) detector=recorded detections-file=\(file)", frames: frames, width: width, extra: extra)
    }

    @Test(arguments: [
        "", "inference-interval=3", "inference-interval=0", "mode=single-image",
        "tracking=false", "score-threshold=0.6", "updates=every-frame",
        "label-denylist=cup", "min-area=0.05", "max-objects=1", "attach-meta=0 draw=false",
    ]) func playbackEqualsDetection(_ properties: String) throws {
        let plain = play(properties, source: { .detector(Finder()) })
        let recorded = record(properties)
        let played = replay(properties)
        // Recording must not change the results.
        #expect(recorded == plain)
        #expect(played == plain)
        #expect(!plain.messages.isEmpty && plain.pictures.count == 14)
    }

    @Test func recordingServesOtherTrackerSettings() {
        _ = record()
        for properties in [
            "score-threshold=0.3", "inference-interval=2", "track-min-hits=4 track-max-age=100000000",
            "mode=single-image",
        ] {
            #expect(replay(properties) == play(properties, source: { .detector(Finder()) }))
        }
    }

    @Test func frameWithoutInferenceCountsNoMiss() {
        _ = record("inference-interval=5")
        let played = replay("updates=every-frame")
        #expect(played == play("inference-interval=5 updates=every-frame", source: { .detector(Finder()) }))
    }

    @Test func recordingIsResumed() throws {
        let plain = record("inference-interval=2")
        let whole = try String(contentsOfFile: file, encoding: .utf8)
        try whole.prefix(1000).write(toFile: file, atomically: false, encoding: .utf8)
        let finder = Finder()
        let again = play(
            "inference-interval=2 record-detections=\(file) record-existing=resume", source: { .detector(finder) })
        #expect(try String(contentsOfFile: file, encoding: .utf8) == whole)
        #expect(again == plain)
        // Recorded frames are not inferred again.
        let known = whole.prefix(1000).count { $0 == "\n" } - 1
        #expect(finder.asked.read { $0.count } == 7 - known && known > 1)
    }

    @Test func seekFindsRecordedFrame() throws {
        let plain = play("tracking=false", source: { .detector(Finder()) }, frames: [0, 1, 2, 20, 21, 5, 6, 7])
        _ = record("tracking=false", frames: Array(0..<30))
        let played = replay("tracking=false", frames: [0, 1, 2, 20, 21, 5, 6, 7])
        // The detector uses running time, which equals stream time until the seek back.
        #expect(played.messages.prefix(5) == plain.messages.prefix(5))
        #expect(played.messages.count == 8 && played.errors.isEmpty)
        let sixth = try #require(played.messages.dropFirst(5).first)
        #expect(sixth.contains("166666665"), "\(sixth)")
    }

    /// The recorded frames that a seek skips do not show that the recording belongs to another video, and the time before
    /// the seek is not a time without results.
    @Test(arguments: [1, 6, 120]) func seekIsNoMismatch(_ interval: Int) {
        _ = record("score-threshold=0.1 inference-interval=\(interval)", frames: Array(0..<400))
        let harness = ElementHarness(
            "detector=recorded detections-file=\(file) box-style=blur privacy-labels=cup inference-interval=\(interval)"
        )
        harness.setCaps()
        for (first, count) in [(0, 3), (3, 3), (33, 3), (180, 170), (121, 60), (360, 3), (151, 3)] {
            harness.flush()
            var segment = GstSegment()
            gst_segment_init(&segment, GST_FORMAT_TIME)
            (segment.start, segment.time) = (guint64(first) * 33_333_333, guint64(first) * 33_333_333)
            gst_harness_push_event(harness.harness, gst_event_new_segment(&segment))
            for number in first..<first + count { harness.push(harness.buffer(number)) }
        }
        var outcome = Outcome(messages: [], pictures: [], warnings: [], errors: [])
        readMessages(harness, into: &outcome)
        #expect(outcome.errors.isEmpty && !outcome.messages.isEmpty, "\(outcome.errors)")
    }

    // MARK: Mismatches

    @Test func sizeMismatchIsAnError() {
        _ = record()
        let played = replay(width: 80)
        #expect(played.errors.count == 1 && played.errors[0].contains("64x48") && played.errors[0].contains("80x48"))
    }

    @Test func timestampMismatchIsAnError() {
        _ = record("tracking=false", frames: Array(0..<30))
        let played = replay("tracking=false", frames: Array(0..<40))
        #expect(played.warnings.contains { $0.contains("before the video") }, "\(played.warnings)")
        let shifted = shiftedReplay(by: 11_000_000)
        #expect(shifted.errors.contains { $0.contains("none matches the timestamps of this video") }, "\(shifted)")
    }

    private func shiftedReplay(by shift: UInt64) -> Outcome {
        let harness = ElementHarness("tracking=false detector=recorded detections-file=\(file)")
        harness.setCaps()
        for number in 0..<30 {
            let buffer = harness.buffer(number)
            buffer.pointee.pts += GstClockTime(shift)
            if harness.push(buffer) != GST_FLOW_OK { break }
        }
        var outcome = Outcome(messages: [], pictures: [], warnings: [], errors: [])
        readMessages(harness, into: &outcome)
        return outcome
    }

    @Test func lengthMismatchIsAWarning() {
        _ = record()
        #expect(replay(frames: Array(0..<9)).warnings.contains { $0.contains("continues to 0:00:00.433") })
        #expect(replay().warnings.isEmpty)
    }

    /// The boxes of a recording of another video can be beside the objects.
    @Test func lengthMismatchIsAnErrorWithStrictRedaction() {
        _ = record("score-threshold=0.1")
        let redaction = "box-style=blur privacy-labels=cup"
        #expect(replay(redaction).errors.isEmpty)
        #expect(replay(redaction, frames: Array(0..<9)).errors.contains { $0.contains("continues to 0:00:00.433") })
        let lax = replay("\(redaction) privacy-strict=false", frames: Array(0..<9))
        #expect(lax.errors.isEmpty && lax.warnings.contains { $0.contains("continues to 0:00:00.433") })
    }

    /// The times of another stream begin again at 0, so the boxes would be at other places than the objects.
    @Test(arguments: [true, false], ["", "before", "after"])
    func otherStreamIsAnErrorWithStrictRedaction(isStrict: Bool, flush: String) {
        _ = record("score-threshold=0.1")
        let harness = ElementHarness(
            "detector=recorded detections-file=\(file) box-style=blur privacy-labels=cup privacy-strict=\(isStrict)")
        harness.setCaps()
        harness.push(harness.buffer(0))
        if flush == "before" { harness.flush() }
        gst_harness_push_event(harness.harness, gst_event_new_stream_start("another"))
        if flush == "after" { harness.flush() }
        harness.push(harness.buffer(1))
        gst_harness_push_event(harness.harness, gst_event_new_eos())
        var outcome = Outcome(messages: [], pictures: [], warnings: [], errors: [])
        readMessages(harness, into: &outcome)
        #expect(outcome.errors.contains { $0.contains("another stream has begun") } == isStrict)
        #expect(outcome.warnings.contains { $0.contains("another stream has begun") } == !isStrict)
    }

    @Test(arguments: [false, true])
    func labelThatTheRecordedDetectorDoesNotHaveIsAnErrorWithRedaction(isRecordedAgain: Bool) {
        let dog = Detection(
            box: Box(x: 8, y: 8, width: 16, height: 24), score: 0.9, label: Label(index: 1, text: "dog"))
        _ = play("record-detections=\(file)", source: { .detector(ScriptedDetector { _ in [dog] }) })
        let copy = folder.path + "/copy.jsonl"
        if isRecordedAgain { _ = replay("record-detections=\(copy)") }
        let properties =
            "detector=recorded detections-file=\(isRecordedAgain ? copy : file) box-style=blur privacy-labels="
        let outcome = play(properties + "@people,car")
        #expect(outcome.pictures.count == 14 && outcome.errors.isEmpty && outcome.warnings.isEmpty, "\(outcome)")
        let element = StartedElement(properties + "people")
        #expect(!element.hasStarted)
        let text = element.takeMessage(GST_MESSAGE_ERROR)
        #expect(text?.contains("no label 'people', which privacy-labels names; it has person, dog, car") == true)
    }

    /// One of two people who overlap can be missing. While redacting, the element uses at least 0.5, and records that.
    @Test(arguments: [("", true), ("box-style=blur", false)])
    func recordingWithLowOverlapThresholdIsAnErrorWithRedaction(properties: String, isError: Bool) {
        _ = record("iou-threshold=0.05 score-threshold=0.1 \(properties)")
        let outcome = replay("iou-threshold=0.05 box-style=blur")
        #expect(outcome.errors.contains { $0.contains("iou-threshold=0.05") } == isError, "\(outcome)")
    }

    /// The header promises detections that the later frames lack.
    @Test(arguments: [
        ("score-threshold", "0.9", true), ("iou-threshold", "0.05", true), ("score-threshold", "0.05", false),
    ])
    func thresholdThatOmitsDetectionsEndsTheRecording(property: String, value: String, isEnd: Bool) throws {
        let played = play("score-threshold=0.1 record-detections=\(file)", source: { .detector(Finder()) }) {
            if $0 == 5 { $1.set(property, value) }
        }
        #expect(played.warnings.contains { $0.contains("record again with constant thresholds") } == isEnd)
        #expect(try (RecordingReader(file, labels: nil).end == nil) == isEnd)
    }

    /// The boxes would be at another place than the objects.
    @Test func orientationMismatchIsAnErrorWithStrictRedaction() {
        _ = record("score-threshold=0.1 orientation=180")
        #expect(replay().warnings.contains { $0.contains("boxes may be displaced") })
        let redaction = "box-style=blur privacy-labels=cup"
        #expect(replay(redaction).errors.contains { $0.contains("boxes may be displaced") })
        #expect(replay("\(redaction) privacy-strict=false").errors.isEmpty)
    }

    @Test func detectionsAfterTheEndOfTheStreamAreWarnedAbout() throws {
        let harness = ElementHarness("record-detections=\(file)", source: { .detector(Finder()) })
        harness.setCaps()
        for number in 0..<4 { harness.push(harness.buffer(number)) }
        gst_harness_push_event(harness.harness, gst_event_new_eos())
        harness.flush()
        for number in 4..<8 { harness.push(harness.buffer(number)) }
        gst_harness_push_event(harness.harness, gst_event_new_eos())
        #expect(harness.takeMessage(GST_MESSAGE_WARNING)?.contains("the recording has ended with the stream") == true)
    }

    /// The end mark would prevent resuming, and playback with redaction would not warn of the missing results.
    @Test func failedStreamLeavesRecordingIncomplete() throws {
        for flow in [nil, GST_FLOW_ERROR, GST_FLOW_EOS] {
            let played = play(
                "record-detections=\(file) record-existing=replace", source: { .detector(Finder()) }
            ) { number, harness in
                guard number == 5 else { return }
                if let flow {
                    harness.refuseBuffers(with: flow)
                } else {
                    harness.set("privacy-labels", "cup")
                }
            }
            #expect(played.errors.count == (flow == nil ? 1 : 0))
            let reader = try RecordingReader(file, labels: nil)
            #expect(reader.end == nil && reader.last != nil)
        }
    }

    @Test func seekLeavesRecordingIncomplete() throws {
        let played = play("record-detections=\(file)", source: { .detector(Finder()) }, frames: [0, 1, 2, 10, 11]) {
            if $0 == 10 { $1.flush() }
        }
        #expect(played.warnings.contains { $0.contains("the recording stays incomplete") })
        #expect(try RecordingReader(file, labels: nil).end == nil)
    }

    /// Returns an element that holds and records frames.
    private func startRecording(_ detector: ControlledDetector) -> ElementHarness {
        let harness = ElementHarness("record-detections=\(file)", source: { .detector(detector) })
        gst_harness_set_live(harness.harness, 0)
        harness.setCaps()
        return harness
    }

    @Test func flushBeforeTheFirstResultLeavesRecordingIncomplete() throws {
        let detector = ControlledDetector(capacity: 8)
        let harness = startRecording(detector)
        harness.push(harness.buffer(0))
        harness.flush()
        harness.push(harness.buffer(1))
        detector.answer()
        gst_harness_push_event(harness.harness, gst_event_new_eos())
        #expect(harness.takeFrameNumbers() == [1])
        #expect(try RecordingReader(file, labels: nil).end == nil)
    }

    /// The flush begins while the first held frame is pushed, and interrupts the wait for the last one.
    @Test func flushDuringEndOfStreamLeavesRecordingIncomplete() throws {
        let detector = ControlledDetector(capacity: 8)
        let harness = startRecording(detector)
        for number in 0..<2 { harness.push(harness.buffer(number)) }
        detector.answer()
        gst_pad_add_probe(
            harness.harness.pointee.sinkpad, GST_PAD_PROBE_TYPE_BUFFER,
            { _, _, data in
                gst_harness_push_event(data?.assumingMemoryBound(to: GstHarness.self), gst_event_new_flush_start())
                return GST_PAD_PROBE_REMOVE
            }, harness.harness, nil)
        gst_harness_push_event(harness.harness, gst_event_new_eos())
        #expect(harness.takeFrameNumbers().count < 2)
        #expect(try RecordingReader(file, labels: nil).end == nil)
    }

    /// Some elements upstream continue after an error.
    @Test func noRecordedDetectionIsUsedAfterSizeMismatch() {
        _ = record()
        let played = replay(width: 32)
        #expect(played.errors.count == 1 && played.messages.isEmpty && played.pictures.isEmpty)
    }

    @Test func timedRecordingRejectsFramesWithoutTimestamps() {
        _ = record()
        let harness = ElementHarness("detector=recorded detections-file=\(file)")
        harness.setCaps()
        let buffer = harness.buffer(0)
        buffer.pointee.pts = .max
        harness.push(buffer)
        #expect(harness.takeMessage(GST_MESSAGE_ERROR)?.contains("indexed by time") == true)
    }

    @Test func framesWithoutTimestampsUseFrameNumbers() throws {
        func pass(_ properties: String, _ source: (@Sendable () -> DetectionSource)?) -> [String] {
            let harness = ElementHarness(
                "mode=single-image multiple-objects=true score-threshold=0.4 \(properties)", source: source)
            harness.setCaps()
            for _ in 0..<4 {
                let buffer = harness.buffer(0)
                buffer.pointee.pts = .max
                buffer.pointee.duration = .max
                harness.push(buffer)
            }
            gst_harness_push_event(harness.harness, gst_event_new_eos())
            return harness.messages("swiftodt").map(textWithoutUTCTime)
        }
        let plain = pass("record-detections=\(file)", { .detector(Finder()) })
        #expect(try String(contentsOfFile: file, encoding: .utf8).contains("{\"frame\":4,"))
        #expect(pass("detector=recorded detections-file=\(file)", nil) == plain && plain.count == 4)
    }

    @Test func propertiesWithoutEffectWarn() {
        _ = record()
        for (properties, word) in [
            ("iou-threshold=0.3", "iou-threshold"), ("score-threshold=0.15", "record again with that threshold"),
            ("orientation=180", "orientation=identity"),
        ] {
            let played = replay(properties)
            #expect(played.warnings.count == 1 && played.warnings[0].contains(word), "\(played.warnings)")
        }
    }

    @Test func incompleteRecordingWarns() throws {
        _ = play("record-detections=\(file)", source: { .detector(Finder()) }, eos: false)
        let played = replay(frames: Array(0..<10))
        #expect(
            played.warnings.contains { $0.contains("unfinished") && $0.contains("0:00:00.433") }, "\(played.warnings)")
    }

    @Test func motChallengeFileIsMatchedByFrameNumber() throws {
        try (1...30).filter { $0 % 2 == 1 }.map { "\($0),-1,\($0),5,20,20,0.9\n" }.joined().write(
            toFile: file, atomically: false, encoding: .utf8)
        let harness = ElementHarness("tracking=false detector=recorded detections-file=\(file)")
        harness.setCaps()
        for number in [0, 1, 2, 10, 11, 28] { ElementHarness.release(harness.pass(harness.buffer(number))) }
        #expect(harness.messages("swiftodt").map { $0.objects.first?[uint: "x"] } == [1, nil, 3, 11, nil, 29])
    }

    /// MOTChallenge files number the frames. The number of a frame is computed from its time and the rate in the caps.
    @Test(
        arguments: [
            (Array(0..<20), nil), (Array(5..<25), nil), ([0, 1] + Array(3..<20), nil),
            ((0..<20).map { 2 * $0 }, "the frame rate varies"), (Array(0..<9), "the recording continues to frame 20"),
        ] as [([Int], String?)])
    func frameNumbersThatDoNotFitTheTimesAreAnErrorWithStrictRedaction(frames: [Int], fault: String?) throws {
        try (1...20).map { "\($0),-1,5,5,20,20,0.9\n" }.joined().write(toFile: file, atomically: false, encoding: .utf8)
        for (properties, isStrict) in [
            ("", false), ("box-style=blur privacy-strict=false", false), ("box-style=blur", true),
        ] {
            let outcome = replay(properties, frames: frames)
            let warnings = outcome.warnings.filter { $0.contains(file) }
            let (posted, others) = isStrict ? (outcome.errors, warnings) : (warnings, outcome.errors)
            #expect(posted.contains { $0.contains(fault ?? "") } == (fault != nil), "\(properties): \(posted)")
            #expect(others == [], "\(properties)")
        }
    }

    /// The gate before the decoder passes key frames only.
    @Test func skippedFramesAfterStillPicturesFitFrameNumbers() throws {
        try (1...100).map { "\($0),-1,5,5,20,20,0.9\n" }.joined().write(
            toFile: file, atomically: false, encoding: .utf8)
        let outcome = play(
            "detector=recorded detections-file=\(file)", frames: [0, 1, 40, 70, 99],
            change: { number, harness in
                if number > 1 { gst_harness_push_event(harness.harness, gst_video_event_new_still_frame(1)) }
            })
        #expect(outcome.warnings == [] && outcome.errors == [])
    }

    /// In MOTChallenge files, -1 stands for an unknown score.
    @Test func motChallengeDetectionWithoutScoreIsUsed() throws {
        try "1,-1,10,5,20,20,-1,-1,-1,-1\n".write(toFile: file, atomically: false, encoding: .utf8)
        let reader = try RecordingReader(file, labels: nil)
        #expect(try reader.frame(at: .number(1), within: 0)?.detections.map(\.score) == [1])
    }

    @Test func startFailureNamesReason() throws {
        for (properties, word) in [
            ("detector=recorded", "needs detections-file"), ("detector=recorded detections-file=/nowhere", "/nowhere"),
            ("detector=motion record-detections=/nowhere/at/all", "cannot be written"),
            ("detector=motion record-detections=\(folder.path)", "cannot be written"),
        ] {
            let element = StartedElement(properties)
            #expect(!element.hasStarted)
            let text = element.takeMessage(GST_MESSAGE_ERROR) ?? ""
            #expect(text.contains(word), "\(text)")
        }
        for (properties, word) in [
            ("detector=motion detections-file=x", "detections-file"),
            ("detector=motion record-existing=replace", "record-existing"),
        ] {
            let element = StartedElement(properties)
            #expect(element.hasStarted)
            #expect(element.takeMessage(GST_MESSAGE_WARNING)?.contains(word) == true)
        }
    }

    @Test func sameFileCannotBePlayedAndRecorded() throws {
        _ = record()
        let before = try String(contentsOfFile: file, encoding: .utf8)
        let element = StartedElement(
            "detector=recorded detections-file=\(file) record-detections=\(file) record-existing=replace")
        #expect(!element.hasStarted && element.takeMessage(GST_MESSAGE_ERROR)?.contains("same file") == true)
        #expect(try String(contentsOfFile: file, encoding: .utf8) == before)
    }
}
