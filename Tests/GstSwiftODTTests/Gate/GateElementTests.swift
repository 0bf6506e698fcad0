import CODTGStreamer
import CODTGStreamerCheck
import Testing

@testable import GstSwiftODT
@testable import SwiftODT

/// Tests the element `swiftodtgate` with made-up access units: buffers, events, caps and statistics.
@Suite struct GateElementTests {
    private static let caps = "video/x-h264,parsed=true,alignment=au,stream-format=byte-stream,width=64,height=48"
    private static let frame: UInt64 = 100_000_000

    /// A `swiftodtgate` in a harness. Its stream has 10 frames per second and a key frame every second.
    private final class Harness {
        let harness: UnsafeMutablePointer<GstHarness>
        let element: UnsafeMutablePointer<GstElement>
        let bus: UnsafeMutablePointer<GstBus>
        private var number: UInt64 = 0
        /// Whether the reports on key frames request the frames before them.
        var requestsRewind = false
        /// Whether the decoder outputs still key frames before it receives later frames.
        var outputsStills = true

        /// The number of frames from one key frame to the next.
        var distance: UInt64 = 10

        init(_ properties: String = "", caps: String? = GateElementTests.caps) {
            precondition(ElementHarness.isReady)
            element = gst_parse_launch("swiftodtgate \(properties)", nil)
            bus = gst_bus_new()
            gst_element_set_bus(element, bus)
            harness = gst_harness_new_with_element(element, "sink", "src")
            if let caps { gst_harness_set_src_caps_str(harness, caps) }
        }

        deinit {
            gst_harness_teardown(harness)
            gst_element_set_bus(element, nil)
            gst_object_unref(bus)
            gst_object_unref(element)
        }

        /// Pushes the next frames and returns the numbers of the frames that pass.
        func push(_ count: Int, flags: GstBufferFlags? = nil) -> [UInt64] {
            for _ in 0..<count {
                let buffer = GateElementTests.unit()
                buffer.pointee.pts = GstClockTime(number * GateElementTests.frame)
                if number % distance != 0 { buffer.pointee.mini_object.flags |= GST_BUFFER_FLAG_DELTA_UNIT.rawValue }
                if let flags { buffer.pointee.mini_object.flags |= flags.rawValue }
                gst_harness_push(harness, buffer)
                // As swiftodt does for each still picture.
                if number % 10 == 0 {
                    report(
                        requestsRewind, rewinds: requestsRewind, isAnswer: !outputsStills,
                        at: outputsStills ? number : 0)
                }
                number += 1
            }
            return pulled().map(\.number)
        }

        /// Returns the passed buffers, as frame number and flags.
        func pulled() -> [(number: UInt64, flags: guint)] {
            var passed: [(number: UInt64, flags: guint)] = []
            while gst_harness_buffers_in_queue(harness) > 0, let buffer = gst_harness_try_pull(harness) {
                passed.append((UInt64(buffer.pointee.pts) / GateElementTests.frame, buffer.pointee.mini_object.flags))
                ElementHarness.release(buffer)
            }
            return passed
        }

        /// Sends the event of swiftodt for a frame.
        func report(
            _ inference: Bool, motion: Bool = false, rewinds: Bool = false, isAnswer: Bool = false, at frame: UInt64
        ) {
            let structure = StructureWriter.structure(
                "swiftodt-activity",
                [
                    ("objects", .boolean(true)), ("inference", .boolean(inference)), ("motion", .boolean(motion)),
                    ("rewind", .boolean(rewinds)), ("still", .boolean(isAnswer)),
                    ("timestamp", .time(frame * GateElementTests.frame)),
                ])
            gst_harness_push_upstream_event(harness, gst_event_new_custom(GST_EVENT_CUSTOM_UPSTREAM, structure))
        }

        /// Removes the received downstream events and returns the states of the still-frame events.
        func stills() -> [Bool] { events().compactMap { $0 == "still" ? true : $0 == "moving" ? false : nil } }

        /// Removes the received downstream events and returns their names. Events of the gate have their frame's number.
        func events() -> [String] {
            var found: [String] = []
            while let event = gst_harness_try_pull_event(harness) {
                defer {
                    gst_mini_object_unref(UnsafeMutableRawPointer(event).assumingMemoryBound(to: GstMiniObject.self))
                }
                var still: gboolean = 0
                if gst_video_event_parse_still_frame(event, &still) != 0 {
                    found.append(still != 0 ? "still" : "moving")
                } else if let structure = gst_event_get_structure(event),
                    event.pointee.type == GST_EVENT_CUSTOM_DOWNSTREAM
                {
                    func frame(_ name: String) -> UInt64 {
                        var time: guint64 = .max
                        gst_structure_get_uint64(structure, name, &time)
                        return UInt64(time) / GateElementTests.frame
                    }
                    let name = String(cString: gst_structure_get_name(structure))
                    let latest = name == "swiftodt-rewind" ? " at \(frame("latest"))" : ""
                    found.append("\(name) \(frame("timestamp"))\(latest)")
                } else if event.pointee.type == GST_EVENT_SEGMENT {
                    found.append("segment")
                }
            }
            return found
        }

