import Foundation
import ODTTestSupport
import Testing

@testable import SwiftODT

/// Tests recordings of detections: they are read as written, any frame of a long file is found, and the error for an
/// invalid file names it.
@Suite struct RecordingTests {
    private let folder: TemporaryFolder
    private static let header = RecordingHeader(
        width: 640, height: 480, orientation: "90r", frameRate: .init(30_000, 1001), scoreFloor: 0.1, iouThreshold: 0.5,
        detectorFields: [.init("detector", .string("neural")), .init("model", .string("a \"b\".xml"))])

    init() throws { folder = try TemporaryFolder() }

    private func path(_ name: String = "found.jsonl") -> String { folder.path + "/" + name }

    private func text(_ name: String = "found.jsonl") throws -> String {
        try String(contentsOfFile: path(name), encoding: .utf8)
    }

    private func frame(_ number: Int, x: Double = 1) -> RecordedFrame {
        RecordedFrame(
            key: .time(Nanoseconds(number) * 33_333_333),
            detections: [
                Detection(box: Box(x: x, y: 2, width: 3, height: 4), score: 0.5, label: Label(index: 0, text: "cup"))
            ])
    }

    private func write(_ frames: Range<Int>, end: Bool = false, existing: RecordingWriter.Existing = .refuse) throws {
        let writer = try RecordingWriter(path(), existing: existing)
        try writer.begin(Self.header)
        for number in frames { _ = try writer.write(frame(number)) }
        if end { try writer.finish(RecordingEnd(frames: frames.upperBound, last: frame(frames.upperBound - 1).key)) }
    }

