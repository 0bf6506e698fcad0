import Glibc
import ODTPlayback
import ODTTestSupport
import SwiftODT
import Testing

@testable import odt

@Suite("EventReceiver")
struct EventReceiverTests {
    /// The event that a command receives as JSON is appended to a file.
    private func receiver(_ file: String, after word: String = "") throws -> EventReceiver {
        try EventReceiver("\(word) cat >> '\(file)'", notify: { _ in })
    }

    @Test(.timeLimit(.minutes(1))) func retiredReceiverPassesQueuedEventsOn() throws {
        let folder = try TemporaryFolder()
        let (started, ready) = (folder.path + "/started", folder.path + "/ready")
        let (one, other) = (folder.path + "/one", folder.path + "/other")
        for path in [started, ready] { #expect(mkfifo(path, 0o600) == 0) }
        // The first command runs until the test writes to the second pipe.
        let old = try receiver(one, after: "echo > '\(started)'; read line < '\(ready)';")
        let new = try receiver(other)
        for (event, rule) in [("a", "kept"), ("b", "kept"), ("c", "kept")] {
            old.take(WatchEvent(camera: "cam", kind: "track", event: event, time: 0), rule: rule, picture: nil)
        }
        #expect(try ByteStream.read(started) == [0x0A])
        old.retire(to: ["kept": new])
        old.take(WatchEvent(camera: "cam", kind: "track", event: "d", time: 0), rule: "kept", picture: nil)
        while new.figures.delivered < 3 { sched_yield() }
        new.close()
        let events = try ByteStream.read(other)
        let names = try events.split(separator: 0x0A).map { try JSONValue(parsing: $0)["event"]?.string }
        #expect(names == ["b", "c", "d"])
        #expect(!old.isOver)
        let pipe = open(ready, O_WRONLY)
        #expect(write(pipe, "\n", 1) == 1)
        close(pipe)
        old.close()
        #expect(try JSONValue(parsing: ByteStream.read(one))["event"] == .string("a"))
        #expect(old.figures.delivered == 1 && new.figures.delivered == 3)
    }

    /// At the end of files, each command runs to its end, also if all of them take longer than the time limit after a
    /// signal.
    @Test(.timeLimit(.minutes(1))) func closingReceiverDeliversAllEvents() throws {
        let folder = try TemporaryFolder()
        let file = folder.path + "/delivered"
        let receiver = try EventReceiver("sleep 0.1; cat >> '\(file)'", closeTimeout: 50_000_000, notify: { _ in })
        for event in ["a", "b", "c"] {
            receiver.take(WatchEvent(camera: "cam", kind: "track", event: event, time: 0), rule: "a", picture: nil)
        }
        receiver.close()
        #expect(receiver.figures == (0, 3, 0))
        #expect(try ByteStream.read(file).split(separator: 0x0A).count == 3)
    }

    @Test(.timeLimit(.minutes(1))) func eventForEndedReceiverIsDroppedAndReported() throws {
        let notes = Monitor([String]())
        let receiver = try EventReceiver("true") { text in notes.update { $0.append(text) } }
        receiver.retire(to: [:])
        while !receiver.isOver { sched_yield() }
        receiver.take(WatchEvent(camera: "cam", kind: "track", event: "a", time: 0), rule: "a", picture: nil)
        #expect(receiver.figures == (0, 0, 1))
        #expect(notes.read { $0 } == ["'true': 1 event not delivered"])
    }

    /// A reload can remove the rule of queued events.
    @Test(.timeLimit(.minutes(1))) func closingReceiverThatIsRetiredDoesNotWait() throws {
        let receiver = try EventReceiver("sleep 0.3", closeTimeout: 100_000_000) { _ in }
        for event in ["a", "b", "c"] {
            receiver.take(WatchEvent(camera: "cam", kind: "track", event: event, time: 0), rule: "a", picture: nil)
        }
        receiver.retire(to: [:])
        while !receiver.isOver { sched_yield() }
        receiver.close()
        #expect(receiver.figures.delivered < 3)
    }

    /// Events that arrive during the change of the receiver do not overtake those in the queue.
    @Test(.timeLimit(.minutes(1))) func eventsStayInOrderWhenReceiverIsRetired() throws {
        let folder = try TemporaryFolder()
        let (started, ready) = (folder.path + "/started", folder.path + "/ready")
        let output = folder.path + "/output"
        for path in [started, ready] { #expect(mkfifo(path, 0o600) == 0) }
        let old = try receiver("/dev/null", after: "echo > '\(started)'; read line < '\(ready)';")
        let new = try receiver(output)
        old.take(WatchEvent(camera: "cam", kind: "track", event: "0", time: 0), rule: "kept", picture: nil)
        #expect(try ByteStream.read(started) == [0x0A])
        let (queued, sent) = (Monitor(0), 100)
        DetachedThread.run {
            for number in 1...sent {
                let event = WatchEvent(camera: "cam", kind: "track", event: "\(number)", time: 0)
                old.take(event, rule: "kept", picture: nil)
                queued.update { $0 = number }
            }
        }
        queued.wait { $0 >= 20 ? () : nil }
        old.retire(to: ["kept": new])
        queued.wait { $0 == sent ? () : nil }
        new.close()
        let events = try ByteStream.read(output).split(separator: 0x0A)
        let names = try events.map { try JSONValue(parsing: $0)["event"]?.string }
        #expect(names.count > 0 && names == (1...sent).prefix(names.count).map { "\($0)" })
        let pipe = open(ready, O_WRONLY)
        #expect(write(pipe, "\n", 1) == 1)
        close(pipe)
        old.close()
    }

    /// A counter that decreases would count as a restart of the program.
    @Test(.timeLimit(.minutes(1))) func metricsCountEventsOfRemovedReceiver() throws {
        try PluginSearch.startGStreamer()
        let sink = try EventSink([EventRule(commandLine: "true")]) { _ in }
        func delivered() -> String? {
            var metrics = MetricsText()
            sink.measure(into: &metrics)
            return metrics.text.split(separator: "\n").map { String($0) }
                .first { $0.hasPrefix("swiftodt_events_delivered_total{") }
        }
        let fields = OwnedStructure(named: "swiftodt-camera")
        fields.set("event", to: "connected")
        sink.take(
            WatchMessage(
                camera: "cam", time: 0, steady: 0, fields: MessageFields(fields.pointer), line: "", mayWait: false))
        let one = "swiftodt_events_delivered_total{receiver=\"true\"} 1"
        while delivered() != one { sched_yield() }
        // The receiver is removed by the first reload after the end of its thread.
        for _ in 0..<100 {
            try sink.use([] as [EventRule])
            #expect(delivered() == one)
            usleep(1_000)
        }
    }

    @Test(.timeLimit(.minutes(1))) func lostEventsOfEndedReceiverCountAsDropped() throws {
        let receiver = try EventReceiver("sleep 0.3", closeTimeout: 100_000_000) { _ in }
        for event in ["a", "b", "c"] {
            receiver.take(WatchEvent(camera: "cam", kind: "track", event: event, time: 0), rule: "a", picture: nil)
        }
        receiver.retire(to: [:])
        while !receiver.isOver { sched_yield() }
        let figures = receiver.figures
        #expect(figures.waiting == 0 && figures.dropped > 0 && figures.delivered + figures.dropped == 3)
    }

    /// An error is logged once per hour, also if deliveries succeed in between.
    @Test(.timeLimit(.minutes(1))) func repeatedRejectionIsReportedOnce() throws {
        let notes = Monitor([String]())
        let receiver = try EventReceiver("read line; case $line in *good*) ;; *) exit 3;; esac") { text in
            notes.update { $0.append(text) }
        }
        for event in ["bad", "good", "bad", "bad"] {
            receiver.take(WatchEvent(camera: "cam", kind: "track", event: event, time: 0), rule: "a", picture: nil)
        }
        receiver.close()
        #expect(receiver.figures == (0, 1, 3))
        #expect(notes.read { $0 } == ["'read': exit code 3"])
    }
}
