import Glibc

/// Writes a recording as it goes: a line a frame, each handed to the system at once, so that whatever ends the program leaves a file that can
/// be used, and gone on with. Costs one buffered write a frame. Used from one thread at a time.
///
///     let writer = try RecordingWriter("street.jsonl", existing: .refuse)
///     try writer.begin(header)
///     try writer.write(RecordedFrame(key: .time(0), detections: found))
///     try writer.finish(RecordingEnd(frames: 1, last: .time(0)))
public final class RecordingWriter {
    /// What becomes of a recording that is there already.
    public enum Existing: Sendable {
        case refuse
        /// An unfinished one of the same video and settings is gone on with.
        case resume
        case replace
    }

    private let path: String
    private let file: Int32
    private let isNew: Bool
    /// What an unfinished recording has already.
    private var previous: RecordingReader?
    private var length: Int
    private var last: FrameKey?
    private var line: [UInt8] = []
    private var hasBegun = false
    private var hasEnded = false

    /// Opens the file; nothing is written yet.
    ///
    /// - Throws: ``ODTError`` where it cannot be written, or must not be.
    public init(_ path: String, existing: Existing) throws {
        let isThere = FileIdentity(path: path) != nil
        let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0o666)
        guard file >= 0 else { throw Self.problem(path, "written") }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(file)
            throw ODTError(.fileNotFound, "\(path) is not a file: detections are recorded in one")
        }
        (self.path, self.file, isNew, length) = (path, file, !isThere, Int(status.st_size))
        guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
            throw ODTError(.invalidOption, "somebody else is recording in \(path): name another file")
        }
        if length > 0 { try adopt(existing) }
    }

    deinit {
        if isNew, length == 0 { unlink(path) }
        close(file)
    }

    private func adopt(_ existing: Existing) throws {
        // Nothing but a recording is ever replaced: a name is soon mistaken.
        guard try isRecording else {
            throw ODTError(
                .invalidOption, "\(path) is there already and is no recording of detections: name another file")
        }
        switch existing {
        case .refuse:
            throw ODTError(
                .invalidOption,
                "\(path) is there already; record-existing=resume goes on with it where it is unfinished, "
                    + "record-existing=replace begins anew")
        case .replace: break
        case .resume:
            if let first = try LineFile.firstLine(of: path), !first.isWhole { return try cut(to: 0) }
            let found = try RecordingReader(path)
            guard found.end == nil else {
                throw ODTError(
                    .invalidOption,
                    "\(path) is whole already: there is nothing to go on with; record-existing=replace begins anew")
            }
            try cut(to: found.validEnd)
            previous = try RecordingReader(path)
            last = previous?.last
        }
    }

    private var isRecording: Bool {
        get throws {
            let mark = Array("{\"\(RecordingHeader.mark)\"".utf8)
            let start = try FileBytes.read(file, from: 0, count: min(length, mark.count), path: path)
            return mark.starts(with: start)
        }
    }

    /// Whether an unfinished recording is gone on with, and how far that one goes.
    public var resumesAfter: FrameKey? { previous?.last }

    /// What an unfinished recording has of a frame; `nil` where it has nothing.
    public func known(_ key: FrameKey) throws -> RecordedFrame? {
        guard let previous, let last = previous.last, last.isTime == key.isTime, key.order <= last.order else { return nil }
        return try previous.frame(at: key)
    }

    /// Says what is going to be recorded.
    ///
    /// - Throws: ``ODTError`` where the recording that is gone on with was made in another way, or the line cannot be written.
    public func begin(_ header: RecordingHeader) throws {
        guard !hasBegun else { return }
        hasBegun = true
        guard let previous else {
            try cut(to: 0)
            return try put(Array(header.text.utf8))
        }
        let ours = try JSONValue(parsing: header.text.utf8)
        guard let theirs = previous.firstLine, theirs != ours else { return }
        throw ODTError(
            .invalidOption,
            "\(path) cannot be gone on with: it was recorded with another "
                + RecordingHeader.differences(theirs, ours) + "; set that as it was, or begin anew with "
                + "record-existing=replace")
    }

    /// Appends what was answered for a frame.
    ///
    /// - Returns: `false` where it is not written because it is not later than the one before, as after a seek.
    /// - Throws: ``ODTError`` where it cannot be written; then nothing more is, and the file ends with the line before.
    public func write(_ frame: RecordedFrame) throws -> Bool {
        guard hasBegun, !hasEnded else { return true }
        if let last {
            guard last.isTime == frame.key.isTime, frame.key.order > last.order else { return false }
        }
        last = frame.key
        line.removeAll(keepingCapacity: true)
        frame.append(to: &line)
        try put(line)
        return true
    }

    /// Says that the video is over and the recording whole.
    public func finish(_ end: RecordingEnd) throws {
        guard hasBegun, !hasEnded else { return }
        try put(Array(end.text.utf8))
        hasEnded = true
    }

    private func put(_ bytes: [UInt8]) throws {
        // Whoever writes beyond the limit is ended by a signal.
        guard bytes.count <= UniqueFile.largest - length else {
            hasEnded = true
            throw ODTError(
                .failed, "\(path) cannot be written: files may not become larger than \(UniqueFile.largest) bytes")
        }
        var done = 0
        while done < bytes.count {
            let count = bytes.withUnsafeBytes {
                pwrite(file, $0.baseAddress! + done, bytes.count - done, off_t(length + done))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                let problem = Self.problem(path, "written")
                hasEnded = true
                // Half a line is of no use.
                _ = ftruncate(file, off_t(length))
                throw problem
            }
            done += count
        }
        length += bytes.count
    }

    private func cut(to size: Int) throws {
        guard ftruncate(file, off_t(size)) == 0 else { throw Self.problem(path, "written") }
        length = size
    }

    private static func problem(_ path: String, _ verb: String) -> ODTError {
        let text = "\(path) cannot be \(verb): \(String(cString: strerror(errno)))"
        return ODTError(errno == ENOSPC || errno == EDQUOT ? .tooLittleMemory : .fileNotFound, text)
    }
}
