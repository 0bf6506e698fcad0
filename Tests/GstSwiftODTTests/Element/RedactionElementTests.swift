import CODTGStreamer
import CODTGStreamerCheck
import Testing

@testable import GstSwiftODT
@testable import SwiftODT

/// Tests that redaction fails closed: if it cannot be guaranteed, an error is posted and no frame passes without
/// redaction.
@Suite struct RedactionElementTests {
    private static let person = Box(x: 8, y: 8, width: 16, height: 24)

    private static func detection(_ label: String?, score: Double = 0.9, x: Double = 8) -> Detection {
        let labels = ["person", "dog", "car"]
        return Detection(
            box: Box(x: x, y: 8, width: 16, height: 24), score: score,
            label: label.map { Label(index: labels.firstIndex(of: $0) ?? 9, text: $0) })
    }

    private static func source(
        _ script: @escaping @Sendable (Int) -> [Detection] = { _ in [] }
    ) -> DetectionSource { .detector(ScriptedDetector(script: script)) }

    // MARK: Requests that cannot be guaranteed

    struct Request: Sendable, CustomTestStringConvertible {
        let properties: String
        var isFallback = false
        let remedy: String
        var testDescription: String { properties }
    }

    /// With `strategy=keep-only-latest` the detector is created when the element starts.
    private static let unguaranteed = [
        Request(
            properties: "box-style=blur privacy-labels=persons", remedy: "privacy-labels names; did you mean 'person'?"),
        Request(
            properties: "box-style=pixelate privacy-labels=person,face",
            remedy: "no label 'face', which privacy-labels names; it has"),
        Request(properties: "privacy-labels=person", remedy: "set box-style=blur or pixelate"),
        Request(properties: "box-style=blur draw=false", remedy: "set draw=true"),
        Request(properties: "box-style=blur privacy-labels=person draw=false", remedy: "set draw=true"),
        Request(properties: "box-style=blur privacy-labels=person detector=motion", remedy: "set detector=neural"),
        Request(properties: "box-style=blur privacy-labels=person detector=salient", remedy: "set detector=neural"),
        Request(
            properties: "box-style=blur privacy-labels=@persons detector=upstream", remedy: "no label group @persons"),
        Request(
            properties: "box-style=blur privacy-labels=persons detector=tensors", remedy: "did you mean 'person'?"),
        Request(properties: "box-style=blur privacy-labels=person", isFallback: true, remedy: "odt setup"),
        Request(properties: "box-style=pixelate", isFallback: true, remedy: "odt setup"),
    ]

    private static func start(_ request: Request, _ more: String = "") -> StartedElement {
        StartedElement("strategy=keep-only-latest \(request.properties) \(more)") { _, _, _ in
            request.isFallback ? .substitute(FixedDetector()) : source()
        }
    }

    @Test(arguments: unguaranteed) func unguaranteedRedactionPostsErrorWithRemedy(_ request: Request) {
        let element = Self.start(request)
        #expect(!element.hasStarted)
        let text = element.takeMessage(GST_MESSAGE_ERROR)
        #expect(text?.contains(request.remedy) == true, "\(text ?? "no error")")
        #expect(text?.contains("privacy-strict=false") == true)
    }

    @Test(arguments: unguaranteed) func privacyStrictFalseTurnsErrorIntoWarning(_ request: Request) {
        let element = Self.start(request, "privacy-strict=false")
        #expect(element.hasStarted)
        let warnings = Array(sequence(state: (), next: { _ in element.takeMessage(GST_MESSAGE_WARNING) }))
        #expect(warnings.count { $0.contains(request.remedy) } == 1, "\(warnings)")
    }

    @Test func knownPrivacyLabelsStartWithoutWarning() {
        for properties in [
            "box-style=blur privacy-labels=Person,dog", "box-style=blur privacy-labels=@people", "box-style=pixelate",
            "privacy-labels=\"\"",
        ] {
            let element = StartedElement("strategy=keep-only-latest draw-labels=false \(properties)") { _, _, _ in
                Self.source()
            }
            #expect(element.hasStarted, "\(properties)")
            #expect(element.takeMessage(GST_MESSAGE_WARNING) == nil, "\(properties)")
        }
    }

    /// The groups are known only after the detector has been created.
    @Test(arguments: ["strategy=keep-only-latest", "look-ahead=1", "mode=single-image", "detector=tensors"])
    func labelGroupsOfDetectorAreAccepted(_ properties: String) {
        var traits = DetectorTraits()
        traits.labelGroups = ["pets": ["dog"]]
        let detector = ScriptedDetector(traits: traits) { _ in [] }
        let element = StartedElement("box-style=blur privacy-labels=@pets \(properties)") { _, _, _ in
            .detector(detector)
        }
        #expect(element.hasStarted)
        #expect(element.takeMessage(GST_MESSAGE_ERROR) == nil)
    }

