import CGStreamer
import SwiftODT

/// A recording in the place of a detector: says of each frame what a detector has said before, and notices where the recording is of
/// another video.
final class RecordingPlayback: Sendable {
    /// Whether it tells of all frames that are to be looked at where nobody says how often: they were chosen so when it was made, or it is of
    /// somebody who is asked about each.
    let recordsInferenceSchedule: Bool
    private let play: Monitor<PlaybackState>

    /// - Throws: ``ODTError`` where there is no such recording.
    init(_ settings: Settings) throws {
        guard let file = settings.detectionsFile else {
            throw ODTError(
                .invalidOption,
                "detector=recorded needs detections-file, which record-detections or \"odt detect VIDEO --detections FILE\" "
                    + "writes")
        }
        let labels = try settings.labelFile.map { try Labels.load(file: $0) }
        let reader = try RecordingReader(file, labels: labels)
        recordsInferenceSchedule = reader.header?.origin.contains { Self.whole.contains($0) } ?? false
        play = Monitor(PlaybackState(reader, hasLabels: labels != nil))
    }

    private static let whole =
        ["motion", "upstream"].map { RecordingHeader.Field("detector", .string($0)) } + [
            RecordingHeader.Field("inference-interval", .number(0))
        ]

    /// What was answered for a frame; `nil` where it was not looked at.
    ///
    /// - Parameter warn: told what is doubtful, each thing once.
    /// - Throws: ``ODTError`` where the recording cannot be of this video, or cannot be read.
    func detections(
        of context: FrameContext, warn: (ElementProblem) -> Void
    ) throws -> (detections: [Detection], region: Box?)? {
        let (answer, problems) = try play.update { play in
            let answer = try play.detections(of: context)
            return (answer, play.takeProblems())
        }
        problems.forEach(warn)
        return answer
    }

    /// The video is over.
    func finishStream(warn: (ElementProblem) -> Void) {
        play.update { play in
            play.finishStream()
            return play.takeProblems()
        }.forEach(warn)
    }
}

/// How far a recording has been played, and what speaks against its being of this video.
private struct PlaybackState {
    /// What is warned of, each once.
    private enum Mismatch: Hashable {
        case labels, orientation, privacy, floor, overlap, unfinished, times, ended, size, shorter
    }

    private let reader: RecordingReader
    private let hasLabels: Bool
    private var size = (width: 0, height: 0)
    /// Of the first frame, where that stands at the video's beginning.
    private var origin: Nanoseconds?
    private var latest: (key: FrameKey, hasJumped: Bool)?
    private var found = 0
    private var mismatches: Set<Mismatch> = []
    private var problems: [ElementProblem] = []

    /// So many frames of a recording that are none of the video's are no accident.
    private static let many = 25
    /// Containers round times to a millisecond.
    private static let rounding: Nanoseconds = 1_000_000

    init(_ reader: RecordingReader, hasLabels: Bool) { (self.reader, self.hasLabels) = (reader, hasLabels) }

    mutating func takeProblems() -> [ElementProblem] {
        if problems.isEmpty { return problems }
        defer { problems = [] }
        return problems
    }

    private mutating func reportMismatch(_ reportMismatch: Mismatch, _ text: String) {
        if mismatches.insert(reportMismatch).inserted { problems.append(.settings("\(reader.path): \(text)")) }
    }

    private func mismatchError(_ text: String) -> ODTError { ODTError(.unsupported, "\(reader.path): \(text)") }

    mutating func detections(of context: FrameContext) throws -> (detections: [Detection], region: Box?)? {
        try compare(context)
        let key = try key(of: context)
        let tolerance = key.isTime ? min(Self.rounding, (context.format.frameDuration ?? .max) / 4) : 0
        defer { latest = (key, context.hasJumped) }
        if let last = reader.end?.last ?? reader.last, reader.header != nil, last.isTime == key.isTime,
            key.isLater(than: last, by: tolerance)
        {
            reportMismatch(
                .ended,
                "the recording ends at \(last) and the video goes on: from here on nothing is detected. Record it whole"
            )
        }
        guard let frame = try reader.frame(at: key, within: tolerance) else {
            try judgeTimes()
            // Such a file has no lines for frames in which there is nothing.
            return reader.header == nil ? ([], nil) : nil
        }
        found += 1
        try judgeTimes()
        if reader.header == nil { judgeSize(frame.detections) }
        let floor = context.settings.detection.scoreFloor
        return (frame.detections.filter { $0.score >= floor }, frame.seen)
    }

