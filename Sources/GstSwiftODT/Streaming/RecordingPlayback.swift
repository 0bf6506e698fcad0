import CODTGStreamer
import GstFrames
import SwiftODT

/// Plays a recording in place of a detector, and checks whether the recording belongs to the video.
final class RecordingPlayback: Sendable {
    /// Whether the recording also determines which frames have results. This is the case if it was made with adaptive
    /// inference, or if its detection source processes every frame. Used only if adaptive inference is requested.
    let recordsInferenceSchedule: Bool
    let traits: DetectorTraits
    /// The possible labels of detections, from the recording, or from the label file for MOTChallenge text. `nil` if
    /// they are unknown.
    let labels: [String]?
    private let play: Monitor<PlaybackState>

    /// - Throws: ``ODTError`` if the recording cannot be read.
    init(_ settings: Settings) throws {
        guard let file = settings.detectionsFile else {
            throw ODTError(
                .invalidOption,
                "detector=recorded needs detections-file; create the file with record-detections or "
                    + "\"odt detect VIDEO --detections FILE\"")
        }
        let names = try settings.labelFile.map { try Labels.load(file: $0) }
        let reader = try RecordingReader(file, labels: names)
        labels = reader.header == nil ? names?.all.map(\.text) : reader.header?.labels
        traits = reader.header?.traits ?? DetectorTraits()
        recordsInferenceSchedule = reader.header?.detectorFields.contains { Self.scheduleFields.contains($0) } ?? false
        play = Monitor(PlaybackState(reader, hasLabels: names != nil))
    }

    private static let scheduleFields =
        ["motion", "upstream", "tensors"].map { RecordingHeader.Field("detector", .string($0)) } + [
            RecordingHeader.Field("inference-interval", .number(0))
        ]

    /// Returns `nil` if inference did not run on the frame.
    ///
    /// - Parameter warn: receives warnings. Each kind of warning is passed only once.
    /// - Throws: ``ODTError`` if the recording cannot belong to this video, or cannot be read.
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

    /// - Throws: ``ODTError`` if objects may be visible although strict redaction is requested.
    func finishStream(warn: (ElementProblem) -> Void) throws {
        try play.update { play in
            try play.finishStream()
            return play.takeProblems()
        }.forEach(warn)
    }
}

private struct PlaybackState {
    /// Each kind of mismatch is reported once.
    private enum Mismatch: Hashable {
        case labels, orientation, privacy(String), floor, overlap, unfinished, times, ended, size, shorter, stream
    }

    private let reader: RecordingReader
    private let hasLabels: Bool
    private var size = (width: 0, height: 0)
    private var settings: Settings?
    /// The stream time of the video's first frame. If the element did not receive the first frame of the video, for
    /// example after a seek, 0 is assumed. `nil` until it is determined.
    private var videoStart: Nanoseconds?
    private var latest: (key: FrameKey, hasJumped: Bool)?
    /// Whether the gate before the decoder may have dropped frames.
    private var mayLackFrames = false
    /// The number of frames for which the recording has a result.
    private var found = 0
    /// The running time of the latest frame with a result, or of the first frame of the epoch. `nil` before the first
    /// result.
    private var latestResult: Nanoseconds?
    private var mismatches: Set<Mismatch> = []
    private var problems: [ElementProblem] = []

    /// The recording is suspected to belong to another video only if at least this number of recorded frames have no
    /// matching frame.
    private static let minimumUnmatched = 25
    /// The maximum time without a recorded result if objects are redacted. Adaptive inference runs at least every 4 s.
    private static let longestGap: Nanoseconds = 5_000_000_000
    /// The maximum rounding error of times. Containers often round times to a millisecond.
    private static let rounding: Nanoseconds = 1_000_000

    init(_ reader: RecordingReader, hasLabels: Bool) { (self.reader, self.hasLabels) = (reader, hasLabels) }

    mutating func takeProblems() -> [ElementProblem] {
        defer { problems = [] }
        return problems
    }

    private mutating func reportMismatch(_ kind: Mismatch, _ text: String) {
        if mismatches.insert(kind).inserted { problems.append(.settings("\(reader.path): \(text)")) }
    }

    private func mismatchError(_ text: String) -> ODTError {
        ODTError(settings?.redacts == true ? .redactionNotGuaranteed : .unsupported, "\(reader.path): \(text)")
    }

