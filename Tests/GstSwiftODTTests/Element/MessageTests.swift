import CODTGStreamer
import CODTGStreamerCheck
import Testing

@testable import GstSwiftODT
@testable import SwiftODT

/// Tests the format of bus messages and metadata, and when they are posted.
@Suite struct MessageTests {
    /// Pushes frames with one region at a fixed place and passes each output to `inspect`.
    private func run(
        _ properties: String, frames: Int, source: (@Sendable () -> DetectionSource)? = nil,
        regions: (Int) -> Bool = { _ in true }, inspect: (ElementHarness.Buffer) -> Void = { _ in }
    ) -> ElementHarness {
        let harness = ElementHarness(
            (source == nil ? "detector=upstream " : "") + "track-min-hits=1 \(properties)", source: source)
        harness.setCaps()
        for number in 0..<frames {
            let buffer = harness.buffer(number)
            if regions(number) { harness.addRegion(to: buffer, x: 8, y: 6, width: 20, height: 16) }
            if let output = harness.pass(buffer) {
                inspect(output)
                ElementHarness.release(output)
            }
        }
        return harness
    }

    @Test func messageContainsEveryFieldWithItsType() throws {
        let message = try #require(run("source=door classify=false", frames: 3).messages("swiftodt").last)
        #expect(message[uint: "version"] == 1)
        #expect(message[uint64: "sequence"] == 2)
        #expect(message[uint: "epoch"] == 0)
        #expect(message[uint64: "timestamp"] == 66_666_666)
        #expect(message[uint64: "stream-time"] == 66_666_666)
        #expect(message[uint64: "running-time"] == 66_666_666)
        #expect(message[uint64: "duration"] == 33_333_333)
        #expect(message[uint: "width"] == 64 && message[uint: "height"] == 48)
        #expect(message[text: "orientation"] == "identity" && message[text: "mode"] == "stream")
        #expect(message[uint64: "detection-timestamp"] == 66_666_666 && message[uint64: "detection-latency"] == 0)
        #expect(message[uint: "object-count"] == 1)
        #expect(message[text: "source"] == "door")
        let object = try #require(message.objects.first)
        #expect(object[uint64: "tracking-id"] == 1)
        #expect(object[uint: "x"] == 8 && object[uint: "y"] == 6)
        #expect(object[uint: "width"] == 20 && object[uint: "height"] == 16)
        #expect(object[real: "x-min"] == 8.0 / 64 && object[real: "y-max"] == 22.0 / 48)
        #expect(object[real: "score"] != nil)
        #expect(object[text: "category"] == "unknown" && object[int: "category-index"] == -1)
        #expect(object[real: "confidence"] == nil)
        #expect(object[text: "label"] == "cup" && object[int: "label-index"] == 7)
        #expect(object[text: "state"] == "tracked")
        #expect(object[uint64: "first-seen"] == 0 && object[uint64: "last-seen"] == 66_666_666)
        #expect(object[uint64: "time-since-update"] == 0)
        #expect(object[real: "velocity-x"] != nil && object[real: "velocity-y"] != nil)
        #expect(object[flag: "prominent"] == true && object[uint: "rank"] == 0)
    }

    /// The name is the type of regions of interest and of analytics entries.
    @Test func nameIsLabelElseClassifierLabelElseCategory() {
        func name(_ label: String?, _ classifierLabel: String?, _ category: SwiftODT.Category) -> String {
            let track = Track(
                id: 1, box: Box(x: 0, y: 0, width: 9, height: 9), score: 0.5,
                label: label.map { Detection.Label(index: 0, text: $0) }, state: .tracked, lastSeen: 0)
            let found = classifierLabel.map {
                ClassifierLabel(label: Detection.Label(index: 0, text: $0), score: 0.5)
            }
            let object = SceneObject(track: track, category: category, classifierLabel: found)
            return ReportedObject(object, pictureWidth: 64, pictureHeight: 48).name
        }
        #expect(name("bird", "robin", .food) == "bird")
        #expect(name(nil, "robin", .food) == "robin")
        #expect(name(nil, nil, .food) == "food")
        #expect(name(nil, nil, .unknown) == "object")
    }