    @Test func detectorWithUnknownLabelsIsAnError() {
        let element = StartedElement("strategy=keep-only-latest box-style=blur privacy-labels=person") { _, _, _ in
            .detector(ScriptedDetector(labels: nil) { _ in [] })
        }
        #expect(!element.hasStarted)
        #expect(element.takeMessage(GST_MESSAGE_ERROR)?.contains("label-file") == true)
    }

    @Test(arguments: [("privacy-labels", "persons"), ("box-style", "rectangle"), ("draw", "false")])
    func unguaranteedChangeWhilePlayingFailsBeforeNextFrame(_ property: String, _ value: String) {
        let harness = ElementHarness(
            "strategy=keep-only-latest box-style=blur privacy-labels=person", source: { Self.source() })
        harness.setCaps()
        #expect(harness.push(harness.buffer(0)) == GST_FLOW_OK)
        harness.set(property, value)
        #expect(harness.push(harness.buffer(1)) == GST_FLOW_ERROR)
        #expect(gst_harness_buffers_in_queue(harness.harness) == 1)
        #expect(harness.takeMessage(GST_MESSAGE_ERROR)?.contains("privacy-strict") == true)
    }

    /// The labels of upstream elements are known only from their detections. `names` are the labels of one frame.
    @Test(
        arguments: [
            ("persons,face", ["person", "dog"], GST_FLOW_ERROR),
            ("person,face,dgs", ["person", "dog"], GST_FLOW_OK), ("person,personal", ["person", "dog"], GST_FLOW_OK),
            ("person", ["persons"], GST_FLOW_ERROR), ("person", ["person_1"], GST_FLOW_ERROR),
            ("person", ["person-0"], GST_FLOW_ERROR), ("person", ["people"], GST_FLOW_ERROR),
            ("person", ["persn"], GST_FLOW_ERROR), ("statue", ["statoe"], GST_FLOW_ERROR),
            ("bicycle", ["tricycle"], GST_FLOW_OK), ("horse,couch", ["house", "coach"], GST_FLOW_OK),
            ("car", ["cars"], GST_FLOW_ERROR), ("bicycle", ["bicycle wheel"], GST_FLOW_OK),
            ("person", ["person-male"], GST_FLOW_ERROR), ("person", ["face"], GST_FLOW_OK),
            ("person,people", ["man", "person"], GST_FLOW_OK),
            ("person", ["pedestrian"], GST_FLOW_ERROR), ("person", ["man"], GST_FLOW_ERROR),
            ("people", ["person"], GST_FLOW_ERROR), ("person", ["persons", "person"], GST_FLOW_OK),
            ("person", ["Person "], GST_FLOW_OK), ("child", ["person"], GST_FLOW_OK), ("boat", ["book"], GST_FLOW_OK),
        ] as [(String, [String], GstFlowReturn)])
    func probableMisspellingOfUpstreamLabelIsAnError(labels: String, names: [String], flow: GstFlowReturn) {
        let harness = ElementHarness("detector=upstream box-style=blur privacy-labels=\(labels)")
        harness.setCaps()
        let buffer = harness.buffer(0)
        for (number, name) in names.enumerated() {
            harness.addRegion(to: buffer, x: 8 + 32 * number, y: 8, width: 16, height: 24, name: name)
        }
        #expect(harness.push(buffer) == flow)
        #expect(gst_harness_buffers_in_queue(harness.harness) == (flow == GST_FLOW_OK ? 1 : 0))
        let text = harness.takeMessage(GST_MESSAGE_ERROR)
        let isExplained = text?.contains("add '\(names[0])' to privacy-labels") == true
        #expect(isExplained == (flow == GST_FLOW_ERROR), "\(text ?? "no error")")
    }

    @Test func listedLabelAfterMaximumNumberOfSeenLabelsIsAccepted() {
        let harness = ElementHarness("detector=upstream box-style=blur privacy-labels=zebra")
        harness.setCaps()
        for (number, names) in [(0..<1000).map { "other \($0)" }, ["zebra"], ["zebra"]].enumerated() {
            let buffer = harness.buffer(number)
            for name in names { harness.addRegion(to: buffer, x: 8, y: 8, width: 16, height: 24, name: name) }
            #expect(harness.push(buffer) == GST_FLOW_OK)
        }
    }

