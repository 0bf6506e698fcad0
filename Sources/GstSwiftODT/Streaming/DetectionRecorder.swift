import CODTGStreamer
import GstFrames
import SwiftODT

/// Records the detections of a stream, in the order of the frames.
///
/// If the file can no longer be written, the recorder posts one warning and the stream continues. The missing end mark
/// shows that such a recording is incomplete.
final class DetectionRecorder {
    private let element: ElementHandle
    private let writer: RecordingWriter
    private let detectorFields: [RecordingHeader.Field]
    private var header: RecordingHeader?
    /// The number of frames so far, and the key that identifies the latest frame.
    private var (frames, last) = (0, FrameKey?.none)
    private var hasFailed = false
    private var hasWarnedOfOrder = false
    /// Whether frames may be missing, because the stream was flushed or another part of it began.
    private var hasGap = false
    private var hasEnded = false

    /// - Returns: `nil` if recording is disabled.
    /// - Throws: ``ODTError`` if the file cannot be written or must not be overwritten.
    init?(_ settings: Settings, element: ElementHandle) throws {
        guard let file = settings.recordDetections else { return nil }
        if settings.detector == .recorded, let played = settings.detectionsFile.flatMap(FileIdentity.init(path:)),
            played == FileIdentity(path: file)
        {
            throw ODTError(
                .invalidOption,
                "record-detections and detections-file name the same file '\(file)'; choose another for record-detections"
            )
        }
        detectorFields = try DetectionSource.recordingFields(settings)
        writer = try RecordingWriter(file, existing: settings.recordExisting)
        self.element = element
        if let place = writer.resumesAfter {
            element.log(.info, "resuming \(file), which ends at \(place)")
        }
    }

    /// Writes the header of the recording before the first inference. Later calls end the recording if the frame size
    /// has changed, or if a threshold no longer keeps all detections that the header promises.
    ///
    /// - Parameters:
    ///   - frame: the first inferred frame.
    ///   - source: the source of the detections, which may be a motion detector that replaces an unavailable network.
    /// - Throws: ``ODTError`` if a recording is resumed that belongs to another video, time range or configuration.
    func begin(_ context: FrameContext, _ frame: Frame, by source: DetectionSource) throws {
        guard !hasFailed else { return }
        if let header {
            let options = context.settings.detection
            guard options.iouThreshold >= header.iouThreshold, options.scoreFloor <= header.scoreFloor else {
                return stop(
                    .settings(
                        "the recording ends because score-threshold was raised or iou-threshold lowered; record again "
                            + "with constant thresholds"))
            }
            guard (header.width, header.height) != (context.format.width, context.format.height) else { return }
            return stop(
                .resource(
                    GST_RESOURCE_ERROR_WRITE,
                    "the recording ends because the frame size has changed; record each size in its own file"))
        }
        let settings = context.settings
        var fields = source.isSubstitute ? [RecordingHeader.Field("detector", .string("motion"))] : detectorFields
        fields.append(.init("mode", .string(settings.scene.mode == .stream ? "stream" : "single-image")))
        fields.append(.init("inference-interval", .number(Double(settings.inferenceInterval))))
        // With `zoom=off` there is no field, as in recordings that were made before `zoom` existed.
        if settings.zoom != .off { fields.append(.init("zoom", .string(settings.zoom.rawValue))) }
        if let labels = RecordingHeader.Field(labels: source.labels) { fields.append(labels) }
        fields.append(.init(firstFrame: (frame.luma ?? LumaPlane.reduce(frame)).checksum))
        let header = RecordingHeader(
            width: context.format.width, height: context.format.height, orientation: context.orientation.nick,
            frameRate: context.frameRate, scoreFloor: settings.detection.scoreFloor,
            iouThreshold: settings.detection.iouThreshold, detectorFields: fields)
        self.header = header
        do {
            try writer.begin(header, at: context.key)
        } catch let error as ODTError where error.reason == .invalidOption {
            // The file belongs to something else, so it must not be continued or marked as complete.
            hasFailed = true
            throw error
        } catch {
            stop(ElementProblem(error, doing: "the recording ends"))
        }
    }

    /// Returns the detections of a frame if the resumed recording already contains them. The motion detector adapts
    /// from frame to frame, so it must run on every frame even if the detections are known.
    func precomputedResult(_ context: FrameContext) throws -> PrecomputedResult {
        guard !hasFailed, header?.detectorFields.first?.value != .string("motion") else { return .unknown }
        return try writer.known(context.key).map { .answered($0.detections, region: $0.seen) } ?? .unknown
    }

    /// Records the results that are assigned to a frame. The inferences ran on this frame or on earlier frames.
    func take(_ frame: FrameKey, _ answers: [(StartedDetection, [Detection])]) {
        (frames, last) = (frames + 1, frame)
        guard !hasFailed else { return }
        if hasEnded {
            return stop(
                .resource(
                    GST_RESOURCE_ERROR_WRITE,
                    "the recording has ended with the stream; detections after that are not recorded"))
        }
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
                "detections of frames that are not later than the latest recorded one are not recorded; to record them, "
                    + "start another recording without seeking back"))
    }

    private func stop(_ problem: ElementProblem) {
        hasFailed = true
        element.warn(problem)
    }

    /// Called at a flush, at a seek, and when another stream begins. `header` is set when the first inference starts, so a
    /// frame that a flush drops before its result counts, too.
    func noteDiscontinuity() { hasGap = hasGap || frames > 0 || header != nil }

    func finishStream() {
        guard !hasFailed, header != nil else { return }
        guard !hasGap else {
            return stop(
                .resource(
                    GST_RESOURCE_ERROR_WRITE,
                    "the recording stays incomplete, because parts of the video can be missing after a seek, a flush or the "
                        + "start of another stream; record each video alone and without seeking"))
        }
        do {
            try writer.finish(RecordingEnd(frames: frames, last: last))
            hasEnded = true
        } catch {
            stop(ElementProblem(error, doing: "the recording ends"))
        }
    }
}