        func send(_ event: UnsafeMutablePointer<GstEvent>?) { gst_harness_push_event(harness, event) }

        var stats: Structure { elementStatistics(of: element)! }

        func error() -> String? { takeMessage(GST_MESSAGE_ERROR, from: bus) }
    }

    /// Returns an access unit without a slice. Its flags determine whether it is a key frame.
    private static func unit() -> UnsafeMutablePointer<GstBuffer> {
        let buffer = gst_buffer_new_allocate(nil, 100, nil)!
        gst_buffer_memset(buffer, 0, 0, 100)
        return buffer
    }

    @Test func calmStreamPassesKeyFramesAsStillPictures() {
        let gate = Harness()
        #expect(gate.push(51) == Array(0...20) + [30, 40, 50])
        #expect(gate.stills() == [true, true, true, true])
        #expect(gate.stats[text: "state"] == "calm")
        #expect(gate.stats[uint64: "dropped"] == 27 && gate.stats[uint64: "passed"] == 24)
    }

    @Test(arguments: [true, false]) func activityReleasesFramesSinceStillKeyFrame(isMotion: Bool) {
        let gate = Harness()
        _ = gate.push(34)
        _ = gate.stills()
        gate.report(!isMotion, motion: isMotion, at: 30)
        #expect(gate.pulled().isEmpty)
        // The key frame is passed again for the decoder, which was drained.
        #expect(gate.push(2) == [30, 31, 32, 33, 34, 35])
        #expect(gate.stills() == [false])
        #expect(gate.stats[text: "reason"] == "activity")
        #expect(gate.stats[structure: "openings"]?[uint64: "activity"] == 1)
        #expect(gate.stats[uint64: "delay"] == 3 * Self.frame)
    }

    @Test func repeatedKeyFrameIsMarkedDecodeOnlyAndFollowingGapDiscontinuous() {
        let gate = Harness()
        _ = gate.push(31)
        gate.report(true, at: 30)
        let buffer = GateElementTests.unit()
        buffer.pointee.pts = GstClockTime(31 * Self.frame)
        buffer.pointee.mini_object.flags |= GST_BUFFER_FLAG_DELTA_UNIT.rawValue
        gst_harness_push(gate.harness, buffer)
        let passed = gate.pulled()
        #expect(passed.map(\.number) == [30, 31])
        #expect(passed[0].flags & GST_BUFFER_FLAG_DECODE_ONLY.rawValue != 0)
        #expect(passed[1].flags & GST_BUFFER_FLAG_DECODE_ONLY.rawValue == 0)
    }

    @Test func keyFrameAfterKeptFramesIsAnnouncedAsPreview() {
        let gate = Harness()
        _ = gate.push(31)
        #expect(gate.events() == ["segment", "still", "swiftodt-preview 30", "still"])
    }

    @Test func rewindPassesFramesSinceKeyFrameBefore() throws {
        let gate = Harness()
        _ = gate.push(30)
        _ = gate.events()
        gate.requestsRewind = true
        #expect(gate.push(1) == [30])
        #expect(gate.events() == ["swiftodt-preview 30", "still"])
        let buffer = GateElementTests.unit()
        buffer.pointee.pts = GstClockTime(31 * Self.frame)
        buffer.pointee.mini_object.flags |= GST_BUFFER_FLAG_DELTA_UNIT.rawValue
        gst_harness_push(gate.harness, buffer)
        let passed = gate.pulled()
        #expect(passed.map(\.number) == Array(20...31))
        let (decodeOnly, discontinuous) = (GST_BUFFER_FLAG_DECODE_ONLY.rawValue, GST_BUFFER_FLAG_DISCONT.rawValue)
        #expect(passed.map { $0.flags & decodeOnly != 0 } == [true] + Array(repeating: false, count: 11))
        #expect(passed.map { $0.flags & discontinuous != 0 } == [true] + Array(repeating: false, count: 11))
        #expect(gate.events() == ["moving", "segment", "swiftodt-rewind 20 at 31"])
        #expect(gate.stats[uint64: "delay"] == 10 * Self.frame)
        #expect(gate.stats[uint64: "dropped"] == 0 && gate.stats[uint64: "kept"] == 0)
    }

