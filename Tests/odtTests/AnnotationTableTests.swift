import CODTGStreamer
import Foundation
import ODTPlayback
import ODTTestSupport
import SwiftODT
import Testing

@testable import odt

/// Tests the tables and exports of `odt annotate` with single messages.
@Suite struct AnnotationTableTests {
    init() { gst_init(nil, nil) }

    /// Returns a message of a frame with one object, or with several objects that differ only in their ids.
    private func result(
        width: Int, height: Int, label: String = "cup", sinceUpdate: Int = 0, id: Int = 1, score: Double = 0.5,
        others: [Int] = [], more: String = ""
    ) throws -> OwnedStructure {
        let message = try #require(
            gst_structure_from_string(
                "swiftodt, width=(guint)\(width), height=(guint)\(height), stream-time=(guint64)0, "
                    + "timestamp=(guint64)0", nil))
        let (x, y) = (width / 2, height / 2)
        var list = GValue()
        g_value_init(&list, gst_value_list_get_type())
        for id in [id] + others {
            let object = try #require(
                gst_structure_from_string(
                    "object, tracking-id=(guint64)\(id), x=(guint)\(x), y=(guint)\(y), width=(guint)\(x), "
                        + "height=(guint)\(y), score=\(score), state=tracked, "
                        + "time-since-update=(guint64)\(sinceUpdate), label=\"\(label)\"\(more)", nil))
            var item = GValue()
            g_value_init(&item, gst_structure_get_type())
            g_value_take_boxed(&item, object)
            gst_value_list_append_and_take_value(&list, &item)
        }
        gst_structure_take_value(message, "objects", &list)
        defer { gst_structure_free(message) }
        return OwnedStructure(copying: message)
    }

    /// In MPEG-TS, running times differ from stream times.
    @Test func eventsHaveStreamTimesAsFrames() throws {
        let text =
            "swiftodt-track, event=end, running-time=(guint64)1000000000, stream-time=(guint64)1780000000, "
            + "first-seen=(guint64)500000000, tracking-id=(guint64)1"
        let message = try #require(gst_structure_from_string(text, nil))
        defer { gst_structure_free(message) }
        let fields = MessageFields(message)
        #expect(EventTable.row(of: fields)?.hasPrefix("1.780000,track,end,1,") == true)
        #expect(TrackTable.row(of: fields)?.hasPrefix("1,,,,1.280000,") == true)
    }

    @Test func tablesHaveLabelOfCustomClassifier() throws {
        func row(_ text: String?, _ header: [String]) throws -> [String: String] {
            let cells = try #require(text).dropLast().split(separator: ",", omittingEmptySubsequences: false)
            #expect(cells.count == header.count)
            return Dictionary(uniqueKeysWithValues: zip(header, cells.map { String($0) }))
        }
        let text = "swiftodt-track, event=end, tracking-id=(guint64)1, label=bird, classifier-label=robin"
        let message = try #require(gst_structure_from_string(text, nil))
        defer { gst_structure_free(message) }
        let fields = MessageFields(message)
        #expect(try row(EventTable.row(of: fields), EventTable.header)["classifier_label"] == "robin")
        #expect(try row(TrackTable.row(of: fields), TrackTable.header)["classifier_label"] == "robin")
        var table = FrameTable()
        let cases: [(String, String, Double?)] = [
            ("", "", nil), (", classifier-label=robin, classifier-score=0.7", "robin", 0.7),
        ]
        for (given, label, score) in cases {
            let seen = try result(width: 64, height: 48, more: given)
            try withExtendedLifetime(seen) {
                let cells = try row(table.rows(of: MessageFields(seen.pointer)), FrameTable.header)
                #expect(cells["classifier_label"] == label)
                #expect(cells["classifier_score"].flatMap { Double($0) } == score)
                #expect(cells["score"].flatMap { Double($0) } == 0.5)
                #expect(cells["label"] == "cup" && cells["width"] == "32")
            }
        }
    }

    /// The object continues with an earlier id, whose row contains the same detections.
    @Test func trackTableDoesNotCountReplacedID() throws {
        func message(_ event: String, _ reason: String) throws -> OwnedStructure {
            let text = "swiftodt-track, event=\(event), tracking-id=(guint64)2, reason=\(reason)"
            let message = try #require(gst_structure_from_string(text, nil))
            defer { gst_structure_free(message) }
            return OwnedStructure(copying: message)
        }
        let cases = [
            ("begin", "none", 1, false), ("end", "reidentified", -1, false), ("re-entered", "none", 0, false),
            ("end", "lost", 0, true),
        ]
        for (event, reason, change, hasRow) in cases {
            let message = try message(event, reason)
            withExtendedLifetime(message) {
                let fields = MessageFields(message.pointer)
                #expect(TrackTable.objectCountChange(of: fields) == change, "\(event)")
                #expect((TrackTable.row(of: fields) != nil) == hasRow, "\(event)")
            }
        }
    }

    /// Between two inferences, the state of an object is `tracked`, but its box is not detected.
    @Test func exportsMarkExtrapolatedBoxes() throws {
        var export = TrackExport()
        for message in try [0, 40_000_000].map({ try result(width: 64, height: 48, sinceUpdate: $0) }) {
            export.add(MessageFields(message.pointer))
        }
        let coco = export.text(as: .coco, of: "a").components(separatedBy: "\"extrapolated\":true").count - 1
        let cvat = export.text(as: .cvat, of: "a").components(separatedBy: "occluded=\"1\"").count - 1
        #expect(coco == 1 && cvat == 1)
    }

    /// In Swift, a character with a combining mark differs from the character alone.
    @Test func specialCharactersWithCombiningMarksAreEscaped() throws {
        var export = TrackExport()
        let message = try result(width: 64, height: 48, label: "<\u{301}b")
        withExtendedLifetime(message) { export.add(MessageFields(message.pointer)) }
        #expect(export.text(as: .cvat, of: "a").contains("&lt;\u{301}b"))
        #expect(TableRow.text(["\"\u{301},", "b"]) == "\"\"\"\u{301},\",b\n")
    }

    @Test func charactersThatXMLForbidsAreReplaced() throws {
        var export = TrackExport()
        let message = try result(width: 64, height: 48, label: "a\u{FFFE}b\u{FFFF}c\u{1}d\u{FFFD}")
        withExtendedLifetime(message) { export.add(MessageFields(message.pointer)) }
        #expect(export.text(as: .cvat, of: "a").contains("label=\"a b c d\u{FFFD}\""))
    }

    @Test func exportsKeepSizeOfEachFrame() throws {
        var export = TrackExport()
        for message in [try result(width: 64, height: 48), try result(width: 32, height: 16)] {
            export.add(MessageFields(message.pointer))
        }
        let coco = export.text(as: .coco, of: "a")
        #expect(coco.contains("\"width\":64") && coco.contains("\"height\":16"), "\(coco)")
        let cvat = export.text(as: .cvat, of: "a").split(separator: "\n").filter { $0.contains("<box") }
        #expect(
            cvat.count == 2
                && cvat.allSatisfy { $0.contains("xtl=\"32\" ytl=\"24\" xbr=\"64\" ybr=\"48\"") }, "\(cvat)")
    }

    /// Returns a `swiftodt-track` message.
    private func event(
        _ kind: String, _ id: Int, label: String = "cup", reason: String = "", firstSeen: Int = 0
    ) throws -> OwnedStructure {
        let text =
            "swiftodt-track, event=\(kind), tracking-id=(guint64)\(id), label=\(label), reason=\"\(reason)\", "
            + "first-seen=(guint64)\(firstSeen)"
        let message = try #require(gst_structure_from_string(text, nil))
        defer { gst_structure_free(message) }
        return OwnedStructure(copying: message)
    }

    /// In the second frame, the earlier track is extrapolated although the object has returned. The third object began
    /// in the same frame as the second one, but is another object.
    @Test func exportsReplaceTemporaryIDs() throws {
        var (export, replacements) = (TrackExport(), IDReplacements())
        func show(_ id: Int, others: [Int] = []) throws {
            let message = try result(width: 64, height: 48, id: id, others: others)
            withExtendedLifetime(message) { export.add(MessageFields(message.pointer)) }
        }
        func follow(_ kind: String, _ id: Int, _ reason: String = "") throws {
            let message = try event(kind, id, reason: reason, firstSeen: 5)
            let change = withExtendedLifetime(message) { replacements.take(MessageFields(message.pointer)) }
            if let change { export.rename(change.from, to: change.to) }
        }
        try show(1)
        try follow("begin", 2)
        try follow("begin", 3)
        try show(1, others: [2, 3])
        try follow("end", 2, "reidentified")
        try follow("re-entered", 1)
        try show(1, others: [3])
        try follow("update", 3)
        try follow("end", 3, "lost")
        let rows = export.text(as: .mot, of: "a").split(separator: "\n").map { $0.split(separator: ",")[..<2] }
        #expect(rows.map { $0.joined(separator: " ") } == ["1 1", "2 1", "2 3", "3 1", "3 3"])
        let coco = export.text(as: .coco, of: "a")
        #expect(coco.contains("\"track_id\":1") && !coco.contains("\"track_id\":2"))
        #expect(export.text(as: .cvat, of: "a").components(separatedBy: "<track ").count - 1 == 2)
    }

    /// With re-identification, a track ends several times.
    @Test func bestPictureOfAllVisitsIsKept() throws {
        let folder = try TemporaryFolder()
        let pipeline = try Pipeline(
            "videotestsrc num-buffers=1 ! video/x-raw,width=64,height=64 ! identity name=swiftodt ! fakesink")
        let pictures = try TrackPictures(into: folder.path, from: pipeline)
        let player = Player(pipeline) { _ in }
        #expect(player.play { _ in }.isWhole)
        player.stop()
        func post(_ message: OwnedStructure) throws {
            try withExtendedLifetime(message) { try pictures.end(MessageFields(message.pointer)) }
        }
        func visit(_ id: Int, size: Int, score: Double, _ reason: String, label: String = "cup") throws {
            let seen = try result(width: size, height: size, id: id, score: score)
            withExtendedLifetime(seen) { pictures.see(MessageFields(seen.pointer)) }
            try post(event("end", id, label: label, reason: reason, firstSeen: id))
        }
        func width() throws -> Int { try Picture(contentsOfFile: folder.path + "/00001-cup.jpg").width }
        try visit(1, size: 64, score: 0.6, "left-frame")
        let first = try width()
        try visit(2, size: 32, score: 0.5, "reidentified")
        pictures.rename(2, to: 1)
        try visit(1, size: 32, score: 0.5, "left-frame")
        #expect(try width() == first)
        try visit(1, size: 32, score: 0.7, "left-frame")
        #expect(try width() != first)
        // The picture under the temporary id is the best one.
        try visit(3, size: 64, score: 0.75, "reidentified")
        pictures.rename(3, to: 1)
        try visit(1, size: 32, score: 0.6, "left-frame")
        #expect(try width() == first)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["00001-cup.jpg"])
        try visit(1, size: 32, score: 0.8, "left-frame", label: "mug")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["00001-mug.jpg"])
    }

    @Test(arguments: [
        ("/srv/a.b.mkv", "a.b", ".mkv"), ("http://me:secret@127.0.0.1:8766", "127.0.0.1", ""),
        ("http://me:secret@cam/", "cam", ""), ("http://cam/x/av.mp4?token=abc.def", "av", ".mp4"),
        ("file:///a.mkv", "a", ".mkv"), ("file:///v/take=1.mkv", "take=1", ".mkv"),
        ("http://cam/user=me&password=secret", "cam", ""),
        ("http://cam/user=me&password=secret/av.mp4", "av", ".mp4"), ("rtsp://me:se/cret@cam/1", "me", ""),
    ])
    func outputNamesHaveNoPassword(_ input: String, _ stem: String, _ ending: String) {
        #expect(AnnotationBatch.name(of: input) == (stem, ending))
    }

    /// Only inputs that differ in their extension keep it.
    @Test func batchGivesEachInputUniqueOutputName() throws {
        let line = try CommandLineOptions(
            ["x/in.mp4", "y/in.mp4", "in-2.mp4", "a.mkv", "a.mts"], valued: [], flags: [])
        #expect(
            try AnnotationBatch(line, into: "o").jobs.map(\.outputs.video) == [
                "o/in.mp4", "o/in-2.mp4", "o/in-2-2.mp4", "o/a.mkv.mkv", "o/a.mts.mp4",
            ])
    }
}
