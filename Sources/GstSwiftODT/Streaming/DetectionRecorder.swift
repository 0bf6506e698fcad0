import CGStreamer
import SwiftODT

/// Records what detectors answer, frame by frame in their order, as it comes.
///
/// A file that cannot be written any more is warned of once, and the stream goes on: nothing else of it hangs on the recording, which
/// ends without its end mark, so that whoever uses it is told.
final class DetectionRecorder {
    private let element: ElementHandle
    private let writer: RecordingWriter
    /// What the answers hang on.
    private let origin: [RecordingHeader.Field]
    private var header: RecordingHeader?
    private var (frames, last) = (0, FrameKey?.none)
    private var hasFailed = false
    private var hasWarnedOfOrder = false

    /// - Returns: `nil` where nothing is to be recorded.
    /// - Throws: ``ODTError`` where the file cannot be written, or must not be.
    init?(_ settings: Settings, element: ElementHandle) throws {
        guard let file = settings.recordDetections else { return nil }
        if settings.detector == .recorded, let played = settings.detectionsFile.flatMap(FileIdentity.init(path:)),
            played == FileIdentity(path: file)
        {
            throw ODTError(
                .invalidOption, "record-detections and detections-file are the same file, \(file): name another")
        }
        origin = try DetectionSource.origin(settings)
        writer = try RecordingWriter(file, existing: settings.recordExisting)
        self.element = element
        if let place = writer.resumesAfter {
            element.log(.info, "\(file) is gone on with: it ends at \(place)")
        }
    }

    /// A frame is going to be looked at: writes down what it is going to be, before the first of them.
    ///
    /// - Parameter isSubstitute: whether motion stands in for a network.
    /// - Throws: ``ODTError`` where the recording that is to be gone on with is of something else.
    func begin(_ context: FrameContext, isSubstitute: Bool) throws {
        guard !hasFailed else { return }
        if let header {
            guard (header.width, header.height) != (context.format.width, context.format.height) else { return }
            return stop(
                .resource(
                    GST_RESOURCE_ERROR_WRITE,
                    "the picture has another size now, and a recording has one: it ends here. Record each size in a file of "
                        + "its own"))
        }
        let header = RecordingHeader(
            width: context.format.width, height: context.format.height, orientation: context.orientation.nick,
            frameRate: context.frameRate, scoreFloor: context.settings.detection.scoreFloor,
            iouThreshold: context.settings.iouThreshold,
            origin: (isSubstitute ? [RecordingHeader.Field("detector", .string("motion"))] : origin) + [
                RecordingHeader.Field(
                    "mode", .string(context.settings.scene.mode == .stream ? "stream" : "single-image")),
                RecordingHeader.Field("inference-interval", .number(Double(context.settings.inferenceInterval))),
            ] + Self.zoomFacts(context.settings))
        self.header = header
        do {
            try writer.begin(header)
        } catch let error as ODTError where error.reason == .invalidOption {
            throw error
        } catch {
            stop(ElementProblem(error, doing: "the recording ends"))
        }
    }

    /// Recordings of whole pictures are as they were before there were others.
    private static func zoomFacts(_ settings: Settings) -> [RecordingHeader.Field] {
        settings.zoom == .off ? [] : [RecordingHeader.Field("zoom", .string(settings.zoom.rawValue))]
    }

    /// What the recording that is gone on with has of a frame. A detector that learns from frame to frame has to look itself.
    func precomputedResult(_ context: FrameContext) throws -> PrecomputedResult {
        guard !hasFailed, header?.origin.first?.value != .string("motion") else { return .open }
        return try writer.known(context.key).map { .answered($0.detections, region: $0.seen) } ?? .open
    }

    /// A frame takes up answers, of itself or of frames before it.
    func take(_ frame: FrameKey, _ answers: [(StartedDetection, [Detection])]) {
        (frames, last) = (frames + 1, frame)
        guard !hasFailed else { return }
        for (answer, detections) in answers {
            do {
                let isWritten = try writer.write(
                    RecordedFrame(key: answer.key, seen: answer.region?.box, detections: detections))
                if !isWritten { noteDisorder(answer.key) }
            } catch {
                return stop(ElementProblem(error, doing: "the recording ends"))
            }
        }
    }

    private func noteDisorder(_ key: FrameKey) {
        if let place = writer.resumesAfter, place.isTime == key.isTime, !key.isLater(than: place) { return }
        guard !hasWarnedOfOrder else { return }
        hasWarnedOfOrder = true
        element.warn(
            .resource(
                GST_RESOURCE_ERROR_WRITE,
                "a recording goes forward: what is detected in frames that are not later than those before, as after a seek "
                    + "back, is not recorded"))
    }

    private func stop(_ problem: ElementProblem) {
        hasFailed = true
        element.warn(problem)
    }

    /// The stream is over: the recording is whole.
    func finishStream() {
        guard !hasFailed, header != nil else { return }
        do {
            try writer.finish(RecordingEnd(frames: frames, last: last))
        } catch {
            stop(ElementProblem(error, doing: "the recording ends"))
        }
    }
}