    mutating func detections(of context: FrameContext) throws -> (detections: [Detection], region: Box?)? {
        try compare(context)
        let key = try key(of: context)
        let tolerance = key.isTime ? min(Self.rounding, (context.format.frameDuration ?? .max) / 4) : 0
        defer { latest = (key, context.hasJumped) }
        if context.beginsEpoch, latestResult != nil { latestResult = context.time }
        if context.beginsOtherStream {
            let fault = "another stream has begun, but the recording belongs to one video: use an element for each"
            try requireRedaction(context.settings, fault)
            reportMismatch(.stream, fault)
        }
        mayLackFrames = mayLackFrames || context.followsStill
        // Behind `swiftodtgate`, frames are missing by design, so their numbers differ from their count. Redaction needs
        // every frame, so it is checked in any case.
        if case .number(let number) = key, !context.hasJumped, !mayLackFrames || context.settings.redacts,
            abs(number - context.number) > 1
        {
            try reportDisplacement(.times, Self.variableRate)
        }
        var isOver = false
        if let last = reader.end?.last ?? reader.last, last.isTime == key.isTime,
            key.isLater(than: last, by: tolerance),
            reader.header != nil || context.settings.redacts
        {
            isOver = true
            try requireRedaction(
                context.settings,
                "the recording ends at \(last), before the video, so nothing is redacted from here on; record the complete "
                    + "video")
            reportMismatch(
                .ended,
                "the recording ends at \(last), before the video: nothing is detected from here on; record the complete video"
            )
        }
        guard
            let frame = try reader.frame(
                at: key, within: tolerance, afterJump: context.beginsEpoch || context.followsStill)
        else {
            try judgeTimes()
            if reader.header != nil, let latestResult, abs(context.time - latestResult) > Self.longestGap {
                try requireRedaction(
                    context.settings,
                    "the recording has had no result for 5 s, so new objects stay visible; record again with a smaller "
                        + "inference-interval")
            }
            // A MOTChallenge file has no lines for frames without detections. Frames without lines therefore have an
            // empty result. After the end of a recording, empty results end the tracks.
            return reader.header == nil || isOver ? ([], nil) : nil
        }
        found += 1
        latestResult = context.time
        try judgeTimes()
        if reader.header == nil { try judgeSize(frame.detections) }
        let floor = context.settings.detection.scoreFloor
        return (frame.detections.filter { $0.score >= floor }, frame.seen)
    }

    private mutating func compare(_ context: FrameContext) throws {
        let (format, settings) = (context.format, context.settings)
        self.settings = settings
        guard let header = reader.header else {
            size = (format.width, format.height)
            if settings.iouThreshold != Settings().iouThreshold { reportOverlapMismatch("they are used as they are") }
            return
        }
        if size != (format.width, format.height), (header.width, header.height) != (format.width, format.height) {
            throw mismatchError(
                "the recording has frames of \(header.width)x\(header.height), the stream of "
                    + "\(format.width)x\(format.height): it is of another video, or only one of them was scaled before the "
                    + "element; put the element at the same position, or record again")
        }
        size = (format.width, format.height)
        if header.orientation != context.orientation.nick {
            try reportDisplacement(
                .orientation,
                "the recording was made with orientation=\(header.orientation), the stream has "
                    + "\(context.orientation.nick): boxes may be displaced; set orientation=\(header.orientation), or record again"
            )
        }
        if settings.redacts, settings.privacyThreshold < header.scoreFloor {
            let fault =
                "the recording has only detections with scores of \(header.scoreFloor) or more, but "
                + "privacy-threshold=\(settings.privacyThreshold) needs lower ones; record again with "
                + "score-threshold=\(2 * settings.privacyThreshold) or less, or set privacy-threshold=\(header.scoreFloor)"
            try requireRedaction(settings, fault)
        }
        if header.iouThreshold < Settings.standardIOUThreshold {
            try requireRedaction(
                settings,
                "the recording was made with iou-threshold=\(header.iouThreshold), so one of two people who overlap can be "
                    + "missing; record again with iou-threshold=\(Settings.standardIOUThreshold) or more")
        }
        if settings.scene.scoreFloor < header.scoreFloor {
            reportMismatch(
                .floor,
                "the recording has only detections with scores of \(header.scoreFloor) or more, but score-threshold="
                    + "\(settings.scene.tracker.scoreThreshold) uses them from \(settings.scene.scoreFloor) on; record again "
                    + "with that threshold")
        }
        if settings.detection.iouThreshold != header.iouThreshold {
            reportOverlapMismatch("the recording used \(header.iouThreshold)")
        }
        if hasLabels { reportMismatch(.labels, "label-file has no effect, because the recording contains labels") }
        if reader.end == nil {
            reportMismatch(
                .unfinished,
                "the recording is unfinished" + (reader.last.map { " and ends at \($0)" } ?? "")
                    + "; complete it with record-existing=resume or odt detect")
        }
    }