    /// Threshold, label groups and identity of the network come from the detector; a set threshold overrides.
    @Test func detectorTraitsApplyToFilterAndMessages() throws {
        var traits = DetectorTraits()
        traits.scoreThreshold = 0.6
        traits.labelGroups = ["farm": ["cow"]]
        traits.model = DetectorTraits.Model(name: "animals.onnx", sum: "c0ffee")
        let detector = ScriptedDetector(traits: traits) { _ in
            [("cow", 0.7, 0.0), ("dog", 0.9, 20), ("cow", 0.5, 40)].map {
                Detection(box: Box(x: $2, y: 8, width: 16, height: 24), score: $1, label: Label(index: 1, text: $0))
            }
        }
        for (threshold, count) in [("", 1), ("score-threshold=0.4", 2)] {
            let harness = ElementHarness(
                "mode=single-image multiple-objects=true label-allowlist=@farm \(threshold)",
                source: { .detector(detector) })
            harness.setCaps()
            harness.pass(harness.buffer(0)).map(ElementHarness.release)
            let message = try #require(harness.messages("swiftodt").last)
            #expect(message.objects.map { $0[text: "label"] } == Array(repeating: "cow", count: count))
            #expect(message[text: "model"] == "animals.onnx" && message[text: "model-sum"] == "c0ffee")
        }
    }

    /// In streams, both the interval and the flag GAP skip the inference on a frame.
    @Test func everySingleImageHasAResult() throws {
        let detector = FixedDetector()
        let harness = ElementHarness("mode=single-image inference-interval=5", source: { .detector(detector) })
        #expect(harness.takeMessage(GST_MESSAGE_WARNING)?.contains("inference-interval has no effect") == true)
        harness.setCaps()
        for number in 0..<4 {
            let buffer = harness.buffer(number)
            if number == 2 { buffer.pointee.mini_object.flags |= GST_BUFFER_FLAG_GAP.rawValue }
            harness.pass(buffer).map(ElementHarness.release)
        }
        #expect(detector.asked == 4 && harness.messages("swiftodt").count == 4)
        let unmappable = try #require(gst_buffer_new_allocate(nil, 10, nil))
        unmappable.pointee.pts = 200_000_000
        #expect(harness.push(unmappable) == GST_FLOW_ERROR)
        #expect(harness.takeMessage(GST_MESSAGE_ERROR)?.contains("cannot be mapped") == true)
    }

    /// A picture without objects reports the best rejected detection; `stats` counts rejections by reason.
    @Test func emptyResultReportsBestRejected() throws {
        let harness = ElementHarness("detector=upstream mode=single-image multiple-objects=true label-denylist=dog")
        harness.setCaps()
        let pictures = [[("person", 0.31), ("cat", 0.25)], [("dog", 0.9)], [("cup", 0.5), ("cat", 0.3)], []]
        for (number, regions) in pictures.enumerated() {
            let buffer = harness.buffer(number)
            for (name, score) in regions {
                harness.addRegion(to: buffer, x: 8, y: 6, width: 20, height: 16, name: name, confidence: score)
            }
            ElementHarness.release(harness.pass(buffer))
        }
        let reported = harness.messages("swiftodt").map { message in
            message[text: "best-rejected-label"].map {
                "\($0) \(message[real: "best-rejected-score"] ?? -1) \(message[text: "best-rejected-reason"] ?? "")"
            }
        }
        #expect(reported == ["person 0.31 below-threshold", "dog 0.9 not-allowed", nil, nil])
        let counters = try harness.counters()
        #expect(counters[structure: "rejected"]?[uint64: "below-threshold"] == 3)
        #expect(counters[structure: "rejected"]?[uint64: "not-allowed"] == 1)
        #expect(counters[structure: "rejected"]?[uint64: "too-small"] == 0)
        #expect(counters[text: "best-rejected-label"] == "dog")
    }

    /// Pushes frames with four objects each.
    private func crowd(_ properties: String, frames: Int = 5) -> ElementHarness {
        let harness = ElementHarness("detector=upstream track-min-hits=1 \(properties)")
        harness.setCaps()
        for number in 0..<frames {
            let buffer = harness.buffer(number)
            for place in 0..<4 { harness.addRegion(to: buffer, x: 16 * place, y: 6, width: 12, height: 30) }
            ElementHarness.release(harness.pass(buffer))
        }
        return harness
    }