    @Test func otherWordForPeopleIsAnErrorFromPrivacyThresholdOnUnlessListedNameWasSeen() {
        for (first, confidence, flow) in [
            ("cup", 0.9, GST_FLOW_ERROR), ("cup", 0.01, GST_FLOW_OK), ("person", 0.9, GST_FLOW_OK),
            ("man", 0.9, GST_FLOW_ERROR),
        ] {
            let harness = ElementHarness("detector=upstream box-style=blur privacy-labels=person")
            harness.setCaps()
            let buffers = [harness.buffer(0), harness.buffer(1)]
            harness.addRegion(
                to: buffers[0], x: 8, y: 8, width: 16, height: 24, name: first, confidence: first == "man" ? 0.01 : 0.9)
            harness.addRegion(to: buffers[1], x: 8, y: 8, width: 16, height: 24, name: "man", confidence: confidence)
            #expect(harness.push(buffers[0]) == GST_FLOW_OK)
            #expect(harness.push(buffers[1]) == flow, "\(first) \(confidence)")
        }
    }

    /// The fields of a region of interest are unsigned, but some elements write negative values.
    @Test func personBeyondTheLeftAndUpperBorderIsRedacted() throws {
        let harness = ElementHarness(
            "detector=upstream look-ahead=1 draw-labels=false draw-boxes=false \(Self.redacting)")
        harness.setCaps("GRAY8", width: 128, height: 48)
        let (buffer, original) = (harness.buffer(0), harness.buffer(0))
        harness.addRegion(to: buffer, x: -8, y: -8, width: 24, height: 32, name: "person")
        let output = try #require(harness.pass(buffer))
        let (before, after) = (ElementHarness.bytes(of: original), ElementHarness.bytes(of: output))
        [original, output].forEach(ElementHarness.release)
        let changed = before.indices.filter { before[$0] != after[$0] }
        #expect(changed.contains { $0 % 128 < 8 && $0 / 128 < 8 })
        #expect(!changed.contains { $0 % 128 >= 64 })
    }

    @Test(arguments: [(-16, 24), (16, -24)]) func boxOfNegativeSizeIsAnError(width: Int, height: Int) {
        for (name, isStrict, flow) in [
            ("person", true, GST_FLOW_ERROR), ("person", false, GST_FLOW_OK), ("dog", true, GST_FLOW_OK),
        ] {
            let harness = ElementHarness("detector=upstream \(Self.redacting) privacy-strict=\(isStrict)")
            harness.setCaps()
            let buffer = harness.buffer(0)
            harness.addRegion(to: buffer, x: 30, y: 30, width: width, height: height, name: name)
            #expect(harness.push(buffer) == flow)
            let text = harness.takeMessage(isStrict ? GST_MESSAGE_ERROR : GST_MESSAGE_WARNING)
            #expect((text?.contains("negative width or height") == true) == (name == "person"), "\(text ?? "none")")
        }
    }

    @Test func noFrameFollowsAfterAnError() {
        let harness = ElementHarness("detector=upstream box-style=blur privacy-labels=persons")
        harness.setCaps()
        for number in 0..<3 {
            let buffer = harness.buffer(number)
            if number == 0 { harness.addRegion(to: buffer, x: 8, y: 8, width: 16, height: 24, name: "person") }
            if number == 2 {
                harness.flush()
                harness.endFlush()
            }
            #expect(harness.push(buffer) == GST_FLOW_ERROR)
        }
        #expect(gst_harness_buffers_in_queue(harness.harness) == 0)
    }

    /// Without a detector upstream, no frame has metadata. A gap flag does not make a person invisible.
    @Test func framesAreRedactedAsAWholeUntilUpstreamMetadataArrives() {
        let harness = ElementHarness(
            "detector=upstream look-ahead=1 strategy=every-frame attach-meta=0 draw-labels=false draw-boxes=false "
                + "box-style=pixelate")
        harness.setCaps("GRAY8", width: 128, height: 48)
        for number in 0..<5 {
            let buffer = harness.buffer(number)
            // The next stream may be without the detector.
            if number == 4 { gst_harness_push_event(harness.harness, gst_event_new_stream_start("next")) }
            if (2...3).contains(number) {
                let meta = gst_buffer_add_video_region_of_interest_meta(buffer, "cup", 8, 8, 16, 24)
                gst_video_region_of_interest_meta_add_param(
                    meta, gst_structure_from_string("detection, confidence=(double)nan", nil))
            }
            if number == 3 { buffer.pointee.mini_object.flags |= GST_BUFFER_FLAG_GAP.rawValue }
            #expect(harness.push(buffer) == GST_FLOW_OK)
        }
        gst_harness_push_event(harness.harness, gst_event_new_eos())
        for number in 0..<5 {
            let (input, output) = (harness.buffer(number), harness.pull(ifThere: true))
            let (before, after) = (ElementHarness.bytes(of: input), output.map(ElementHarness.bytes) ?? [])
            func isChanged(_ x: Int) -> Bool { (8..<32).contains { before[$0 * 128 + x] != after[$0 * 128 + x] } }
            #expect((9..<23).contains(where: isChanged), "\(number)")
            #expect((100..<128).contains(where: isChanged) == !(2...3).contains(number), "\(number)")
            ElementHarness.release(input)
            ElementHarness.release(output)
        }
    }