    /// Whether the recording is of such pictures, and was made with such settings.
    private mutating func compare(_ context: FrameContext) throws {
        let (format, settings) = (context.format, context.settings)
        defer { size = (format.width, format.height) }
        guard let header = reader.header else {
            if settings.iouThreshold != Settings().iouThreshold { reportOverlapMismatch("nothing is suppressed") }
            return
        }
        if size != (format.width, format.height), (header.width, header.height) != (format.width, format.height) {
            throw mismatchError(
                "the recording is of pictures of \(header.width)x\(header.height), and these are of "
                    + "\(format.width)x\(format.height): it is of another video, or the element stands behind a converter now "
                    + "and did not then. Put it where it stood, or record anew")
        }
        if header.orientation != context.orientation.nick {
            reportMismatch(
                .orientation,
                "the recorded pictures stood upright with orientation=\(header.orientation), these do with "
                    + "\(context.orientation.nick): boxes may lie elsewhere. Set orientation=\(header.orientation), or record anew"
            )
        }
        if settings.redacts, settings.privacyThreshold < header.scoreFloor {
            let fault =
                "the recording has detections from \(header.scoreFloor) up, privacy-threshold=\(settings.privacyThreshold) redacts from "
                + "that score up: record anew with score-threshold=\(2 * settings.privacyThreshold) or less, or set "
                + "privacy-threshold=\(header.scoreFloor)"
            guard !settings.privacyStrict else {
                throw ODTError(
                    .invalidOption, "\(reader.path): \(fault) (privacy-strict=false makes this a warning)")
            }
            reportMismatch(.privacy, fault)
        }
        if settings.scene.scoreFloor < header.scoreFloor {
            reportMismatch(
                .floor,
                "the recording has detections from \(header.scoreFloor) up, score-threshold="
                    + "\(settings.scene.tracker.scoreThreshold) makes use of them from \(settings.scene.scoreFloor) up: record "
                    + "anew with that threshold")
        }
        if settings.iouThreshold != header.iouThreshold { reportOverlapMismatch("it was \(header.iouThreshold)") }
        if hasLabels { reportMismatch(.labels, "label-file has no effect: the recording has its labels") }
        if reader.end == nil {
            reportMismatch(
                .unfinished,
                "the recording is unfinished" + (reader.last.map { " and ends at \($0)" } ?? "")
                    + "; record-existing=resume, or odt detect, goes on with it")
        }
    }

    private mutating func reportOverlapMismatch(_ what: String) {
        reportMismatch(.overlap, "iou-threshold has no effect on detections that were recorded: \(what)")
    }

    /// What the file calls the frame.
    private mutating func key(of context: FrameContext) throws -> FrameKey {
        if let header = reader.header, reader.last?.isTime ?? true {
            guard let time = context.streamTime else {
                throw mismatchError(
                    "the recording goes by time, and the frames of this stream have none"
                        + (header.frameRate.numerator > 0 ? "; videorate before the element gives them some" : ""))
            }
            return .time(time)
        }
        let rate = context.frameRate
        if reader.header == nil, let time = context.streamTime, rate.numerator > 0 {
            // A video may begin a little late; what begins later was sought.
            let origin = origin ?? (time < 1_000_000_000 && !context.hasJumped ? time : 0)
            self.origin = origin
            let place = Double(time.since(origin)) / 1e9 * Double(rate.numerator) / Double(rate.denominator)
            return .number(1 + (Int(exactly: place.rounded()) ?? 0))
        }
        guard !context.hasJumped else {
            throw mismatchError(
                "the recording goes by the numbers of frames, which nobody knows after a seek in a stream "
                    + (reader.header == nil
                        ? "without a frame rate: put videorate before the element" : "without times"))
        }
        return .number(context.number)
    }

    /// Frames of the recording that are none of the video's: those that a queue has dropped, or all.
    private mutating func judgeTimes() throws {
        guard reader.skippedLines >= Self.many, reader.skippedLines / 4 > found else { return }
        guard found > 0 else { throw mismatchError(otherTimes + ". Record it anew") }
        reportMismatch(.times, otherTimes)
    }

    private var otherTimes: String {
        "of the first \(reader.skippedLines + found) frames of the recording "
            + (found == 0 ? "none is" : "only \(found) are")
            + " of this video, by their times: it is of another video or of another cut of it, or most frames are dropped "
            + "before the element"
    }

    private mutating func judgeSize(_ detections: [Detection]) {
        let (width, height) = (Double(size.width), Double(size.height))
        guard let far = detections.first(where: { $0.box.isFinite && ($0.box.x > width || $0.box.y > height) })
        else { return }
        reportMismatch(
            .size,
            "there are boxes outside of these pictures of \(size.width)x\(size.height), such as one at "
                + "\(far.box.x), \(far.box.y): it is of another video, or of a larger copy")
    }

    mutating func finishStream() {
        guard let latest, !latest.hasJumped, let last = reader.end?.last ?? reader.last, last.isTime == latest.key.isTime
        else { return }
        if found == 0, reader.skippedLines > 0, reader.header != nil { reportMismatch(.times, otherTimes) }
        if last.isLater(than: latest.key, by: Self.rounding) {
            reportMismatch(
                .shorter,
                "the video has ended at \(latest.key), and the recording goes on to \(last): it is of a longer video, or of "
                    + "another one")
        }
    }
}
