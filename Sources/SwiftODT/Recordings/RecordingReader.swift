/// Finds what a detector has answered for the frames of a video in a file of it: a recording of ours (JSON lines), or
/// MOTChallenge's text; the file's content tells which.
///
///     let recording = try RecordingReader("street.jsonl")
///     let frame = try recording.frame(at: .time(33_333_333), within: 1_000_000)
///
/// A file of any length takes no more memory than its longest lines: it is read as frames are asked for, and where another place of
/// it is asked for that place is searched for, which takes some thirty lines. So its frames have to be in order. Used from one
/// thread at a time.
public final class RecordingReader {
    /// What a recording of ours says of itself; `nil` for MOTChallenge's text.
    public let header: RecordingHeader?
    /// What it says at its end; `nil` where it is unfinished, or cannot say.
    public private(set) var end: RecordingEnd?
    /// The last frame that it says anything of.
    public private(set) var last: FrameKey?
    /// How many frames it has that were not asked for though later ones were, leaps aside.
    public private(set) var skippedLines = 0

    /// Where a half line at the end begins; else the end of the file.
    private(set) var validEnd = 0
    /// The first line as it stands.
    private(set) var firstLine: JSONValue?

    private enum Form {
        case json
        /// With the names of classes, where somebody has them.
        case motChallenge(Labels?)
    }

    private let form: Form
    private var lines: LineFile
    private var columns = MOTChallengeLine()
    /// Where the frames begin.
    private let start: Int
    private var cursor: Int
    /// The frame at the cursor, and where the one after it begins.
    private var upcoming: (frame: RecordedFrame, next: Int)?
    private var latestRead: FrameKey?
    private var latestAsked = Int64.min

    /// Opens a file and reads its beginning and its end.
    ///
    /// - Parameter labels: the names of MOTChallenge's classes, by the numbers in the file.
    /// - Throws: ``ODTError`` where it is no such file.
    public init(_ path: String, labels: Labels? = nil) throws {
        lines = try LineFile(path)
        var first = try lines.line(at: 0)
        if let text = first?.text, text.starts(with: [0xFF, 0xFE]) || text.starts(with: [0xFE, 0xFF]) {
            throw ODTError(.invalidFile, "\(path) is UTF-16 text; save it as UTF-8")
        }
        var mark = first?.text.starts(with: [0xEF, 0xBB, 0xBF]) == true ? 3 : 0
        while let line = first, line.text.dropFirst(mark).allSatisfy({ $0 == 0x20 || $0 == 0x09 }) {
            first = try lines.line(at: line.next)
            mark = 0
        }
        guard let first else { throw ODTError(.invalidFile, "\(path) is empty: nothing has been recorded in it") }
        if first.text.dropFirst(mark).first(where: { $0 != 0x20 && $0 != 0x09 }) == UInt8(ascii: "{") {
            do {
                let value = try JSONValue(parsing: first.text)
                header = try RecordingHeader(value)
                firstLine = value
            } catch {
                throw ODTError(
                    .invalidFile,
                    "\(path) is no recording of detections: "
                        + (first.isWhole || !(error is JSONValue.SyntaxError)
                            ? "\(error)" : "its first line is cut off"))
            }
            (form, start) = (.json, first.next)
        } else {
            header = nil
            (form, start) = (.motChallenge(labels), first.start + mark)
        }
        cursor = start
        validEnd = lines.size
        if case .motChallenge = form { _ = try upcomingFrame() }
        try readEnd()
    }

    /// Whether a file can only be a recording of ours, by its first character.
    package static func isOurs(_ path: String) -> Bool {
        let start = try? LineFile.firstLine(of: path)?.text.first { $0 != 0x20 && $0 != 0x09 }
        return start == UInt8(ascii: "{")
    }

    package var path: String { lines.path }
    package var identity: FileIdentity { lines.identity }

    /// What was answered for a frame; `nil` where it was not looked at.
    ///
    /// - Parameter tolerance: frames so much earlier or later are the same, as other containers round times in other ways.
    /// - Throws: ``ODTError`` that names the line that cannot be read.
    public func frame(at key: FrameKey, within tolerance: Nanoseconds = 0) throws -> RecordedFrame? {
        let (earliest, latest) = (key.order.since(tolerance), key.order.adding(tolerance))
        let farthest = key.isTime ? Self.longestWalk.time : Self.longestWalk.frames
        if key.order <= latestAsked { try leap(to: earliest) }
        latestAsked = key.order
        if let next = try upcomingFrame(), earliest.since(next.key.order) > farthest { try leap(to: earliest) }
        while let next = try upcomingFrame(), next.key.order < earliest {
            skippedLines += 1
            advance()
        }
        guard let found = try upcomingFrame(), found.key.order <= latest else { return nil }
        advance()
        return found
    }

    /// All frames that are left, one after the other.
    public func next() throws -> RecordedFrame? {
        defer { advance() }
        return try upcomingFrame()
    }

    /// Walking on takes as long as reading what lies between; beyond this the place is searched for.
    private static let longestWalk = (time: Nanoseconds(10_000_000_000), frames: Nanoseconds(256))

    // MARK: Reading on

    private func upcomingFrame() throws -> RecordedFrame? {
        if upcoming == nil { upcoming = try readFrame(at: cursor) }
        return upcoming?.frame
    }

