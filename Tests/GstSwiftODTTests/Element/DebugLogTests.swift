import CODTGStreamer
import CODTGStreamerCheck
import CSwiftODTElement
import Synchronization
import Testing

@testable import GstSwiftODT
@testable import SwiftODT

/// Tests the debug category: levels, object, and that disabled levels evaluate no text.
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
            #expect(element.takeMessage(GST_MESSAGE_WARNING)?.contains("single image") == true)
        }
        #expect(lines.contains { $0.hasPrefix("WARN") && $0.contains("single image") })
    }

    /// Tests that the log alone explains a stream, each level by itself.
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
        func logged(_ level: String, _ words: String) -> Bool {
            lines.contains { $0.hasPrefix(level + " ") && $0.contains(words) }
        }
        #expect(logged("INFO", "starts on GStreamer"))
        #expect(logged("INFO", "detector=upstream"))
        #expect(logged("INFO", "upstream is"))
        #expect(logged("INFO", "because strategy=auto"))
        #expect(logged("INFO", "epoch 1 begins: a gap"))
        #expect(logged("DEBUG", "track-max-age is set to 1000000000"))
        #expect(logged("DEBUG", "caps: video/x-raw"))
        #expect(logged("DEBUG", "a segment from 0"))
        #expect(logged("DEBUG", #""event":"begin","tracking-id":1,"#))
        #expect(logged("DEBUG", #""event":"end","tracking-id":2,"#))
        #expect(logged("DEBUG", "end of stream"))
        #expect(logged("LOG", "detection started at the frame of 33333333 ns"))
        #expect(logged("LOG", "1 detections"))
        #expect(logged("LOG", "message 2 posted: 1 objects"))
        #expect(logged("TRACE", "track 1: cup tracked, score 0.9"))
    }

    /// Diagnostics of background work are recorded and reported later by an element.
    @Test func diagnosticsCanBeRecorded() {
        let kept = Diagnostics.recording { () -> Int in
            Diagnostics.report(.info, "first")
            Diagnostics.report(.debug, "second")
            return 7
        }
        Diagnostics.report(.info, "not recorded")
        #expect(kept.result == 7)
        #expect(kept.entries.map(\.text) == ["first", "second"])
    }

    /// Diagnostics of the library are logged by the element that runs the work, and by no other.
    @Test func diagnosticsGoToCallingElement() {
        let harness = ElementHarness("name=log-facts detector=motion")
        let handle = ElementHandle(
            UnsafeMutableRawPointer(harness.element).assumingMemoryBound(to: GstBaseTransform.self))
        let lines = DebugLines.recording("swiftodt:4", of: "log-facts") {
            Diagnostics.report(.info, "not recorded")
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

/// Records the log of the category `swiftodt`.
enum DebugLines {
    private static let lines = Mutex([(object: String, text: String)]())

    /// - Parameters:
    ///   - threshold: the value of `GST_DEBUG`. It applies to all elements of the process.
    ///   - element: the name of the element; only its lines are returned, because other tests run concurrently.
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
