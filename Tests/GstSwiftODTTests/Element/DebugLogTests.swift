import CGStreamer
import CGStreamerCheck
import CSwiftODTElement
import Synchronization
import Testing

@testable import GstSwiftODT
@testable import SwiftODT

/// Protects the debug category: what a maintainer finds in it, at which level, with the element as its object, and that
/// no text is made where nobody listens.
@Suite(.serialized) struct DebugLogTests {
    @Test func logTextIsBuiltOnlyWhenEnabled() {
        let harness = ElementHarness("name=log-levels detector=motion")
        let handle = ElementHandle(
            UnsafeMutableRawPointer(harness.element).assumingMemoryBound(to: GstBaseTransform.self))
        var made = 0
        func text() -> String {
            made += 1
            return "text \(made)"
        }
        handle.log(.info, text())
        #expect(made == 0)
        let lines = DebugLines.recording("swiftodt:4", of: "log-levels") {
            handle.log(.info, text(), line: 7)
            handle.log(.debug, text())
        }
        #expect(made == 1)
        #expect(lines == ["INFO GstSwiftODTTests/DebugLogTests.swift:7:logTextIsBuiltOnlyWhenEnabled() text 1"])
    }

    @Test func warningIsLoggedAndPosted() {
        let lines = DebugLines.recording("swiftodt:2", of: "log-warning") {
            let element = StartedElement("name=log-warning detector=motion mode=single-image")
            #expect(element.takeMessage(GST_MESSAGE_WARNING)?.contains("single picture") == true)
        }
        #expect(lines.contains { $0.hasPrefix("WARN") && $0.contains("single picture") })
    }

    /// What happens to a stream can be read from the log alone, each level by itself.
    @Test func logContainsEveryStage() throws {
        let lines = DebugLines.recording("swiftodt:7", of: "log-story") {
            let harness = ElementHarness("name=log-story detector=upstream track-min-hits=1 track-max-age=1000000000")
            harness.setCaps()
            for number in [0, 1, 2, 200] {
                let buffer = harness.buffer(number)
                harness.addRegion(to: buffer, x: 8, y: 6, width: 20, height: 16)
                ElementHarness.release(harness.pass(buffer))
            }
            gst_harness_push_event(harness.harness, gst_event_new_eos())
        }
        func tells(_ level: String, _ words: String) -> Bool {
            lines.contains { $0.hasPrefix(level + " ") && $0.contains(words) }
        }
        #expect(tells("INFO", "starts on GStreamer"))
        #expect(tells("INFO", "detector=upstream"))
        #expect(tells("INFO", "upstream is"))
        #expect(tells("INFO", "because strategy=auto"))
        #expect(tells("INFO", "epoch 1 begins: a gap"))
        #expect(tells("DEBUG", "track-max-age is set to 1000000000"))
        #expect(tells("DEBUG", "caps: video/x-raw"))
        #expect(tells("DEBUG", "a segment from 0"))
        #expect(tells("DEBUG", "track 1 begin"))
        #expect(tells("DEBUG", "track 2 end (eos)"))
        #expect(tells("DEBUG", "end of stream"))
        #expect(tells("LOG", "detection started at the frame of 33333333 ns"))
        #expect(tells("LOG", "1 detections"))
        #expect(tells("LOG", "message 2 posted: 1 objects"))
        #expect(tells("TRACE", "track 1: cup tracked, score 0.9"))
    }

    /// Work on other threads is told of by the element that asked for it, once it hears.
    @Test func diagnosticsCanBeRecorded() {
        let kept = Diagnostics.recording { () -> Int in
            Diagnostics.report(.info, "first")
            Diagnostics.report(.debug, "second")
            return 7
        }
        Diagnostics.report(.info, "nobody hears this")
        #expect(kept.result == 7)
        #expect(kept.entries.map(\.text) == ["first", "second"])
    }

    /// What the library tells reaches the element that asked for the work, and nobody else.
    @Test func diagnosticsGoToCallingElement() {
        let harness = ElementHarness("name=log-facts detector=motion")
        let handle = ElementHandle(
            UnsafeMutableRawPointer(harness.element).assumingMemoryBound(to: GstBaseTransform.self))
        let lines = DebugLines.recording("swiftodt:4", of: "log-facts") {
            Diagnostics.report(.info, "nobody hears this")
            handle.listening {
                Diagnostics.report(.warning, "a cache that cannot be written")
                Diagnostics.report(.info, "a network of the family ssd")
                Diagnostics.report(.debug, "what is not asked for")
            }
        }
        #expect(lines.map { $0.prefix { $0 != " " } } == ["WARN", "INFO"])
        #expect(lines.last?.hasSuffix("a network of the family ssd") == true)
    }
}

/// What GStreamer logs of the category `swiftodt` while something is done.
enum DebugLines {
    private static let lines = Mutex([(object: String, text: String)]())

    /// - Parameters:
    ///   - threshold: as `GST_DEBUG` has it. It holds for all elements of the process.
    ///   - element: whose lines are wanted; other tests run at the same time.
    static func recording(_ threshold: String, of element: String, _ body: () -> Void) -> [String] {
        lines.withLock { $0 = [] }
        gst_debug_remove_log_function(gst_debug_log_default)
        gst_debug_add_log_function(
            { category, level, file, function, line, object, message, _ in
                guard let category, String(cString: gst_debug_category_get_name(category)) == "swiftodt", let object
                else { return }
                let name = gst_object_get_name(UnsafeMutableRawPointer(object).assumingMemoryBound(to: GstObject.self))!
                defer { g_free(name) }
                let level = String(cString: gst_debug_level_get_name(level)).filter { $0 != " " }
                let place = "\(String(cString: file!)):\(line):\(String(cString: function!))"
                let text = "\(level) \(place) \(String(cString: gst_debug_message_get(message)))"
                DebugLines.lines.withLock { [name = String(cString: name)] in $0.append((name, text)) }
            }, nil, nil)
        gst_debug_set_threshold_from_string(threshold, 1)
        body()
        gst_debug_set_threshold_from_string("", 1)
        gst_debug_remove_log_function_by_data(nil)
        return lines.withLock { $0.filter { $0.object == element }.map(\.text) }
    }
}