    /// Only -1 stands for no score. With other negative scores, redaction would leave objects visible.
    @Test func scoresOfMOTChallengeFiles() throws {
        func score(_ text: String) throws -> Double? {
            try "1,-1,10,20,30,40,\(text)\n".write(toFile: path("det.txt"), atomically: true, encoding: .utf8)
            let reader = try RecordingReader(path("det.txt"))
            return try reader.frame(at: .number(1))?.detections.first?.score
        }
        #expect(try score("-1") == 1 && score("0.5") == 0.5 && score("7") == 1)
        for text in ["nan", "-0.3"] { #expect(throws: ODTError.self) { try score(text) } }
    }

    @Test func readerReturnsTheLabelGroupsOfTheRecordedNetwork() throws {
        var header = Self.header
        let groups: [String: Set<String>] = ["farm": ["cow", "sheep"], "pets": ["cat"]]
        header.detectorFields.append(try #require(.init(labelGroups: groups)))
        let writer = try RecordingWriter(path(), existing: .refuse)
        try writer.begin(header)
        #expect(try RecordingReader(path()).header?.traits.labelGroups == groups)
        #expect(RecordingHeader.Field(labelGroups: [:]) == nil)
    }

    @Test func readerReturnsTheLabelsOfTheRecordedDetector() throws {
        #expect(try RecordingHeader(JSONValue(parsing: Self.header.text.utf8)).labels == nil)
        var header = Self.header
        header.detectorFields.append(try #require(.init(labels: ["person", "a \"b\""])))
        let writer = try RecordingWriter(path(), existing: .refuse)
        try writer.begin(header)
        #expect(try RecordingReader(path()).header?.labels == ["person", "a \"b\""])
        #expect(RecordingHeader.Field(labels: []) == nil && RecordingHeader.Field(labels: nil) == nil)
    }

    private func problem(_ body: () throws -> Void) -> String {
        do {
            try body()
            return "none"
        } catch {
            return "\(error)"
        }
    }

    /// The shortest decimal representation must restore every bit.
    @Test func numbersRoundTripExactly() throws {
        var random = SeededGenerator(seed: testSeed())
        let frames = (0..<400).map { number in
            RecordedFrame(
                key: .time(Nanoseconds(number) * 41_708_333),
                seen: number % 3 == 0 ? Box(x: 0.1, y: -0.0, width: 1e-9, height: 2) : nil,
                detections: (0..<Int.random(in: 0...6, using: &random)).map { index in
                    func figure() -> Double {
                        let any = Double(bitPattern: random.next())
                        return any.isFinite && Bool.random(using: &random)
                            ? any : Double(Float.random(in: -9...4000, using: &random))
                    }
                    func size() -> Double { max(abs(figure()), .leastNonzeroMagnitude) }
                    return Detection(
                        box: Box(x: figure(), y: figure(), width: size(), height: size()),
                        score: Double(Float.random(in: 0...1, using: &random)),
                        label: index % 2 == 0 ? Label(index: index - 1, text: "a \"\\\u{1}\tü\u{1F600} \(index)") : nil)
                })
        }
        let writer = try RecordingWriter(path(), existing: .refuse)
        try writer.begin(Self.header)
        for frame in frames { #expect(try writer.write(frame)) }
        try writer.finish(RecordingEnd(frames: 400, last: frames.last?.key))
        let reader = try RecordingReader(path())
        #expect(reader.header?.width == 640 && reader.header?.orientation == "90r")
        #expect(reader.header?.frameRate == .init(30_000, 1001))
        #expect(reader.end == RecordingEnd(frames: 400, last: frames.last?.key))
        for frame in frames {
            let found = try #require(try reader.frame(at: frame.key))
            #expect(
                found.key == frame.key && bits(found.seen.map { [$0] } ?? []) == bits(frame.seen.map { [$0] } ?? []))
            #expect(bits(found.detections.map(\.box)) == bits(frame.detections.map(\.box)))
            #expect(found.detections.map(\.score.bitPattern) == frame.detections.map(\.score.bitPattern))
            #expect(found.detections.map(\.label) == frame.detections.map(\.label))
        }
        #expect(reader.skippedLines == 0)
    }

    private func bits(_ boxes: [Box]) -> [UInt64] {
        boxes.flatMap { [$0.x, $0.y, $0.width, $0.height].map(\.bitPattern) }
    }

    @Test func nonFiniteDetectionsAreOmitted() throws {
        let frame = RecordedFrame(
            key: .number(7),
            detections: [
                Detection(box: Box(x: .nan, y: 0, width: 1, height: 1), score: 0.5),
                Detection(box: Box(x: 0, y: 0, width: 1, height: 1), score: .infinity),
                Detection(box: Box(x: 0, y: 0, width: 1, height: 1), score: 1),
            ])
        #expect(frame.text == "{\"frame\":7,\"seen\":\"whole\",\"detections\":[[0,0,1,1,1]]}\n")
    }

    /// A frame without inference is not recorded, while a frame without detections is recorded as empty.
    @Test func skippedFramesDifferFromEmptyOnes() throws {
        let writer = try RecordingWriter(path(), existing: .refuse)
        try writer.begin(Self.header)
        _ = try writer.write(RecordedFrame(key: .time(0), detections: []))
        _ = try writer.write(frame(3))
        let reader = try RecordingReader(path())
        #expect(try reader.frame(at: .time(0))?.detections.isEmpty == true)
        #expect(try reader.frame(at: frame(1).key) == nil)
        #expect(try reader.frame(at: frame(2).key) == nil)
        #expect(try reader.frame(at: frame(3).key)?.detections.count == 1)
        #expect(try reader.frame(at: frame(4).key) == nil)
    }

    @Test func roundedTimestampsMatch() throws {
        try write(0..<30)
        let reader = try RecordingReader(path())
        for number in 0..<30 {
            let rounded = (frame(number).key.order + 500_000) / 1_000_000 * 1_000_000
            #expect(try reader.frame(at: .time(rounded), within: 1_000_000)?.key == frame(number).key)
        }
        #expect(reader.skippedLines == 0)
    }

    /// Seeking in a long file uses a binary search over byte offsets and must find exactly the requested frame.
    @Test func anyFrameOfLongFileIsFound() throws {
        var text = Self.header.text
        for number in 0..<9_000 where number % 7 != 3 {
            text += frame(number, x: Double(number)).text
        }
        let file = try folder.write("long.jsonl", text)
        let reader = try RecordingReader(file)
        #expect(reader.last == frame(8_999).key && reader.end == nil)
        var random = SeededGenerator(seed: testSeed())
        for _ in 0..<60 {
            let number = Int.random(in: 0..<9_000, using: &random)
            for number in [number, number + 1, number + 2] where number < 9_000 {
                let found = try reader.frame(at: frame(number).key)
                #expect(found?.detections.first?.box.x == (number % 7 == 3 ? nil : Double(number)))
                let again = try reader.frame(at: frame(number).key)
                #expect(again?.detections.first?.box.x == found?.detections.first?.box.x)
            }
        }
        #expect(try reader.frame(at: .time(.max / 2)) == nil)
        #expect(try reader.frame(at: .time(0))?.detections.first?.box.x == 0)
    }

    @Test func truncatedLastLineIsIgnored() throws {
        try write(0..<20)
        let whole = try Array(text().utf8)
        let lines = whole.split(separator: 0x0A)
        for cut in (whole.count - lines[20].count - lines[19].count)..<whole.count {
            let reader = try RecordingReader(try folder.write("cut.jsonl", whole[..<cut]))
            var count = 0
            while try reader.next() != nil { count += 1 }
            // A last line that lacks only its newline counts.
            #expect(count == whole[..<cut].count { $0 == 0x0A } - (whole[cut] == 0x0A ? 0 : 1))
            #expect(count >= 18 && reader.end == nil)
        }
    }

    @Test func motChallengeFormatIsDetected() throws {
        let file = try folder.write(
            "det.txt",
            "\u{FEFF}# frame,id,x,y,w,h,score,class\r\n2,-1,10,20,30,40,0.9,1\r\n2,-1,1,2,3,4,7,0\r\n\r\n5 -1 5 6 7 8 .25 -1"
        )
        let reader = try RecordingReader(file, labels: Labels(["person", "car"]))
        #expect(reader.header == nil && reader.last == .number(5))
        #expect(try reader.frame(at: .number(1)) == nil)
        let second = try #require(try reader.frame(at: .number(2)))
        #expect(second.detections.map(\.score) == [0.9, 1])
        #expect(second.detections.map(\.label?.text) == ["car", "person"])
        #expect(try reader.frame(at: .number(5))?.detections.first?.label == nil)
        #expect(try RecordingReader(file).frame(at: .number(2))?.detections.first?.label == nil)
    }

    @Test(arguments: [
        ("", "empty"), ("\n\n", "empty"), ("\u{1}\u{7F}ID3 no text at all", "not a number: '??ID3'"),
        ("{\"message\":\"swiftodt\",\"width\":1}\n", "record-detections"), ("{\"width\":1}\n", "swiftodt-detections"),
        ("{\"swiftodt-detections\":2,\"width\":6,\"height\":4}\n", "version 2"),
        ("{\"swiftodt-detections\":1}\n", "width"),
        ("{\"swiftodt-det", "truncated"), ("1,2,3\n", "six columns"), ("x,-1,1,1,1,1\n", "not a number"),
        ("0,-1,1,1,1,1\n", "at least 1"), ("\u{FEFF}{}", "swiftodt-detections"),
    ]) func invalidFileIsNamed(_ text: String, _ word: String) throws {
        let file = try folder.write("no.jsonl", text)
        let said = problem { _ = try RecordingReader(file) }
        #expect(said.contains(word) && said.contains("no.jsonl"), "\(said)")
    }

    @Test(arguments: [
        (
            "{\"time\":0,\"detections\":[]}\n{\"time\":0,\"detections\":[]}\n{\"time\":1,\"detections\":[]}", "3: ",
            "ascending order"
        ),
        ("{\"time\":-1,\"detections\":[]}\n\n", "2: ", "nanoseconds"),
        ("{\"time\":1e300,\"detections\":[]}\n\n", "2: ", "nanoseconds"),
        ("{\"time\":0.5,\"detections\":[]}\n\n", "2: ", "nanoseconds"),
        ("{\"frame\":0,\"detections\":[]}\n\n", "2: ", "at least 1"),
        ("{\"time\":1}\n\n", "2: ", "detections"), ("{\"detections\":[]}\n\n", "2: ", "either"),
        ("[]\n\n", "2: ", "either"),
        ("{\"time\":1,\"detections\":[[1,2,3,4]]}\n\n", "2: ", "a detection must be"),
        ("{\"time\":1,\"detections\":[[1,2,3,4,\"a\"]]}\n\n", "2: ", "0 to 1"),
        ("{\"time\":1,\"detections\":[[1,2,-3,4,0.5]]}\n\n", "2: ", "above 0"),
        ("{\"time\":1,\"detections\":[[1,2,3,4,1e300]]}\n\n", "2: ", "0 to 1"),
        ("{\"time\":1,\"detections\":[[1,2,3,4,0.5,1e99,\"a\"]]}\n\n", "2: ", "label"),
        ("{\"time\":1,\"detections\":[[1,2,3,4,0.5,1,\"\\u0000\"]]}\n\n", "2: ", "label"),
        ("{\"time\":1,\"seen\":[1],\"detections\":[]}\n\n", "2: ", "seen"),
        ("{\"time\":1,\"seen\":[5,5,0,-3],\"detections\":[]}\n\n", "2: ", "seen"),
        ("{\"time\":1,,}\n\n", "2: ", "quotes"),
        ("{\"time\":1,\"detections\":[]}\n{\"frame\":2,\"detections\":[]}\n\n", "3: ", "numbers"),
    ]) func invalidLineIsNamed(_ lines: String, _ place: String, _ word: String) throws {
        let file = try folder.write(
            "bad.jsonl", Self.header.text + lines + "\n{\"time\":9000000000,\"detections\":[]}\n")
        let said = problem {
            let reader = try RecordingReader(file)
            while try reader.next() != nil {}
        }
        #expect(said.contains("bad.jsonl:" + place) && said.contains(word), "\(said)")
    }

    /// Redaction would leave the object visible.
    @Test(arguments: ["nan,2,3,4", "1,2,inf,4", "1,2,-3,4", "1,2,3,0", "1,1e999,3,4"])
    func unusableBoxOfMOTChallengeFileIsAnError(_ box: String) throws {
        let said = problem { _ = try RecordingReader(folder.write("det.txt", "1,-1,\(box),0.9\n")) }
        #expect(said.contains("det.txt:1:") && said.contains("above 0"), "\(said)")
    }

    @Test func unorderedLinesNameRemedy() throws {
        let file = try folder.write("gt.txt", "1,1,1,1,9,9,1\n2,1,1,1,9,9,1\n1,2,1,1,9,9,1\n")
        let reader = try RecordingReader(file)
        let said = problem { while try reader.next() != nil {} }
        #expect(said.contains("gt.txt:3:") && said.contains("sort -s -n"), "\(said)")
    }

    @Test func damagedFilesAreSurvived() throws {
        var random = SeededGenerator(seed: testSeed())
        try write(0..<12, end: true)
        let sound = try Array(text().utf8)
        for _ in 0..<150 {
            let file = try folder.write("damaged.jsonl", random.damage(sound))
            _ = problem {
                let reader = try RecordingReader(file)
                for number in [0, 1, 5, 2, 11, 900] { _ = try reader.frame(at: frame(number).key, within: 1_000_000) }
            }
            _ = problem {
                let writer = try RecordingWriter(file, existing: .resume)
                try writer.begin(Self.header)
                for number in 0..<14 {
                    _ = try writer.known(frame(number).key)
                    _ = try writer.write(frame(number))
                }
            }
        }
    }

    // MARK: Writing

    /// Each line is in the file as soon as it is written, so that a crash loses nothing.
    @Test func linesAreWrittenImmediately() throws {
        let writer = try RecordingWriter(path(), existing: .refuse)
        try writer.begin(Self.header)
        for number in 0..<5 {
            #expect(try writer.write(frame(number)))
            #expect(try text().hasSuffix("]}\n") && text().split(separator: "\n").count == number + 2)
        }
    }

    @Test func resumedRecordingEqualsUninterruptedOne() throws {
        try write(0..<40, end: true)
        let whole = try Array(text().utf8)
        let lineEnds = whole.indices.filter { whole[$0] == 0x0A }
        for cut in [
            0, 7, lineEnds[0], lineEnds[0] + 1, lineEnds[0] + 9, lineEnds[20] - 3, lineEnds[20] + 1, lineEnds[40] + 1,
            whole.count - 2,
        ] {
            _ = try folder.write("found.jsonl", whole[..<cut])
            let writer = try RecordingWriter(path(), existing: .resume)
            try writer.begin(Self.header)
            for number in 0..<40 {
                let known = try writer.known(frame(number).key)
                #expect((known != nil) == (lineEnds.count { $0 < cut } > number + 1))
                _ = try writer.write(known ?? frame(number))
            }
            try writer.finish(RecordingEnd(frames: 40, last: frame(39).key))
            #expect(try Array(text().utf8) == whole, "cut at \(cut)")
        }
    }

    @Test func existingRecordingIsKept() throws {
        try write(0..<3, end: true)
        let whole = try text()
        #expect(problem { try write(0..<1) }.contains("record-existing"))
        #expect(problem { try write(0..<1, existing: .resume) }.contains("is complete"))
        #expect(try text() == whole)
        let video = try folder.write("in.mp4", "no recording")
        for existing in [RecordingWriter.Existing.refuse, .resume, .replace] {
            #expect(problem { _ = try RecordingWriter(video, existing: existing) }.contains("not a recording"))
        }
        #expect(try text("in.mp4") == "no recording")
        // The writer creates or replaces the file only with its first write.
        do { _ = try RecordingWriter(path(), existing: .replace) }
        #expect(try text() == whole)
        do { _ = try RecordingWriter(path("new.jsonl"), existing: .refuse) }
        #expect(!FileManager.default.fileExists(atPath: path("new.jsonl")))
        try write(0..<1, existing: .replace)
        #expect(
            try text() == Self.header.text
                + "{\"time\":0,\"seen\":\"whole\",\"detections\":[[1,2,3,4,0.5,0,\"cup\"]]}\n")
    }

    @Test func resumeRejectsOtherSettings() throws {
        try write(0..<3)
        let before = try text()
        let writer = try RecordingWriter(path(), existing: .resume)
        var other = Self.header
        other.iouThreshold = 0.6
        other.detectorFields[1] = .init("model", .string("c.xml"))
        let said = problem { try writer.begin(other) }
        #expect(said.contains("different values of iou-threshold, model"), "\(said)")
        #expect(try text() == before)
    }

    /// Recordings of earlier versions have no labels.
    @Test func resumeRejectsOtherLabels() throws {
        for (recorded, resumed, isValid) in [("a", "a", true), ("a", "b", false), (nil, "b", true)] {
            func header(_ label: String?) -> RecordingHeader {
                var header = Self.header
                if let field = RecordingHeader.Field(labels: label.map { [$0] }) { header.detectorFields.append(field) }
                return header
            }
            var writer: RecordingWriter? = try RecordingWriter(path(), existing: .replace)
            try writer?.begin(header(recorded))
            _ = try writer?.write(frame(0))
            writer = nil
            let other = try RecordingWriter(path(), existing: .resume)
            let text = problem { try other.begin(header(resumed)) }
            #expect(isValid ? text == "none" : text.contains("different values of labels"), "\(text)")
        }
    }

    /// Recordings of earlier versions have no checksum of the first frame.
    @Test func resumeRejectsOtherFirstFrame() throws {
        func header(_ sum: String?) -> RecordingHeader {
            var header = Self.header
            if let sum { header.detectorFields.append(.init(firstFrame: sum)) }
            return header
        }
        for (recorded, resumed, start, isValid) in [
            ("a", "a", 0, true), ("a", "b", 0, false), (nil, "b", 0, true), ("a", "b", 1, true),
        ] as [(String?, String?, Int, Bool)] {
            var writer: RecordingWriter? = try RecordingWriter(path(), existing: .replace)
            try writer?.begin(header(recorded))
            _ = try writer?.write(frame(0))
            writer = nil
            let other = try RecordingWriter(path(), existing: .resume)
            let said = problem { try other.begin(header(resumed), at: frame(start).key) }
            #expect(isValid ? said == "none" : said.contains("its first frame differs"), "\(said)")
        }
    }

    /// A recording of frames 100 to 139 is resumed with other time ranges.
    @Test(arguments: [(0, false), (60, false), (99, true), (100, true), (101, true), (135, false), (200, false)])
    func resumeRejectsOtherStart(_ start: Int, _ isValid: Bool) throws {
        try write(100..<140)
        let before = try text()
        let writer = try RecordingWriter(path(), existing: .resume)
        let said = problem { try writer.begin(Self.header, at: frame(start).key) }
        #expect(said == "none" || said.contains("begins at 0:00:03.333, but the video begins at"), "\(said)")
        #expect((said == "none") == isValid)
        #expect(try text() == before)
    }

    @Test func resumeRejectsFramesWithoutTimes() throws {
        try write(0..<3)
        let writer = try RecordingWriter(path(), existing: .resume)
        #expect(problem { try writer.begin(Self.header, at: .number(1)) }.contains("the video begins at frame 1"))
    }

    @Test func recordingThatIsLongerThanVideoIsNotMarkedAsComplete() throws {
        try write(0..<40)
        let before = try text()
        for last in [frame(38).key, .number(40), nil] {
            let writer = try RecordingWriter(path(), existing: .resume)
            try writer.begin(Self.header, at: frame(0).key)
            let said = problem { try writer.finish(RecordingEnd(frames: 39, last: last)) }
            #expect(said.contains("contains frames up to 0:00:01.299, but the video ended at"), "\(said)")
            #expect(try text() == before)
        }
    }

    @Test func concurrentWritersAreRejected() throws {
        let first = try RecordingWriter(path(), existing: .refuse)
        #expect(problem { _ = try RecordingWriter(path(), existing: .replace) }.contains("another process"))
        try first.begin(Self.header)
    }

    @Test func outOfOrderFrameIsNotWritten() throws {
        let writer = try RecordingWriter(path(), existing: .refuse)
        try writer.begin(Self.header)
        #expect(try writer.write(frame(5)))
        for key in [frame(5).key, frame(2).key, .number(9)] {
            #expect(try !writer.write(RecordedFrame(key: key, detections: [])))
        }
        #expect(try writer.write(frame(6)))
        #expect(try text().split(separator: "\n").count == 3)
    }

    /// The system rejects all text for this file that is not a number.
    @Test func nothingIsWrittenAfterFailure() throws {
        let writer = try RecordingWriter("/proc/self/oom_score_adj", existing: .refuse)
        let said = problem { try writer.begin(Self.header) }
        #expect(said.contains("oom_score_adj cannot be written: "), "\(said)")
        #expect(try writer.write(frame(0)))
        try writer.finish(RecordingEnd(frames: 1, last: frame(0).key))
    }
}
