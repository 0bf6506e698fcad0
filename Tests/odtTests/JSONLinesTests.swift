import CODTGStreamer
import Glibc
import ODTPlayback
import ODTTestSupport
import Testing

@testable import odt

@Suite("JSONLines")
struct JSONLinesTests {
    /// For example by logrotate.
    @Test(.timeLimit(.minutes(1))) func linesAfterRotationAreInNewFile() throws {
        try PluginSearch.startGStreamer()
        let folder = try TemporaryFolder()
        let name = folder.path + "/lines.jsonl"
        let structure = gst_structure_new_empty("swiftodt")!
        defer { gst_structure_free(structure) }
        let lines = try JSONLines(name, fileCheckInterval: 0) { _ in }
        for (line, moved) in [("one\n", name + ".1"), ("two\n", nil)] {
            lines.take(
                WatchMessage(
                    camera: "yard", time: 0, steady: 0, fields: MessageFields(structure), line: line, mayWait: true))
            while (try? ByteStream.read(name)) != Array(line.utf8) { sched_yield() }
            if let moved { #expect(rename(name, moved) == 0) }
        }
        lines.close()
        #expect(try ByteStream.read(name + ".1") == Array("one\n".utf8))
    }
}