    @Test func standingObjectsDoNotOpenGate() {
        let gate = Harness()
        _ = gate.push(31)
        gate.report(false, at: 30)
        #expect(gate.push(10) == [40])
    }

    @Test func corruptedFrameOpensGate() {
        let gate = Harness()
        _ = gate.push(35)
        #expect(gate.push(1, flags: GST_BUFFER_FLAG_CORRUPTED) == [30, 31, 32, 33, 34, 35])
        #expect(gate.stats[text: "reason"] == "discontinuity")
    }

    @Test func signalAndModeOpenGate() {
        let gate = Harness()
        _ = gate.push(33)
        emitOpen(gate.element)
        #expect(gate.push(1) == [30, 31, 32, 33])
        #expect(gate.stats[text: "reason"] == "application")
        gst_util_set_object_arg(
            UnsafeMutableRawPointer(gate.element).assumingMemoryBound(to: GObject.self), "mode", "open")
        #expect(gate.push(100) == Array(34..<134))
    }

    @Test func calmIntervalAboveMaximumTimeWarns() {
        for (properties, warns) in [("", true), ("max-time=20000000000", false)] {
            let gate = Harness("calm-interval=15000000001 \(properties)")
            let warning = takeMessage(GST_MESSAGE_WARNING, from: gate.bus)
            #expect((warning?.contains("calm-interval is longer") == true) == warns, "\(properties)")
            _ = gate.push(1)
        }
    }

    @Test func decoderThatIgnoresTwoStillKeyFramesWarnsOnce() {
        let gate = Harness()
        gate.outputsStills = false
        _ = gate.push(51)
        #expect(takeMessage(GST_MESSAGE_WARNING, from: gate.bus) == nil)
        _ = gate.push(100)
        let warning = takeMessage(GST_MESSAGE_WARNING, from: gate.bus)
        #expect(warning?.contains("use avdec_h264") == true, "\(warning ?? "none")")
        #expect(takeMessage(GST_MESSAGE_WARNING, from: gate.bus) == nil)
        #expect(gate.stats[structure: "openings"]?[uint64: "decoder"] == 2)
    }

    @Test func distantKeyFramesWarnOnceWithRemedy() {
        let gate = Harness()
        gate.distance = 200
        #expect(gate.push(4000).count == 4000)
        let warning = takeMessage(GST_MESSAGE_WARNING, from: gate.bus)
        #expect(warning?.contains("key frame (IDR) every 1 or 2 s") == true, "\(warning ?? "none")")
        #expect(takeMessage(GST_MESSAGE_WARNING, from: gate.bus) == nil)
    }

    @Test func endOfStreamReleasesKeptFrames() {
        let gate = Harness()
        _ = gate.push(33)
        gate.send(gst_event_new_eos())
        #expect(gate.pulled().map(\.number) == [30, 31, 32])
        #expect(gate.stats[text: "reason"] == "end-of-stream")
    }

    /// Upstream cannot receive the flow with an event, so the output would be truncated without an error.
    @Test(arguments: [(GST_FLOW_EOS, false), (GST_FLOW_NOT_NEGOTIATED, true)])
    func keptFramesRefusedAtEndOfStreamAreAnError(flow: GstFlowReturn, isError: Bool) {
        let gate = Harness()
        _ = gate.push(33)
        refuseBuffers(of: gate.harness, with: flow)
        gate.send(gst_event_new_eos())
        #expect((gate.error() != nil) == isError)
    }

    /// Upstream waits if its pool has no free buffer.
    @Test func keptFramesOccupyNoBuffersOfPool() throws {
        let gate = Harness()
        let pool = BoundedPool(bufferSize: 100, count: 2)
        var passed: [UInt64] = []
        for number in 0..<45 as Range<UInt64> {
            let buffer = try #require(pool.acquire(), "\(number)")
            gst_buffer_memset(buffer, 0, 0, 100)
            buffer.pointee.pts = GstClockTime(number * Self.frame)
            if number % 10 != 0 { buffer.pointee.mini_object.flags |= GST_BUFFER_FLAG_DELTA_UNIT.rawValue }
            gst_harness_push(gate.harness, buffer)
            if number % 10 == 0 { gate.report(false, at: number) }
            passed += gate.pulled().map(\.number)
        }
        #expect(passed == Array(0...20) + [30, 40])
        gate.send(gst_event_new_eos())
        #expect(gate.pulled().map(\.number) == [40, 41, 42, 43, 44])
    }

