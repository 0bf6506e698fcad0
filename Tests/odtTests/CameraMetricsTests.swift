import CODTGStreamer
import ODTPlayback
import Testing

@testable import odt

@Suite struct CameraMetricsTests {
    init() { gst_init(nil, nil) }

    /// An object whose id is replaced by its earlier id is still present.
    @Test func replacedIDIsNotCountedAsEndedTrack() {
        var metrics = CameraMetrics()
        for reason in ["reidentified", "left-frame"] {
            let fields = OwnedStructure(named: "swiftodt-track")
            fields.set("event", to: "end")
            fields.set("label", to: "person")
            fields.set("reason", to: reason)
            metrics.take(MessageFields(fields.pointer))
        }
        #expect(metrics.tracks == [CameraMetrics.Key(label: "person"): 1])
    }

    /// An outage can have several reasons, each of which is reported. A camera that was never reached is not lost.
    @Test func outageWithTwoReasonsCountsAsOneLoss() {
        var metrics = CameraMetrics()
        for (event, count) in [
            ("lost", 0), ("connected", 0), ("lost", 1), ("lost", 1), ("connected", 1), ("lost", 2), ("ended", 2),
            ("lost", 2),
        ] {
            let fields = OwnedStructure(named: "swiftodt-camera")
            fields.set("event", to: event)
            metrics.take(MessageFields(fields.pointer))
            #expect(metrics.lossCount == count)
        }
    }

    private final class FailingSink: MeasuredSink {
        func take(_ message: WatchMessage) {}
        func measure(into text: inout MetricsText) {}
        var writeState: (output: String, isFailing: Bool)? { ("store", true) }
    }

    @Test func outputThatCannotWriteIsNamedAndDoesNotEndHealth() throws {
        let line = try CommandLineOptions(["--record", "/video"], valued: ["--record"], flags: [])
        let board = MetricsBoard(WatchOptions(line, []), cameras: [])
        #expect(!board.health.text.contains("failing"))
        board.add([FailingSink()])
        #expect(board.health.isGood && board.health.text.hasSuffix("\nfailing outputs: store"))
        for sample in [#"{output="record"} 0"#, #"{output="store"} 1"#] {
            #expect(board.text.contains("swiftodt_output_failing\(sample)\n"))
        }
    }

    /// Prometheus ignores an event that is in the first sample of a counter.
    @Test func countersOfEventsExistBeforeFirstEvent() throws {
        var metrics = CameraMetrics()
        let structure = try #require(
            gst_structure_from_string(
                """
                swiftodt, objects=(structure){ [object, label=(string)person;] },
                zones=(structure){ [zone, name=(string)yard, kind=(string)zone;],
                [zone, name=(string)door, kind=(string)line;] };
                """, nil))
        defer { gst_structure_free(structure) }
        func check(_ entries: Int) {
            let yard = CameraMetrics.Key(zone: "yard", label: "person")
            #expect(metrics.entered == [yard: entries])
            #expect(metrics.left == [yard: 0])
            let keys = ["in", "out"].map { CameraMetrics.Key(zone: "door", label: "person", direction: $0) }
            #expect(metrics.crossings == [keys[0]: 0, keys[1]: 0])
        }
        metrics.take(MessageFields(structure))
        check(0)
        let event = OwnedStructure(named: "swiftodt-zone")
        for (field, text) in [("event", "enter"), ("zone", "yard"), ("label", "person")] { event.set(field, to: text) }
        metrics.take(MessageFields(event.pointer))
        metrics.take(MessageFields(structure))
        check(1)
    }
}