    /// Without an end of stream, the warning is posted when the element stops.
    @Test(arguments: [true, false]) func unusualPrivacyLabelThatNoDetectionHasIsWarnedAboutOnceAtEnd(hasEnd: Bool) {
        for (labels, warns) in [("face", true), ("person", true), ("cup,face,zebra", true), ("zebra,cup", false)] {
            let harness = ElementHarness("detector=upstream box-style=blur privacy-labels=\(labels)")
            harness.setCaps()
            let buffer = harness.buffer(0)
            harness.addRegion(to: buffer, x: 8, y: 8, width: 16, height: 24, name: "cup")
            harness.push(buffer)
            if hasEnd {
                gst_harness_push_event(harness.harness, gst_event_new_eos())
            } else {
                gst_element_set_state(harness.element, GST_STATE_READY)
            }
            let text = harness.takeMessage(GST_MESSAGE_WARNING)
            #expect((text?.contains("but no detection had this label") == true) == warns, "\(labels)")
            gst_element_set_state(harness.element, GST_STATE_READY)
            #expect(harness.takeMessage(GST_MESSAGE_WARNING) == nil, "\(labels)")
        }
    }

    /// The tracker has at most 1,000 tracks, so in frames without inference some of these people would be visible.
    @Test(arguments: [
        (1000, "person", "", false), (1001, "person", "", true), (1001, "dog", "", false),
        (1001, "person", "mode=single-image", false), (1001, "person", "privacy-strict=false", false),
    ])
    func moreObjectsThanTracksAreAnError(count: Int, label: String, properties: String, isError: Bool) {
        let detections = (0..<count).map { Self.detection(label, x: Double($0 % 40)) }
        let harness = ElementHarness(
            "look-ahead=1 strategy=every-frame \(Self.redacting) \(properties)",
            source: { Self.source { _ in detections } })
        harness.setCaps()
        for number in 0..<3 { harness.push(harness.buffer(number)) }
        gst_harness_push_event(harness.harness, gst_event_new_eos())
        #expect(gst_harness_buffers_in_queue(harness.harness) == (isError ? 0 : 3))
        let text = harness.takeMessage(GST_MESSAGE_ERROR)
        #expect((text?.contains("more than 1000 objects") == true) == isError, "\(text ?? "no error")")
    }

    @Test func unmappableFrameIsAnError() {
        for (strict, flow) in [("true", GST_FLOW_ERROR), ("false", GST_FLOW_OK)] {
            let harness = ElementHarness("box-style=blur privacy-strict=\(strict)", source: { Self.source() })
            harness.setCaps()
            let buffer = gst_buffer_new_allocate(nil, 10, nil)!
            buffer.pointee.pts = 0
            #expect(harness.push(buffer) == flow)
            let kind = strict == "true" ? GST_MESSAGE_ERROR : GST_MESSAGE_WARNING
            #expect(harness.takeMessage(kind)?.contains("cannot be mapped") == true)
        }
    }

    /// With an `inference-interval` of 2, only one of two alternating views would be inferred.
    @Test(arguments: ["separated", "frame-by-frame", "multiview-frame-by-frame"])
    func separateViewsAreAnErrorIfRedactionIsRequested(mode: String) {
        for (properties, flow) in [("box-style=blur", GST_FLOW_ERROR), ("", GST_FLOW_OK)] {
            let harness = ElementHarness("look-ahead=1 strategy=every-frame \(properties)", source: { Self.source() })
            harness.setCaps(extra: ",multiview-mode=(string)\(mode),views=2")
            #expect(harness.push(harness.buffer(0)) == flow, "\(properties)")
        }
    }

    @Test func cropMetadataIsAnErrorIfRedactionIsRequested() {
        for (properties, flow) in [("box-style=blur", GST_FLOW_ERROR), ("", GST_FLOW_OK)] {
            let harness = ElementHarness("look-ahead=1 strategy=every-frame \(properties)", source: { Self.source() })
            harness.setCaps()
            let buffer = harness.buffer(0)
            gst_buffer_add_meta(buffer, gst_video_crop_meta_get_info(), nil)
            #expect(harness.push(buffer) == flow, "\(properties)")
        }
    }