    @Test func capsQueryBeforeLinkingAppliesFilter() throws {
        precondition(ElementHarness.isReady)
        let element = try #require(gst_parse_launch("swiftodtgate", nil))
        defer { gst_object_unref(element) }
        let pad = try #require(gst_element_get_static_pad(element, "sink"))
        defer { gst_object_unref(pad) }
        let filter = gst_caps_from_string("video/x-h264,width=320")
        let caps = gst_pad_query_caps(pad, filter)
        defer {
            gst_caps_unref(caps)
            gst_caps_unref(filter)
        }
        #expect(gst_caps_is_empty(caps) == 0 && gst_caps_is_subset(caps, filter) != 0)
    }

    @Test func capsChangeReleasesKeptFramesBeforeIt() {
        let gate = Harness()
        _ = gate.push(33)
        gst_harness_set_src_caps_str(gate.harness, Self.caps.replacing("width=64", with: "width=80"))
        #expect(gate.pulled().map(\.number) == [30, 31, 32])
        #expect(gate.stats[text: "reason"] == "stream-change")
    }

    @Test func orientationTagReleasesKeptFramesBeforeIt() {
        let gate = Harness()
        _ = gate.push(25)
        let tags = gst_tag_list_new_from_string("taglist, bitrate=(uint)1000")
        gate.send(gst_event_new_tag(tags))
        #expect(gate.pulled().isEmpty)
        gate.send(gst_event_new_tag(gst_tag_list_new_from_string("taglist, image-orientation=rotate-90")))
        #expect(gate.pulled().map(\.number) == [20, 21, 22, 23, 24])
    }

    @Test func flushDropsKeptFramesAndOpensGate() {
        let gate = Harness()
        _ = gate.push(33)
        gate.send(gst_event_new_flush_start())
        gate.send(gst_event_new_flush_stop(1))
        var segment = GstSegment()
        gst_segment_init(&segment, GST_FORMAT_TIME)
        gate.send(gst_event_new_segment(&segment))
        #expect(gate.pulled().isEmpty)
        #expect(gate.push(3) == [33, 34, 35])
        #expect(gate.stats[text: "reason"] == "start")
    }

    @Test func reversePlaybackPassesAllFrames() {
        let gate = Harness()
        var segment = GstSegment()
        gst_segment_init(&segment, GST_FORMAT_TIME)
        (segment.rate, segment.stop, segment.position) = (-1, 100_000_000_000, 100_000_000_000)
        gate.send(gst_event_new_segment(&segment))
        #expect(gate.push(60) == Array(0..<60))
    }

    @Test(arguments: [
        ("video/x-h264,alignment=nal,parsed=true", "alignment=nal", "h264parse"),
        ("video/x-h264,alignment=au", "is not parsed", "h264parse"),
        ("video/x-h265,parsed=true", "alignment=unknown", "h265parse"),
        ("video/x-av1,alignment=obu,parsed=true", "alignment=obu", "av1parse"),
    ]) func streamThatIsNotParsedIsErrorWithParser(caps: String, fault: String, parser: String) {
        let gate = Harness(caps: nil)
        gate.send(gst_event_new_stream_start("test"))
        let wrong = gst_caps_from_string(caps)!
        gate.send(gst_event_new_caps(wrong))
        gst_mini_object_unref(UnsafeMutableRawPointer(wrong).assumingMemoryBound(to: GstMiniObject.self))
        let error = gate.error() ?? "none"
        #expect(error.contains(fault) && error.contains("put \(parser) before swiftodtgate"), "\(error)")
    }

    @Test func memoryIsReleased() {
        let gate = Harness()
        let buffer = GateElementTests.unit()
        buffer.pointee.mini_object.flags |= GST_BUFFER_FLAG_DELTA_UNIT.rawValue
        _ = gate.push(31)
        buffer.pointee.pts = GstClockTime(31 * Self.frame)
        gst_mini_object_ref(UnsafeMutableRawPointer(buffer).assumingMemoryBound(to: GstMiniObject.self))
        gst_harness_push(gate.harness, buffer)
        #expect(buffer.pointee.mini_object.refcount == 2)
        _ = gate.push(11)
        #expect(buffer.pointee.mini_object.refcount == 1)
        ElementHarness.release(buffer)
    }
}

/// Emits the action signal `open`. Swift does not import the variadic function of GObject.
private func emitOpen(_ element: UnsafeMutablePointer<GstElement>) {
    var instance = GValue()
    g_value_init(&instance, gst_element_get_type())
    g_value_set_object(&instance, element)
    let type = UnsafeMutableRawPointer(element).assumingMemoryBound(to: GTypeInstance.self).pointee.g_class.pointee
        .g_type
    g_signal_emitv(&instance, g_signal_lookup("open", type), 0, nil)
    g_value_unset(&instance)
}
