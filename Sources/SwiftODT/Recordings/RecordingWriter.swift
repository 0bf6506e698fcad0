import Glibc

/// Writes a recording frame by frame. Each frame is one line, which is written to the file immediately. If a recording
/// is interrupted, the file is therefore usable, and the recording can be resumed. A writer must not be used
/// concurrently.
///
///     let writer = try RecordingWriter("street.jsonl", existing: .refuse)
///     try writer.begin(header)
///     try writer.write(RecordedFrame(key: .time(0), detections: found))
///     try writer.finish(RecordingEnd(frames: 1, last: .time(0)))
package final class RecordingWriter {
    package enum Existing: Sendable {
        /// An existing recording is not changed. The initializer throws an error.
        case refuse
        /// New frames are appended to an incomplete recording of the same video with the same settings.
        case resume
        /// An existing recording is overwritten.
        case replace
    }

    private let path: String
    private let file: Int32
    private let isNew: Bool
    /// The incomplete recording that is continued.
    private var previous: RecordingReader?
    /// The offset of the next line to write.
    private var length: Int
    private var last: FrameKey?
    /// The maximum difference between the first frame of the recording that is continued and the first frame of the
    /// video: 1 s, or 25 frames without times.
    private static let startTolerance = (time: Nanoseconds(1_000_000_000), frames: Nanoseconds(25))
    private var hasBegun = false
    private var hasEnded = false

    /// Opens the file. With `.replace`, an existing recording stays unchanged until ``begin(_:at:)`` is called. With
    /// `.resume`, an incomplete last line is removed immediately.
    ///
    /// - Throws: ``ODTError`` if the file cannot be written, or if it exists and `existing` does not allow changes.
    package init(_ path: String, existing: Existing) throws {
        let isThere = FileIdentity(path: path) != nil
        let file = PathText.withSystemPath(path) {
            open($0, O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0o666)
        }
        guard file >= 0 else { throw Self.problem(path) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(file)
            throw ODTError(.fileNotFound, "\(path) is not a regular file; record detections to a regular file")
        }
        (self.path, self.file, isNew, length) = (path, file, !isThere, Int(status.st_size))
        guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
            throw ODTError(.invalidOption, "another process is recording to \(path); choose another file")
        }
        if length > 0 { try adopt(existing) }
    }

    deinit {
        if isNew, length == 0 { _ = PathText.withSystemPath(path) { unlink($0) } }
        close(file)
    }

    private func adopt(_ existing: Existing) throws {
        // Only files that begin like a recording are replaced or resumed. This protects other files from a mistyped
        // name.
        guard try isRecording else {
            throw ODTError(
                .invalidOption, "\(path) exists and is not a recording of detections; choose another file")
        }
        switch existing {
        case .refuse:
            throw ODTError(
                .invalidOption,
                "\(path) exists; set record-existing=resume to continue it if it is incomplete, "
                    + "or record-existing=replace to overwrite it")
        case .replace: break
        case .resume:
            if let first = try LineFile.firstLine(of: path), !first.isWhole { return try cut(to: 0) }
            let found = try RecordingReader(path)
            guard found.end == nil else {
                throw ODTError(
                    .invalidOption,
                    "\(path) is complete and cannot be resumed; set record-existing=replace to overwrite it")
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

    /// The last frame of the incomplete recording that is continued. `nil` for a new recording.
    package var resumesAfter: FrameKey? { previous?.last }

    /// Returns the detections of a frame from the incomplete recording. `nil` if the recording does not contain the
    /// frame.
    package func known(_ key: FrameKey) throws -> RecordedFrame? {
        guard let previous, let last = previous.last, last.isTime == key.isTime, key.order <= last.order else {
            return nil
        }
        return try previous.frame(at: key)
    }

    /// Writes the header. If a recording is continued, compares the header with the header in the file instead.
    ///
    /// - Parameter first: the first frame of the video or of the time range to record. `nil` if it is unknown.
    /// - Throws: ``ODTError`` if the header differs, or if the recording that is continued has another first frame, by
    ///   its time or its pixels.
    package func begin(_ header: RecordingHeader, at first: FrameKey? = nil) throws {
        guard !hasBegun else { return }
        hasBegun = true
        guard let previous else {
            try cut(to: 0)
            return try put(header.text)
        }
        let ours = try JSONValue(parsing: header.text.utf8)
        guard let theirs = previous.firstLine else { return _ = try beginsAtSameFrame(first) }
        let differences = RecordingHeader.differences(theirs, ours)
        guard differences.isEmpty else {
            throw ODTError(
                .invalidOption,
                "\(path) cannot be resumed: it was recorded with different values of "
                    + differences.sorted().joined(separator: ", ") + "; restore these, or overwrite it with "
                    + "record-existing=replace")
        }
        let name = RecordingHeader.Field.firstFrame
        // Recordings of earlier versions have no checksum of the first frame.
        guard try beginsAtSameFrame(first), let sum = theirs[name]?.string, let other = ours[name]?.string, sum != other
        else { return }
        throw ODTError(
            .invalidOption,
            "\(path) cannot be resumed: its first frame differs from that of the video; use the same video, or overwrite "
                + "it with record-existing=replace")
    }

    /// With another time range, the file would lack frames although it is marked as complete.
    ///
    /// - Returns: `false` if the recording begins at another frame within the tolerance.
    private func beginsAtSameFrame(_ first: FrameKey?) throws -> Bool {
        guard let first, let theirs = try RecordingReader(path).next()?.key else { return true }
        let tolerance = first.isTime ? Self.startTolerance.time : Self.startTolerance.frames
        guard
            theirs.isTime != first.isTime || theirs.isLater(than: first, by: tolerance)
                || first.isLater(than: theirs, by: tolerance)
        else { return theirs == first }
        throw ODTError(
            .invalidOption,
            "\(path) cannot be resumed: it begins at \(theirs), but the video begins at \(first); use the same video "
                + "and time range, or overwrite it with record-existing=replace")
    }

    /// Appends the detections of a frame.
    ///
    /// - Returns: `false` if the frame was not written because it is not later than the previous frame, for example
    ///   after a seek.
    /// - Throws: ``ODTError`` if the line cannot be written. The file then ends with the previous line, and later calls
    ///   write nothing.
    package func write(_ frame: RecordedFrame) throws(ODTError) -> Bool {
        guard hasBegun, !hasEnded else { return true }
        if let last {
            guard last.isTime == frame.key.isTime, frame.key.order > last.order else { return false }
        }
        last = frame.key
        try put(frame.text)
        return true
    }

    /// Writes the last line, which marks the recording as complete.
    ///
    /// - Throws: ``ODTError`` if the line cannot be written, or if the video ends before the recording that is continued.
    package func finish(_ end: RecordingEnd) throws(ODTError) {
        guard hasBegun, !hasEnded else { return }
        if let place = resumesAfter {
            guard let last = end.last, last.isTime == place.isTime, !place.isLater(than: last) else {
                throw ODTError(
                    .invalidOption,
                    "\(path) is not marked as complete: it contains frames up to \(place), but the video ended at "
                        + "\(end.last.map { "\($0)" } ?? "its start"); use the same video and time range")
            }
        }
        try put(end.text)
        hasEnded = true
    }

    private func put(_ text: String) throws(ODTError) {
        let bytes = Array(text.utf8)
        // A write beyond the file size limit would end the process with SIGXFSZ.
        guard bytes.count <= UniqueFile.fileSizeLimit - length else {
            hasEnded = true
            throw ODTError(
                .outOfResources,
                "\(path) cannot be written: the file size limit of \(UniqueFile.fileSizeLimit) bytes is reached; raise it "
                    + "(ulimit -f)")
        }
        var done = 0
        while done < bytes.count {
            let count = bytes.withUnsafeBytes {
                pwrite(file, $0.baseAddress! + done, bytes.count - done, off_t(length + done))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                let problem = Self.problem(path)
                hasEnded = true
                _ = ftruncate(file, off_t(length))
                throw problem
            }
            done += count
        }
        length += bytes.count
    }

    private func cut(to size: Int) throws {
        guard ftruncate(file, off_t(size)) == 0 else { throw Self.problem(path) }
        length = size
    }

    private static func problem(_ path: String) -> ODTError {
        let error = errno
        return ODTError(
            .writing(error, or: .fileNotFound), "\(path) cannot be written: \(String(cString: strerror(error)))")
    }
}