    /// An element attaches only the objects that it reports.
    @Test func objectsOfOtherElementAreAnErrorIfRedactionIsRequested() throws {
        for (properties, flow) in [("box-style=blur", GST_FLOW_ERROR), ("", GST_FLOW_OK)] {
            let first = ElementHarness("look-ahead=1 strategy=every-frame draw=false", source: { Self.source() })
            first.setCaps()
            let buffer = try #require(first.pass(first.buffer(0)))
            let second = ElementHarness("detector=upstream \(properties)")
            second.setCaps()
            #expect(second.push(buffer) == flow, "\(properties)")
        }
    }

    /// A long `inference-interval` would leave new objects visible.
    @Test(arguments: [(300, 1...1), (100, 201...201), (0, 201...201)])
    func longTimeWithoutInferenceIsAnError(interval: Int, failures: ClosedRange<Int>) {
        let harness = ElementHarness(
            "look-ahead=1 strategy=every-frame box-style=blur inference-interval=\(interval)",
            source: { Self.source() })
        harness.setCaps()
        let failure = (0..<201).first { harness.push(harness.buffer($0, fill: nil)) != GST_FLOW_OK } ?? 201
        #expect(failures.contains(failure), "\(failure)")
        let text = harness.takeMessage(GST_MESSAGE_ERROR)
        #expect((text?.contains("smaller inference-interval") == true) == (failure < 201), "\(text ?? "none")")
    }

    @Test func overlapThresholdDoesNotLimitRedaction() {
        var settings = Settings()
        settings.iouThreshold = 0.1
        #expect(settings.detection.iouThreshold == 0.1)
        settings.annotator.boxStyle = .blur
        #expect(settings.detection.iouThreshold == 0.5)
    }

    /// Detections of half of `privacy-threshold` continue tracks.
    @Test func detectorReturnsWeakDetectionsForRedaction() {
        var settings = Settings()
        settings.privacyThreshold = 0.02
        #expect(settings.detection.scoreFloor > 0.02)
        settings.annotator.boxStyle = .blur
        #expect(settings.detection.scoreFloor == 0.01)
        settings.scene.tracker.maxAge = 0
        #expect(settings.redaction.maxAge == 1_000_000_000)
    }

