/// Reads the detections of a video's frames from a file. The file is a recording of this library (JSON lines) or has
/// the text format of MOTChallenge. The content of the file determines the format.
///
///     let recording = try RecordingReader("street.jsonl")
///     let frame = try recording.frame(at: .time(33_333_333), within: 1_000_000)
///
/// Lines are read on demand, so the memory use depends on the longest line and not on the size of the file. Frames must
/// be in ascending order in the file, because the reader finds distant frames by binary search. A reader must not be
/// used concurrently.
package final class RecordingReader {
    package let header: RecordingHeader?
    /// The last line of a complete recording. `nil` for an incomplete recording and for MOTChallenge text.
    package private(set) var end: RecordingEnd?
    package private(set) var last: FrameKey?
    /// The number of frames in the file that were skipped because only later frames were requested.
    package private(set) var skippedLines = 0

    /// The file offset after the last complete line: the start of an incomplete last line, or the end of the file.
    private(set) var validEnd = 0
    private(set) var firstLine: JSONValue?

    private enum Form {
        case json
        /// MOTChallenge text, and the class names if the caller has specified them.
        case motChallenge(Labels?)
    }

    private let form: Form
    private var lines: LineFile
    private var columns = MOTChallengeLine()
    private let start: Int
    private var cursor: Int
    /// The frame at `cursor`, and the offset of the line that follows the frame. `nil` if the frame has not been parsed
    /// yet.
    private var upcoming: (frame: RecordedFrame, next: Int)?
    /// The previous frame that was read sequentially. `nil` at the start and after a binary search.
    private var latestRead: FrameKey?
    /// The frame of the latest call of ``frame(at:within:)``, as ``FrameKey/order``.
    private var latestAsked = Int64.min

    /// Opens a file and reads its beginning and its end.
    ///
    /// - Parameter labels: the class names for MOTChallenge text. The index of a name is the class number in the file.
    /// - Throws: ``ODTError`` if the file cannot be read or has an invalid format.
    package init(_ path: String, labels: Labels? = nil) throws {
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
        guard let first else { throw ODTError(.invalidFile, "\(path) is empty; record detections first") }
        if first.text.dropFirst(mark).first(where: { $0 != 0x20 && $0 != 0x09 }) == UInt8(ascii: "{") {
            do {
                let value = try JSONValue(parsing: first.text)
                header = try RecordingHeader(value)
                firstLine = value
            } catch {
                throw ODTError(
                    .invalidFile,
                    "\(path) is not a recording of detections: "
                        + (first.isWhole || !(error is JSONValue.SyntaxError)
                            ? "\(error)" : "its first line is truncated"))
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

    /// Returns whether a file is a recording in JSON lines, according to its first character.
    package static func isOurs(_ path: String) -> Bool {
        let start = try? LineFile.firstLine(of: path)?.text.first { $0 != 0x20 && $0 != 0x09 }
        return start == UInt8(ascii: "{")
    }

    package var path: String { lines.path }

    /// Returns the detections of a frame. `nil` if the file does not contain the frame.
    ///
    /// - Parameters:
    ///   - tolerance: the maximum difference between the requested and the recorded time of a frame, in nanoseconds. It
    ///     is needed because containers round times differently. For frames with numbers, it is a number of frames.
    ///   - afterJump: whether the previous requested frame is not the previous frame of the video. The frames between
    ///     are then not counted in ``skippedLines``.
    /// - Throws: ``ODTError`` that names an invalid line.
    package func frame(
        at key: FrameKey, within tolerance: Nanoseconds = 0, afterJump: Bool = false
    ) throws -> RecordedFrame? {
        let (earliest, latest) = (key.order.since(tolerance), key.order.adding(tolerance))
        let farthest = key.isTime ? Self.longestWalk.time : Self.longestWalk.frames
        if afterJump || key.order <= latestAsked { try leap(to: earliest) }
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

    /// Returns the next frame in the file. `nil` at the end of the file.
    package func next() throws -> RecordedFrame? {
        defer { advance() }
        return try upcomingFrame()
    }

    /// The maximum distance from the cursor to a requested frame: 10 s for frames with times, or 256 frames. Up to this
    /// distance, the frames between are read and skipped. Beyond it, a binary search is faster.
    private static let longestWalk = (time: Nanoseconds(10_000_000_000), frames: Nanoseconds(256))

    // MARK: Sequential reading

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
            throw error(line, "frames with times and frames with numbers are mixed")
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

    /// Searches the lines that begin at `offset` or later, but before `limit`. Returns the first line that contains a
    /// frame, and the frame.
    private func readLine(at offset: Int, before limit: Int = .max) throws -> (LineFile.Line, RecordedFrame)? {
        var offset = offset
        while offset < limit, let line = try lines.line(at: offset) {
            offset = line.next
            if let frame = try readFrame(line) { return (line, frame) }
        }
        return nil
    }

    /// - Returns: `nil` if the line contains no frame.
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
            throw RecordingLineError("the frame must be an integer of at least 1, not \(figures[0])")
        }
        let score = columns.score
        // Negative scores and unusable boxes are no error for `odt track`. Here, redaction would leave the object visible.
        guard score >= 0 else { throw RecordingLineError("the score must be from 0 to 1, or -1 for no score") }
        var label: Label?
        if let labels, figures.count > 7, let index = Int(exactly: figures[7]), index >= 0 {
            label = labels[index]
            guard label != nil else {
                throw RecordingLineError(
                    "class \(index) has no name; the label file has \(labels.count) classes, beginning with class 0")
            }
        }
        let box = try RecordedFrame.box(figures[2..<6])
        return RecordedFrame(key: key, detections: [Detection(box: box, score: min(score, 1), label: label)])
    }

    // MARK: Random access

    /// Moves the cursor to the first frame at or after a ``FrameKey/order``, by binary search.
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

    /// Finds the last frame of the file. In a complete recording, also reads the line that marks the end.
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

    // MARK: Errors

    private func disorder(_ line: LineFile.Line, _ key: FrameKey, _ before: FrameKey) -> ODTError {
        switch form {
        case .json: error(line, "\(key) follows \(before); frames must be in ascending order")
        case .motChallenge:
            error(line, "\(key) follows \(before); sort the lines: LC_ALL=C sort -s -n \(path)")
        }
    }

    /// Returns an error that names the file and the line number. The line number is determined by reading all earlier
    /// lines. This is slow, but happens only for errors.
    private func error(_ line: LineFile.Line, _ problem: String) -> ODTError {
        var (number, offset) = (1, 0)
        while let before = try? lines.line(at: offset), before.next <= line.start {
            number += 1
            offset = before.next
        }
        return ODTError(.invalidFile, "\(path):\(number): \(problem)")
    }
}
