/// Finds what moves before a fixed camera: no model, no dependency, any kind of object.
///
/// It learns the empty scene from the stream, so it looks at every frame in turn and answers within ``start(_:options:)``.
/// Noise, flicker, slow and sudden changes of light, shadows and specks are told from objects; while the camera itself
/// moves, and for a moment after a cut, it says nothing. Something that stops is reported on for some seconds.
///
/// Works on a grey copy of at most 320 pixels a side: about a millisecond a frame, whatever the video's size.
///
///     let detector = MotionDetector()
///     for frame in frames { print(try detector.start(frame, options: DetectionOptions()).wait()) }
public final class MotionDetector: Detector {
    public let capacity = 1
    public var labels: [String]? { [] }

    private let eye = Monitor<MotionAnalyzer?>(nil)

    public init() {}

    public func start(_ frame: Frame, options: DetectionOptions) throws -> DetectionPromise {
        let plane = frame.luma ?? LumaPlane.reduce(frame)
        let (width, height) = (frame.width, frame.height)
        let detections = eye.update { eye in
            let current: MotionAnalyzer
            if let kept = eye, kept.fits(plane) {
                current = kept
            } else {
                current = MotionAnalyzer(plane)
                eye = current
            }
            return current.analyze(at: plane)
        }
        return DetectionPromise(
            detections.compactMap { detection in
                var detection = detection
                detection.box = detection.box.scaled(x: plane.scaleX, y: plane.scaleY)
                    .clipped(width: width, height: height)
                return detection.score < options.scoreFloor || detection.box.isEmpty ? nil : detection
            })
    }

    public func reset() { eye.update { $0 = nil } }
}