    private func advance() {
        guard let upcoming else { return }
        (cursor, latestRead, self.upcoming) = (upcoming.next, upcoming.frame.key, nil)
    }

    private func readFrame(at offset: Int) throws -> (RecordedFrame, next: Int)? {
        guard let (line, frame) = try readLine(at: offset) else { return nil }
        if let latestRead, latestRead.isTime != frame.key.isTime {
            throw error(line, "some frames have times and some have numbers")
        }
        if let latestRead, frame.key.order <= latestRead.order { throw disorder(line, frame.key, latestRead) }
        guard case .motChallenge = form else { return (frame, line.next) }
        var (detections, next) = (frame.detections, line.next)
        while let (line, more) = try readLine(at: next), more.key == frame.key {
            detections += more.detections
            next = line.next
        }
        return (RecordedFrame(key: frame.key, detections: detections), next)
    }

    /// The first line from an offset on that tells of a frame.
    ///
    /// - Parameter limit: lines that begin from here on are not read.
    private func readLine(at offset: Int, before limit: Int = .max) throws -> (LineFile.Line, RecordedFrame)? {
        var offset = offset
        while offset < limit, let line = try lines.line(at: offset) {
            offset = line.next
            if let frame = try readFrame(line) { return (line, frame) }
        }
        return nil
    }

    /// - Returns: `nil` for lines that tell of no frame.
    private func readFrame(_ line: LineFile.Line) throws -> RecordedFrame? {
        do {
            switch form {
            case .json: return try readJSON(line)
            case .motChallenge(let labels): return try readMOTChallenge(line, labels)
            }
        } catch let problem as ODTError {
            throw problem
        } catch let problem as JSONValue.SyntaxError {
            throw error(line, problem.reason)
        } catch let problem {
            throw error(line, "\(problem)")
        }
    }

    private func readJSON(_ line: LineFile.Line) throws -> RecordedFrame? {
        if line.text.allSatisfy({ $0 == 0x20 || $0 == 0x09 }) { return nil }
        let value: JSONValue
        do {
            value = try JSONValue(parsing: line.text)
        } catch  where !line.isWhole {
            return nil
        }
        if let end = RecordingEnd(value) {
            self.end = end
            return nil
        }
        return try RecordedFrame(value)
    }

    private func readMOTChallenge(_ line: LineFile.Line, _ labels: Labels?) throws -> RecordedFrame? {
        try columns.read(line.text)
        let figures = columns.columns
        if figures.isEmpty { return nil }
        guard let key = Int(exactly: figures[0]).flatMap(FrameKey.number(checking:)) else {
            throw RecordingLineError("frames are whole numbers from 1 up, not \(figures[0])")
        }
        let score = figures.count > 6 ? figures[6] : 1
        var label: Label?
        if let labels, figures.count > 7, let index = Int(exactly: figures[7]), index >= 0 {
            label = labels[index]
            guard label != nil else {
                throw RecordingLineError(
                    "class \(index) has no name: there are \(labels.count), the first is that of class 0")
            }
        }
        let box = Box(x: figures[2], y: figures[3], width: figures[4], height: figures[5])
        return RecordedFrame(key: key, detections: [Detection(box: box, score: min(score, 1), label: label)])
    }

    // MARK: Elsewhere

    /// Goes to the first frame that is not before an order.
    private func leap(to order: Int64) throws {
        var (low, high) = (start, lines.size)
        while high - low > 1 << 16 {
            let middle = low + (high - low) / 2
            if let next = try lines.line(after: middle)?.start, next < high,
                let (line, frame) = try readLine(at: next, before: high), frame.key.order < order
            {
                low = line.start
            } else {
                high = middle
            }
        }
        (cursor, upcoming, latestRead) = (low, nil, nil)
        while let next = try upcomingFrame(), next.key.order < order { advance() }
    }

    /// Finds the last frame, and whether the recording says that it is whole.
    private func readEnd() throws {
        for reach in [1 << 16, 1 << 20, 1 << 23] {
            let from = max(start, lines.size - reach)
            var (starts, offset) = ([Int](), from)
            if from > start { offset = try lines.line(after: from)?.start ?? lines.size }
            while let line = try lines.line(at: offset) {
                starts.append(line.start)
                if !line.isWhole, case .json = form { validEnd = line.start }
                offset = line.next
            }
            for start in starts.reversed() {
                guard let line = try lines.line(at: start), let frame = try readFrame(line) else { continue }
                last = frame.key
                return
            }
            if from == start { return }
        }
    }

    // MARK: What is wrong

    private func disorder(_ line: LineFile.Line, _ key: FrameKey, _ before: FrameKey) -> ODTError {
        switch form {
        case .json: error(line, "\(key) stands after \(before): frames have to be in order")
        case .motChallenge:
            error(line, "\(key) stands after \(before); put the lines in order: LC_ALL=C sort -s -n \(path)")
        }
    }

    /// Counting lines takes reading all before them: only what is wrong is worth it.
    private func error(_ line: LineFile.Line, _ problem: String) -> ODTError {
        var (number, offset) = (1, 0)
        while let before = try? lines.line(at: offset), before.next <= line.start {
            number += 1
            offset = before.next
        }
        return ODTError(.invalidFile, "\(path):\(number): \(problem)")
    }
}