    /// Reports that redaction cannot be guaranteed, if it is requested. Throws ``ODTError`` unless
    /// `privacy-strict=false`.
    private mutating func requireRedaction(_ settings: Settings, _ fault: String) throws(ODTError) {
        guard settings.redacts else { return }
        let problem = try settings.redactionProblem("\(reader.path): \(fault)")
        if mismatches.insert(.privacy(fault)).inserted { problems.append(problem) }
    }

    private mutating func reportOverlapMismatch(_ what: String) {
        reportMismatch(.overlap, "iou-threshold has no effect on recorded detections: \(what)")
    }

    private mutating func key(of context: FrameContext) throws -> FrameKey {
        if let header = reader.header, reader.last?.isTime ?? true {
            guard let time = context.streamTime else {
                throw mismatchError(
                    "the recording is indexed by time, but the frames of this stream have no timestamps"
                        + (header.frameRate.numerator > 0 ? "; put videorate before the element" : ""))
            }
            return .time(time)
        }
        let rate = context.frameRate
        if reader.header == nil, let time = context.streamTime, rate.numerator > 0 {
            // A video may begin slightly after 0. If the first frame is much later, there was a seek.
            let videoStart = videoStart ?? (time < 1_000_000_000 && !context.hasJumped ? time : 0)
            self.videoStart = videoStart
            let place = Double(time.since(videoStart)) / 1e9 * Double(rate.numerator) / Double(rate.denominator)
            return .number(1 + (Int(exactly: place.rounded()) ?? 0))
        }
        guard !context.hasJumped else {
            throw mismatchError(
                "the recording is indexed by frame number, which is unknown after a seek in a stream "
                    + (reader.header == nil
                        ? "without a frame rate; put videorate before the element"
                        : "without timestamps; play the stream without seeking"))
        }
        return .number(context.number)
    }

    /// Checks whether frames of the video match the recorded frames. Throws if none matches. Reports a mismatch if only
    /// few match, for example because a queue drops frames.
    private mutating func judgeTimes() throws {
        guard reader.skippedLines >= Self.minimumUnmatched, reader.skippedLines / 4 > found else { return }
        guard found > 0 else { throw mismatchError(otherTimes) }
        try reportDisplacement(.times, otherTimes)
    }

    private static let variableRate =
        "frame numbers computed from the times and the frame rate in the caps differ from the number of received frames: the "
        + "frame rate varies, or frames are dropped before the element; use a recording with times (record-detections), or "
        + "convert the video to a constant frame rate before detection"

    private var otherTimes: String {
        "of the first \(reader.skippedLines + found) frames of the recording "
            + (found == 0 ? "none matches" : "only \(found) match")
            + " the timestamps of this video: it is of another video or of another edit of it, or most frames are "
            + "dropped before the element; record it again"
    }

    private mutating func judgeSize(_ detections: [Detection]) throws {
        let (width, height) = (Double(size.width), Double(size.height))
        guard let far = detections.first(where: { $0.box.isFinite && ($0.box.x > width || $0.box.y > height) })
        else { return }
        try reportDisplacement(
            .size,
            "boxes lie outside the frames of \(size.width)x\(size.height), for example at "
                + "\(far.box.x), \(far.box.y): the recording is of another video or of larger frames; record it again")
    }

    mutating func finishStream() throws {
        guard let latest, !latest.hasJumped, let last = reader.end?.last ?? reader.last,
            last.isTime == latest.key.isTime
        else { return }
        if found == 0, reader.skippedLines > 0, reader.header != nil { try reportDisplacement(.times, otherTimes) }
        if last.isLater(than: latest.key, by: last.isTime ? Self.rounding : 1) {
            try reportDisplacement(
                .shorter,
                "the video ended at \(latest.key), but the recording continues to \(last): it is of a longer video or of "
                    + "another one; check that detections-file belongs to this video")
        }
    }

    /// Reports that the boxes may be beside the objects. This is an error with strict redaction.
    private mutating func reportDisplacement(_ kind: Mismatch, _ text: String) throws {
        if let settings, settings.redacts {
            try requireRedaction(settings, text)
        } else {
            reportMismatch(kind, text)
        }
    }
}