    @Test func objectsBeyondMaxObjectsAreCountedAndWarnOnceAtEndOfStream() throws {
        let harness = crowd("multiple-objects=true max-objects=2")
        #expect(harness.takeMessage(GST_MESSAGE_WARNING) == nil)
        let counters = try harness.counters()
        #expect(counters[uint64: "left-out-objects"] == 2 && counters[uint64: "left-out-frames"] == 5)
        for expected in [
            "2 objects in 5 frames were not reported because of max-objects=2; set max-objects=4 or more", nil,
        ] {
            gst_harness_push_event(harness.harness, gst_event_new_eos())
            #expect(harness.takeMessage(GST_MESSAGE_WARNING) == expected)
        }
    }

    @Test func stoppedStreamWarnsOfObjectsBeyondMaxObjects() {
        let harness = crowd("multiple-objects=true max-objects=3", frames: 1)
        gst_element_set_state(harness.element, GST_STATE_READY)
        #expect(
            harness.takeMessage(GST_MESSAGE_WARNING)
                == "1 object in 1 frame was not reported because of max-objects=3; set max-objects=4 or more")
    }

    @Test(arguments: ["max-objects=5", "multiple-objects=true", "multiple-objects=true max-objects=4"])
    func maxObjectsDoesNotWarnIfNothingIsOmitted(_ properties: String) throws {
        let harness = crowd(properties)
        gst_harness_push_event(harness.harness, gst_event_new_eos())
        #expect(harness.takeMessage(GST_MESSAGE_WARNING) == nil)
        #expect(try harness.counters()[uint64: "left-out-objects"] == 0)
    }

    /// An application that retains the messages it has read continues to receive messages. One that reads nothing
    /// receives up to 512.
    @Test(arguments: [(true, 700), (false, 512)]) func retainedMessagesDoNotCountAsUnread(_ reads: Bool, _ count: Int) {
        let harness = ElementHarness("detector=upstream updates=every-frame draw=false")
        harness.setCaps()
        var kept: [UnsafeMutablePointer<GstMessage>] = []
        func read() {
            while let message = gst_bus_pop_filtered(harness.bus, GST_MESSAGE_ELEMENT) { kept.append(message) }
        }
        for number in 0..<700 {
            ElementHarness.release(harness.pass(harness.buffer(number, fill: nil)))
            if reads { read() }
        }
        read()
        #expect(kept.count == count)
        for message in kept {
            gst_mini_object_unref(UnsafeMutableRawPointer(message).assumingMemoryBound(to: GstMiniObject.self))
        }
    }

    @Test func structuresRoundTripThroughText() {
        let harness = ElementHarness(
            "detector=upstream track-min-hits=1 message-format=structure+json source=\"a,\\ \\\"b\\\"\"")
        harness.setCaps()
        for (number, name) in ["a & <b> \"c\"; {d}, [e]", "größe 日本", "x=(int)1", "\\"].enumerated() {
            let buffer = harness.buffer(number)
            harness.addRegion(to: buffer, x: 8, y: 6, width: 20, height: 16, name: name)
            ElementHarness.release(harness.pass(buffer))
        }
        gst_harness_push_event(harness.harness, gst_event_new_eos())
        var texts: [String] = []
        while let message = gst_bus_pop_filtered(harness.bus, GST_MESSAGE_ELEMENT) {
            texts.append(Structure(copying: gst_message_get_structure(message)).text)
            gst_mini_object_unref(UnsafeMutableRawPointer(message).assumingMemoryBound(to: GstMiniObject.self))
        }
        #expect(texts.count >= 6)
        for text in texts { #expect(Structure(parsing: text)?.text == text) }
    }

    @Test func trackEventsArePostedForBeginAndEnd() {
        let harness = run("", frames: 3)
        gst_harness_push_event(harness.harness, gst_event_new_eos())
        let events = harness.messages("swiftodt-track")
        #expect(events.map { $0[text: "event"] } == ["begin", "end"])
        #expect(events.last?[text: "reason"] == "eos")
        #expect(events.last?[uint64: "tracking-id"] == 1)
    }

    /// The application finds the best picture of an object by these times.
    @Test func endEventReportsBestDetection() throws {
        let harness = ElementHarness("detector=upstream track-min-hits=1")
        harness.setCaps()
        for (number, score) in [0.6, 0.7, 0.9, 0.8].enumerated() {
            let buffer = harness.buffer(number + 30)
            harness.addRegion(to: buffer, x: 8 + number, y: 6, width: 20, height: 16, confidence: score)
            ElementHarness.release(harness.pass(buffer))
        }
        gst_harness_push_event(harness.harness, gst_event_new_eos())
        let end = try #require(harness.messages("swiftodt-track").last)
        #expect(end[text: "event"] == "end")
        #expect(end[real: "best-score"] == 0.9 && end[uint: "best-x"] == 10)
        // Both operands have the same type. Otherwise the macro would compare them as AnyHashable, which reads out of
        // bounds.
        let seen: UInt64 = 32 * 33_333_333
        #expect(end[uint64: "best-timestamp"] == seen && end[uint64: "best-running-time"] == seen)
    }

    /// An `update` event contains the best detection so far, not the latest one.
    @Test func changeEventReportsBestDetectionSoFar() throws {
        let harness = ElementHarness("detector=upstream track-min-hits=1")
        harness.setCaps()
        for (number, name) in ["cup", "mug", "mug", "mug"].enumerated() {
            let buffer = harness.buffer(number)
            let confidence = number == 0 ? 0.9 : 0.8
            harness.addRegion(
                to: buffer, x: 8 + number, y: 6, width: 20, height: 16, name: name, confidence: confidence)
            ElementHarness.release(harness.pass(buffer))
        }
        // While two labels compete, the object has none.
        let updates = harness.messages("swiftodt-track").filter { $0[text: "event"] == "update" }
        #expect(updates.map { $0[text: "label"] } == ["", "mug"])
        let update = try #require(updates.last)
        #expect(update[real: "best-score"] == 0.9 && update[uint: "best-x"] == 8)
        #expect(update[uint64: "best-timestamp"] == 0)
    }

    @Test func updatesPropertySelectsMessages() {
        let seldom: (Int) -> Bool = { $0 % 4 == 0 }
        #expect(run("updates=every-frame", frames: 8, regions: seldom).messages("swiftodt").count == 8)
        #expect(run("updates=on-result inference-interval=4", frames: 8).messages("swiftodt").count == 2)
        #expect(run("updates=on-change", frames: 8).messages("swiftodt").count == 1)
        #expect(run("updates=on-object tracking=false", frames: 8, regions: seldom).messages("swiftodt").count == 2)
        #expect(run("updates=none", frames: 8).messages("swiftodt").isEmpty)
    }

    /// Returns the object counts of the messages for three frames with an object, an action, and further frames.
    private func changes(
        _ properties: String = "", between: (ElementHarness) -> Void, then frames: Int = 3, regions: Bool = false
    ) -> [Int] {
        let harness = run("updates=on-change \(properties)", frames: 3)
        between(harness)
        for number in 3..<3 + frames {
            let buffer = harness.buffer(number)
            if regions { harness.addRegion(to: buffer, x: 8, y: 6, width: 20, height: 16) }
            ElementHarness.release(harness.pass(buffer))
        }
        return harness.messages("swiftodt").map { Int($0[uint: "object-count"] ?? 99) }
    }

    @Test func onChangePostsEmptyMessageAfterFlush() {
        #expect(changes(between: { $0.flush() }) == [1, 0])
        // The objects of the new epoch are reported once.
        #expect(changes(between: { $0.flush() }, regions: true) == [1, 1])
        #expect(run("updates=on-change", frames: 3, regions: { _ in false }).messages("swiftodt").isEmpty)
    }

    /// The message that the object has disappeared is still deferred when the flush discards it.
    @Test func onChangePostsEmptyMessageAfterFlushDroppedOne() {
        let reported = changes(
            "message-interval=60000000000 tracking=false",
            between: { harness in
                ElementHarness.release(harness.pass(harness.buffer(3)))
                harness.flush()
            })
        #expect(reported == [1, 0])
    }

    @Test func onChangePostsEmptyMessageAtEndOfStream() {
        let harness = run("updates=on-change", frames: 3)
        gst_harness_push_event(harness.harness, gst_event_new_eos())
        let messages = harness.messages("swiftodt")
        #expect(messages.map { $0[uint: "object-count"] } == [1, 0])
        #expect(messages.map { $0[uint64: "sequence"] } == [0, 1])
        #expect(messages.last?[uint64: "timestamp"] == 66_666_666)
        let empty = run("updates=on-change", frames: 3, regions: { _ in false })
        gst_harness_push_event(empty.harness, gst_event_new_eos())
        #expect(empty.messages("swiftodt").isEmpty)
        let others = run("updates=on-result", frames: 3)
        gst_harness_push_event(others.harness, gst_event_new_eos())
        #expect(others.messages("swiftodt").count == 3)
    }

    /// Messages contain the score that labels show: the score of the latest detection above the threshold.
    @Test func reportedScoreIsThatOfTheLatestStrongDetection() {
        let harness = ElementHarness("detector=upstream track-min-hits=1 updates=every-frame")
        harness.setCaps()
        for (number, score) in [0.8, 0.7, 0.25, nil, nil].enumerated() {
            let buffer = harness.buffer(number)
            if let score { harness.addRegion(to: buffer, x: 8, y: 6, width: 20, height: 16, confidence: score) }
            ElementHarness.release(harness.pass(buffer))
        }
        let objects = harness.messages("swiftodt").compactMap(\.objects.first)
        #expect(objects.map { $0[text: "state"] } == ["new", "tracked", "tracked", "coasting", "coasting"])
        #expect(objects.map { $0[real: "score"] } == [0.8, 0.7, 0.7, 0.7, 0.7])
    }

    /// `track-events` and `updates` select their messages independently of each other.
    @Test func trackEventsAreIndependentOfUpdates() {
        let quiet = run("updates=none", frames: 8)
        #expect(quiet.messages("swiftodt-track").map { $0[text: "event"] } == ["begin"])
        #expect(run("updates=none track-events=false", frames: 8).messages("swiftodt-track").isEmpty)
        #expect(run("track-events=false", frames: 8).messages("swiftodt-track").isEmpty)
        #expect(run("track-events=false", frames: 8).messages("swiftodt").count == 8)
    }

    @Test func statsContainSourceName() throws {
        let harness = run("source=door", frames: 1)
        let counters = try harness.counters()
        #expect(counters[text: "source"] == "door")
    }

    /// An element that tracks the results of another one replaces them; otherwise a reader would find the older ones.
    @Test func upstreamRegionsAreReplacedByTrackedOnes() throws {
        let first = ElementHarness("detector=upstream track-min-hits=1 source=first")
        let second = ElementHarness("detector=upstream track-min-hits=1 source=second")
        for harness in [first, second] { harness.setCaps() }
        let buffer = first.buffer(0)
        first.addRegion(to: buffer, x: 8, y: 6, width: 20, height: 16)
        let handedOn = try #require(first.pass(buffer))
        let output = try #require(second.pass(handedOn))
        let meta = gst_buffer_get_custom_meta(output, "SwiftOdtMeta")
        let structure = try #require(meta.flatMap(gst_custom_meta_get_structure))
        #expect(Structure(copying: structure)[text: "source"] == "second")
        ElementHarness.release(output)
    }

    /// In a live stream with a slow detector, the region is drawn when the result arrives.
    @Test func inferenceRegionsAreDrawnWhenResultsArrive() throws {
        let detector = ControlledDetector(finds: false)
        let harness = ElementHarness(
            "strategy=keep-only-latest draw-inference-regions=true", source: { .detector(detector) })
        harness.setCaps()
        func isDrawnOn(_ number: Int) -> Bool {
            let buffer = harness.buffer(number, fill: nil)
            let output = harness.pass(buffer)
            defer { ElementHarness.release(output) }
            return output.map { ElementHarness.bytes(of: $0).contains { $0 != 0x80 } } ?? false
        }
        #expect(!(0..<30).contains(where: isDrawnOn))
        detector.answer()
        #expect(isDrawnOn(30))
    }

    /// Regions of the previous scene are not drawn.
    @Test func sceneCutRemovesInferenceRegions() throws {
        let harness = ElementHarness(
            "strategy=every-frame inference-interval=1000 draw-inference-regions=true",
            source: { .detector(FixedDetector()) })
        harness.setCaps(width: 128, height: 96)
        func isDrawnOn(_ number: Int, _ fill: @escaping (Int) -> UInt8) -> Bool {
            let buffer = harness.buffer(number, fill: fill)
            let before = ElementHarness.bytes(of: buffer)
            let output = harness.pass(buffer)
            defer { ElementHarness.release(output) }
            return output.map { ElementHarness.bytes(of: $0) != before } ?? false
        }
        // A bright area on the left, then in the middle.
        func scene(_ lit: Range<Int>) -> (Int) -> UInt8 { { lit.contains($0 % 128) ? 200 : 60 } }
        #expect(isDrawnOn(0, scene(0..<40)))
        #expect(isDrawnOn(1, scene(0..<40)))
        #expect(!isDrawnOn(2, scene(50..<80)))
    }

    @Test func messageIntervalKeepsNewestMessage() throws {
        let harness = run("message-interval=100000000", frames: 10)
        let counters = try harness.counters()
        let messages = harness.messages("swiftodt")
        #expect(messages.map { $0[uint64: "timestamp"] } == [0, 133_333_332, 266_666_664])
        #expect(counters[uint64: "coalesced-messages"] == 6)
        #expect(counters[uint64: "frames"] == 10)
    }

    /// A folder of photographs of different sizes changes the caps often.
    @Test func messageIntervalAppliesAcrossSizeChanges() throws {
        let harness = ElementHarness("detector=upstream message-interval=100000000")
        for number in 0..<10 {
            harness.setCaps(width: number.isMultiple(of: 2) ? 64 : 80)
            ElementHarness.release(harness.pass(harness.buffer(number)))
        }
        let counters = try harness.counters()
        #expect(harness.messages("swiftodt").map { $0[uint64: "timestamp"] } == [0, 133_333_332, 266_666_664])
        #expect(counters[uint64: "coalesced-messages"] == 6)
    }

    /// The clock of an element without timestamps begins at 0 in each epoch.
    @Test func messageIntervalRestartsWhenRunningTimeRestarts() throws {
        let harness = ElementHarness("detector=upstream message-interval=100000000")
        for number in 0..<4 {
            harness.setCaps(width: number.isMultiple(of: 2) ? 64 : 80)
            let buffer = harness.buffer(number)
            (buffer.pointee.pts, buffer.pointee.duration) = (.max, .max)
            ElementHarness.release(harness.pass(buffer))
        }
        #expect(harness.messages("swiftodt").count == 4)
    }

    /// The deferred message contains an object that has ended with the epoch.
    @Test func onChangePostsEmptyMessageAfterDeferredMessageOfEarlierEpoch() throws {
        let harness = ElementHarness(
            "detector=upstream updates=on-change message-interval=100000000 multiple-objects=true track-min-hits=1")
        for number in 0..<10 {
            harness.setCaps(width: number < 3 ? 64 : 80)
            let buffer = harness.buffer(number)
            if number < 3 { harness.addRegion(to: buffer, x: number == 0 ? 4 : 30, y: 6, width: 20, height: 16) }
            if number == 1 { harness.addRegion(to: buffer, x: 4, y: 26, width: 20, height: 16) }
            ElementHarness.release(harness.pass(buffer))
        }
        let messages = harness.messages("swiftodt")
        #expect(messages.count > 1)
        #expect(messages.last?.objects.isEmpty == true)
    }

    @Test func deferredMessageOfFlushedStreamCountsAsCoalesced() throws {
        let harness = run("message-interval=100000000", frames: 2)
        harness.flush()
        ElementHarness.release(harness.pass(harness.buffer(0)))
        #expect(try harness.counters()[uint64: "coalesced-messages"] == 1)
        #expect(harness.messages("swiftodt").count == 2)
    }

    @Test func jsonFormatContainsObjectsInsteadOfStructure() throws {
        let message = try #require(run("message-format=json", frames: 1).messages("swiftodt").first)
        let json = try #require(message[text: "json"])
        #expect(message.objects.isEmpty)
        #expect(json.hasPrefix("{\"message\":\"swiftodt\",\"version\":1,\"sequence\":0,"))
        #expect(json.contains("\"objects\":[{\"tracking-id\":1,\"x\":8,\"y\":6,\"width\":20,\"height\":16,"))
    }

    /// The fields of several objects are valid JSON.
    @Test func jsonHoldsSeveralObjects() throws {
        let harness = ElementHarness(
            "detector=upstream track-min-hits=1 multiple-objects=true message-format=json")
        harness.setCaps()
        let buffer = harness.buffer(0)
        for x in [2, 24, 44] { harness.addRegion(to: buffer, x: x, y: 6, width: 16, height: 16) }
        if let output = harness.pass(buffer) { ElementHarness.release(output) }
        let message = try #require(harness.messages("swiftodt").first)
        let json = try JSONValue(parsing: Array(try #require(message[text: "json"]).utf8))
        #expect(json["objects"]?.array?.compactMap { $0["x"]?.integer }.sorted() == [2, 24, 44])
    }

    /// Both kinds of messages contain their name, and unknown times are null.
    @Test func trackEventsAreWrittenAsJSON() throws {
        let harness = ElementHarness("detector=upstream track-min-hits=1 message-format=json source=door")
        harness.setCaps()
        let buffer = harness.buffer(0)
        (buffer.pointee.pts, buffer.pointee.duration) = (.max, .max)
        harness.addRegion(to: buffer, x: 8, y: 6, width: 20, height: 16, name: "a \"b\"")
        ElementHarness.release(harness.pass(buffer))
        let message = try #require(harness.messages("swiftodt-track").first)
        let json = try JSONValue(parsing: Array(try #require(message[text: "json"]).utf8))
        #expect(json["message"]?.string == "swiftodt-track" && json["event"]?.string == "begin")
        #expect(json["label"]?.string == "a \"b\"" && json["source"]?.string == "door")
        for time in ["timestamp", "stream-time", "running-time", "best-timestamp"] {
            #expect(message[uint64: time] == .max)
            #expect(json[time] == .null)
        }
    }

    @Test func unreadBusIsBounded() {
        let harness = run("updates=every-frame", frames: 2000)
        let messages = harness.messages("swiftodt").count
        #expect(messages > 100 && messages < 1000)
    }

    @Test func metadataStaysOnBuffer() {
        var checked = 0
        let cup = Detection(
            box: Box(x: 8, y: 6, width: 20, height: 16), score: 0.9, label: Label(index: 7, text: "cup"))
        let harness = run(
            "", frames: 2, source: { .detector(FixedDetector(cup)) }, regions: { _ in false },
            inspect: { output in
                let region = gst_buffer_get_meta(output, gst_video_region_of_interest_meta_api_get_type())!
                let meta = UnsafeMutableRawPointer(region).assumingMemoryBound(to: GstVideoRegionOfInterestMeta.self)
                #expect(String(cString: g_quark_to_string(meta.pointee.roi_type)) == "cup")
                #expect(AnalyticsLibrary.shared != nil || meta.pointee.id == 1)
                #expect([meta.pointee.x, meta.pointee.y, meta.pointee.w, meta.pointee.h] == [8, 6, 20, 16])
                let detection = Structure(copying: gst_video_region_of_interest_meta_get_param(meta, "detection"))
                #expect(detection[int: "label_id"] == 7 && detection[real: "x_min"] == 0.125)
                let identity = Structure(copying: gst_video_region_of_interest_meta_get_param(meta, "object_id"))
                #expect(identity[int: "id"] == 1)
                let custom = gst_buffer_get_custom_meta(output, "SwiftOdtMeta")!
                let structure = Structure(copying: gst_custom_meta_get_structure(custom))
                #expect(structure.objects.first?[real: "x-min"] == 0.125)
                #expect(gst_buffer_get_n_meta(output, gst_video_region_of_interest_meta_api_get_type()) == 1)
                checked += 1
            })
        withExtendedLifetime(harness) {}
        #expect(checked == 2)
    }
}
