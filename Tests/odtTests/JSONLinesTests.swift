import CODTGStreamer
import Glibc
import ODTPlayback
import ODTTestSupport
import SwiftODT
import Testing

@testable import odt

@Suite("JSONLines")
struct JSONLinesTests {
    /// For example by logrotate.
    @Test(.timeLimit(.minutes(1)), arguments: [true, false])
    func linesAfterRotationAreInNewFile(isAnnounced: Bool) throws {
        try PluginSearch.startGStreamer()
        let folder = try TemporaryFolder()
        let name = folder.path + "/lines.jsonl"
        let structure = gst_structure_new_empty("swiftodt")!
        defer { gst_structure_free(structure) }
        let lines = try JSONLines(name, fileCheckInterval: isAnnounced ? .max : 0) { _ in }
        for (line, moved) in [("one\n", name + ".1"), ("two\n", nil)] {
            lines.take(
                WatchMessage(
                    camera: "yard", time: 0, steady: 0, fields: MessageFields(structure), line: line, mayWait: true))
            while (try? ByteStream.read(name)) != Array(line.utf8) { sched_yield() }
            if let moved { #expect(rename(name, moved) == 0) }
            if isAnnounced { lines.checkFile() }
        }
        lines.close()
        #expect(try ByteStream.read(name + ".1") == Array("one\n".utf8))
    }

    /// A disk that is nearly full accepts some lines again and again.
    @Test(.timeLimit(.minutes(1))) func repeatedLossIsReportedOnce() throws {
        try PluginSearch.startGStreamer()
        let folder = try TemporaryFolder()
        let (name, file) = (folder.path + "/lines.jsonl", folder.path + "/file")
        let structure = gst_structure_new_empty("swiftodt")!
        defer { gst_structure_free(structure) }
        let notes = Monitor([String]())
        #expect(symlink("/dev/full", name) == 0)
        let lines = try JSONLines(name, fileCheckInterval: 0) { note in notes.update { $0.append(note) } }
        func metrics() -> String {
            var text = MetricsText()
            lines.measure(into: &text)
            return text.text
        }
        for round in 1...3 {
            for target in ["/dev/full", file] {
                unlink(name)
                #expect(symlink(target, name) == 0)
                lines.take(
                    WatchMessage(
                        camera: "yard", time: 0, steady: 0, fields: MessageFields(structure), line: "\(round)\n",
                        mayWait: true))
                while !metrics().contains("swiftodt_lines_queue_bytes 0\n")
                    || !metrics().contains("swiftodt_lines_dropped_total \(round)\n")
                { sched_yield() }
                #expect(lines.writeState?.isFailing == (target == "/dev/full"))
            }
        }
        lines.close()
        #expect(try ByteStream.read(file) == Array("1\n2\n3\n".utf8))
        #expect(
            notes.read { $0 } == [
                "\(name): lines are dropped: No space left on device; the watch continues",
                "\(name) accepts lines again after 1 dropped line",
            ])
    }
}