    @Test func frameOutsideSegmentIsDroppedIfRedactionIsRequested() {
        for (properties, count) in [("box-style=blur", 1), ("", 2)] {
            let harness = ElementHarness("strategy=every-frame look-ahead=1 \(properties)", source: { Self.source() })
            harness.setCaps()
            var segment = GstSegment()
            gst_segment_init(&segment, GST_FORMAT_TIME)
            segment.start = 1_000_000_000
            gst_harness_push_event(harness.harness, gst_event_new_segment(&segment))
            for number in [0, 40] { #expect(harness.push(harness.buffer(number)) == GST_FLOW_OK) }
            gst_harness_push_event(harness.harness, gst_event_new_eos())
            #expect(gst_harness_buffers_in_queue(harness.harness) == count, "\(properties)")
        }
    }

    @Test func redactionWithoutBoxesAndLabelsDoesNotWarn() {
        let element = StartedElement(
            "strategy=keep-only-latest box-style=pixelate privacy-labels=person draw-boxes=false draw-labels=false"
        ) { _, _, _ in Self.source() }
        #expect(element.hasStarted)
        #expect(element.takeMessage(GST_MESSAGE_WARNING) == nil)
    }

    // MARK: Redacted boxes

    /// Returns for each output frame whether one person's box is redacted, and whether other areas are.
    private static func play(
        _ properties: String, frames: Int, isLive: Bool = false, at x: (Int) -> Int = { _ in 8 },
        _ script: @escaping @Sendable (Int) -> [Detection]
    ) throws -> (redacted: [Bool], elsewhere: [Bool], stats: Structure, messages: [Structure]) {
        let harness = ElementHarness(
            "look-ahead=1 draw-labels=false draw-boxes=false draw-zones=false \(properties)", source: { source(script) }
        )
        gst_harness_set_live(harness.harness, isLive ? 1 : 0)
        harness.setCaps("GRAY8", width: 128, height: 48)
        for number in 0..<frames { #expect(harness.push(harness.buffer(number)) == GST_FLOW_OK) }
        gst_harness_push_event(harness.harness, gst_event_new_eos())
        #expect(gst_harness_buffers_in_queue(harness.harness) == UInt32(frames))
        let before = harness.buffer(0)
        let original = ElementHarness.bytes(of: before)
        ElementHarness.release(before)
        var (redacted, elsewhere): ([Bool], [Bool]) = ([], [])
        while let buffer = harness.pull(ifThere: true) {
            let bytes = ElementHarness.bytes(of: buffer)
            let changed = { (x: Int, y: Int) in bytes[y * 128 + x] != original[y * 128 + x] }
            let left = x(redacted.count)
            redacted.append(
                (10..<30).allSatisfy { y in (left + 1..<left + 15).contains { changed($0, y) } })
            elsewhere.append((0..<48).contains { y in (96..<128).contains { changed($0, y) } })
            ElementHarness.release(buffer)
        }
        return (redacted, elsewhere, try harness.counters(), harness.messages("swiftodt"))
    }

    private static let redacting = "box-style=pixelate privacy-labels=person"

    @Test(
        arguments: [
            "label-allowlist=car", "label-denylist=person", "min-area=0.9", "max-area=0.01", "score-threshold=0.95",
            "track-min-hits=100", "max-objects=1", "tracking=false", "mode=single-image",
            #"zones="[{\"name\":\"a\",\"kind\":\"ignore\",\"points\":[[0,0],[1,0],[1,1],[0,1]]}]""#,
        ])
    func reportingFiltersDoNotLimitRedaction(_ filter: String) throws {
        let (redacted, elsewhere, stats, _) = try Self.play(
            "strategy=every-frame \(Self.redacting) \(filter)", frames: 5
        ) { _ in [Self.detection("person", score: 0.25)] }
        #expect(redacted == Array(repeating: true, count: 5))
        #expect(elsewhere == Array(repeating: false, count: 5))
        #expect(stats[uint64: "redacted"] == 5)
    }

    @Test func privacyThresholdSelectsRedactedDetections() throws {
        for (properties, isRedacted) in [
            ("", false), ("privacy-threshold=0.1", true), ("privacy-threshold=0.03", true),
        ] {
            let (redacted, _, stats, _) = try Self.play(
                "strategy=every-frame \(Self.redacting) \(properties)", frames: 3
            ) { _ in [Self.detection("person", score: 0.15)] }
            #expect(redacted == Array(repeating: isRedacted, count: 3), "\(properties)")
            #expect(stats[uint64: "redacted"] == (isRedacted ? 3 : 0))
        }
    }

    @Test func privacyLabelsAndUnlabelledDetectionsAreRedacted() throws {
        for (label, isRedacted) in [("dog", false), (nil, true)] as [(String?, Bool)] {
            let (redacted, _, _, _) = try Self.play("strategy=every-frame \(Self.redacting)", frames: 3) { _ in
                [Self.detection(label)]
            }
            #expect(redacted == Array(repeating: isRedacted, count: 3))
        }
    }

    @Test func personMislabelledForSixFramesStaysRedacted() throws {
        for strategy in ["every-frame", "keep-only-latest"] {
            let (redacted, _, _, _) = try Self.play(
                "strategy=\(strategy) \(Self.redacting)", frames: 30, isLive: strategy != "every-frame"
            ) { [Self.detection((10..<16).contains($0) ? "dog" : "person")] }
            #expect(redacted == Array(repeating: true, count: 30), "\(strategy)")
        }
    }

    // MARK: Look-ahead

    @Test func trackIsRedactedBeforeItsFirstDetectionAndBetweenDetections() throws {
        let seen = Set([16, 17, 18, 19, 30, 31, 32])
        let find = { @Sendable (number: Int) -> [Detection] in
            seen.contains(number) ? [Self.detection("person", x: Double(20 + number))] : []
        }
        let file = try Self.play(
            "strategy=every-frame \(Self.redacting)", frames: 33, at: { 20 + $0 }, find)
        // The look-ahead is half a second.
        #expect(file.redacted == (0..<33).map { $0 >= 1 }, "\(file.redacted)")
        let live = try Self.play(
            "strategy=every-frame \(Self.redacting)", frames: 33, isLive: true, at: { 20 + $0 }, find)
        #expect(live.redacted[..<16].allSatisfy { !$0 })
        #expect(live.redacted[16..<20].allSatisfy { $0 })
        // Reported objects do not depend on the look-ahead.
        #expect(file.messages.map(\.text).count == 33)
        #expect(zip(file.messages, live.messages).allSatisfy { $0.objects.map(\.text) == $1.objects.map(\.text) })
    }

    @Test func redactionLookAheadAddsLatencyToFilesOnly() {
        for (properties, isLive, frames) in [
            ("strategy=every-frame box-style=blur", false, 31), ("strategy=every-frame box-style=blur", true, 0),
            ("strategy=keep-only-latest box-style=blur", false, 0), ("strategy=every-frame", false, 0),
            ("strategy=every-frame box-style=blur mode=single-image", false, 0),
        ] {
            let harness = ElementHarness("look-ahead=1 \(properties)", source: { Self.source() })
            gst_harness_set_live(harness.harness, isLive ? 1 : 0)
            harness.setCaps()
            for number in 0..<40 { harness.push(harness.buffer(number)) }
            #expect(gst_harness_buffers_in_queue(harness.harness) == UInt32(40 - frames), "\(properties)")
            if !isLive {
                #expect(
                    gst_harness_query_latency(harness.harness) == GstClockTime(frames) * 33_333_333, "\(properties)")
            }
            // Frames are no longer held when redaction is disabled.
            if frames > 0 {
                harness.set("box-style", "rectangle")
                harness.push(harness.buffer(40))
                #expect(gst_harness_buffers_in_queue(harness.harness) == 41)
            }
        }
    }

    /// Downstream requests another negotiation, for example because a window was resized.
    @Test(arguments: [true, false]) func renegotiationKeepsRedactionLookAhead(queriesAllocation: Bool) {
        let harness = ElementHarness("strategy=every-frame look-ahead=1 box-style=blur", source: { Self.source() })
        gst_harness_set_live(harness.harness, 0)
        harness.setCaps()
        for number in 0..<10 { harness.push(harness.buffer(number)) }
        gst_harness_push_upstream_event(harness.harness, gst_event_new_reconfigure())
        if queriesAllocation { harness.queryAllocation() }
        harness.push(harness.buffer(10))
        #expect(gst_harness_buffers_in_queue(harness.harness) == 0)
        gst_harness_push_event(harness.harness, gst_event_new_eos())
        #expect(gst_harness_buffers_in_queue(harness.harness) == 11)
    }

    /// The caps can state another frame rate than the frames have.
    @Test(arguments: [("0/1", 1_000, 1), ("30/1", 1_000, 1), ("1/1", 1_000, 1), ("8/1", 40, 25), ("8/1", 10, 32)])
    func redactionLookAheadIsBoundedByTime(rate: String, milliseconds: UInt, frames: UInt32) {
        let harness = ElementHarness("strategy=every-frame look-ahead=1 box-style=blur", source: { Self.source() })
        gst_harness_set_live(harness.harness, 0)
        let caps = "video/x-raw,format=GRAY8,width=64,height=48,framerate=\(rate)"
        gst_harness_set_src_caps_str(harness.harness, caps)
        harness.readCaps(caps)
        for number in 0..<50 {
            let buffer = harness.buffer(number)
            buffer.pointee.pts = GstClockTime(number) * GstClockTime(milliseconds) * 1_000_000
            harness.push(buffer)
        }
        #expect(gst_harness_buffers_in_queue(harness.harness) == 50 - frames)
    }

    @Test func redactionLookAheadIsBoundedByMemory() {
        var settings = Settings()
        settings.annotator.boxStyle = .blur
        func plan(_ bytes: Int, _ step: Nanoseconds) -> SchedulePlan {
            SchedulePlan(settings: settings, isLive: false, frameDuration: step, frameBytes: bytes)
        }
        #expect(plan(3840 * 2160 * 3 / 2, 33_333_333).redactionDepth == 21)
        #expect(plan(1 << 30, 33_333_333).redactionDepth == 0)
        #expect(plan(1000, 100_000_000).redactionDepth == 32)
        #expect(plan(0, 0).redactionDepth == 32)
        #expect(plan(1000, 100_000_000).latency - plan(1 << 30, 100_000_000).latency == 1_000_000_000)
    }

    @Test func flushDropsFramesHeldForRedaction() {
        let harness = ElementHarness(
            "strategy=every-frame look-ahead=1 box-style=blur",
            source: { Self.source { _ in [Self.detection("person")] } })
        gst_harness_set_live(harness.harness, 0)
        harness.setCaps()
        for number in 0..<10 { harness.push(harness.buffer(number)) }
        #expect(gst_harness_buffers_in_queue(harness.harness) == 0)
        harness.flush()
        for number in 20..<25 { harness.push(harness.buffer(number)) }
        gst_harness_push_event(harness.harness, gst_event_new_eos())
        #expect(gst_harness_buffers_in_queue(harness.harness) == 5)
    }

    /// The complete picture is redacted until the first result of a stream and of a scene arrives.
    @Test(arguments: ["", "tracking=false"])
    func liveFramesBeforeFirstResultAreRedactedCompletely(properties: String) throws {
        let detector = ControlledDetector(finds: false)
        let harness = ElementHarness(
            "strategy=keep-only-latest box-style=pixelate \(properties)", source: { .detector(detector) })
        harness.setCaps("GRAY8", width: 64, height: 48)
        func isRedacted(_ number: Int, _ fill: @escaping (Int) -> UInt8) throws -> Bool {
            let buffer = try #require(harness.pass(harness.buffer(number, fill: fill)))
            defer { ElementHarness.release(buffer) }
            let (bytes, original) = (ElementHarness.bytes(of: buffer), harness.buffer(number, fill: fill))
            defer { ElementHarness.release(original) }
            return bytes != ElementHarness.bytes(of: original)
        }
        let scenes: [(Int) -> UInt8] = [
            { UInt8(clamping: $0 % 64 * 4 + $0 % 5) }, { UInt8(clamping: 250 - $0 / 64 * 5 - $0 % 5) },
        ]
        #expect(try isRedacted(0, scenes[0]))
        #expect(try isRedacted(1, scenes[0]))
        detector.answer()
        #expect(try !isRedacted(2, scenes[0]))
        // The scene changes.
        #expect(try isRedacted(3, scenes[1]))
        detector.answer()
        #expect(try isRedacted(4, scenes[1]))
        detector.answer()
        #expect(try !isRedacted(5, scenes[1]))
        // Another stream shows the same picture.
        gst_harness_push_event(harness.harness, gst_event_new_stream_start("another"))
        harness.setCaps("GRAY8", width: 64, height: 48)
        var segment = GstSegment()
        gst_segment_init(&segment, GST_FORMAT_TIME)
        gst_harness_push_event(harness.harness, gst_event_new_segment(&segment))
        #expect(try isRedacted(6, scenes[1]))
    }

    /// The redaction tracker receives no results while redaction is off.
    @Test func redactionThatIsTurnedOnAgainBeginsAnEpoch() throws {
        let detector = ControlledDetector(finds: false)
        let harness = ElementHarness(
            "strategy=keep-only-latest box-style=pixelate", source: { .detector(detector) })
        harness.setCaps("GRAY8", width: 64, height: 48)
        func isRedacted(_ number: Int) throws -> Bool {
            let (buffer, original) = (try #require(harness.pass(harness.buffer(number))), harness.buffer(number))
            defer { [buffer, original].forEach(ElementHarness.release) }
            return ElementHarness.bytes(of: buffer) != ElementHarness.bytes(of: original)
        }
        #expect(try isRedacted(0))
        detector.answer()
        #expect(try !isRedacted(1))
        harness.set("box-style", "rectangle")
        #expect(try !isRedacted(2))
        harness.set("box-style", "pixelate")
        #expect(try isRedacted(3))
        // The inference in flight is of a frame before the epoch.
        detector.answer()
        #expect(try isRedacted(4))
        detector.answer()
        #expect(try !isRedacted(5))
    }

    /// The detector finds nothing. The third result of the saliency network in the same place makes an object.
    @Test func unclassifiedObjectsAreRedacted() throws {
        let salient = FixedDetector(Detection(box: Self.person, score: 0.8))
        let harness = ElementHarness(
            "strategy=every-frame look-ahead=1 unknown-objects=salient box-style=pixelate draw-labels=false draw-boxes=false",
            maker: { settings, _, _ in .detector(settings.detector == .salient ? salient : FixedDetector()) })
        harness.setCaps("GRAY8", width: 64, height: 48)
        for number in 0..<100 { #expect(harness.push(harness.buffer(number)) == GST_FLOW_OK) }
        gst_harness_push_event(harness.harness, gst_event_new_eos())
        let changes = try (0..<100).map { number in
            let (output, original) = (try #require(harness.pull(ifThere: true)), harness.buffer(number))
            defer { [output, original].forEach(ElementHarness.release) }
            let (before, after) = (ElementHarness.bytes(of: original), ElementHarness.bytes(of: output))
            return before.indices.filter { before[$0] != after[$0] }
        }
        let last = try #require(changes.last)
        #expect(last.count > 100)
        // The box ends at x = 24, its margin and the blocks a little later.
        #expect(last.allSatisfy { $0 % 64 < 40 })
    }

    /// While an inference does not end, adaptive inference starts no other one.
    @Test(arguments: [0, 1]) func endlessInferenceIsAnError(interval: Int) {
        let detector = ControlledDetector(finds: false)
        let harness = ElementHarness(
            "strategy=keep-only-latest box-style=pixelate inference-interval=\(interval)",
            source: { .detector(detector) })
        harness.setCaps("GRAY8", width: 64, height: 48)
        harness.push(harness.buffer(0))
        detector.answer()
        let failure = (1..<300).first { number in
            harness.push(harness.buffer(number) { UInt8(truncatingIfNeeded: $0 &* 7 &+ number * 40) }) != GST_FLOW_OK
        }
        #expect((140...200).contains(failure ?? 0), "\(failure ?? 0)")
        #expect(harness.takeMessage(GST_MESSAGE_ERROR)?.contains("takes more than 5 s") == true)
    }
}
