/// Detects moving objects of any kind in front of a fixed camera, without a model.
///
/// The detector learns the background from the stream, so it must process every frame in order. A result is available
/// when ``start(_:options:)`` returns. The detector ignores noise, flicker, slow and sudden changes of light, shadows
/// and specks. While the camera moves, and for a moment after a cut, it detects nothing. An object that stops is
/// reported for some more seconds.
///
/// The detector processes a grey copy of at most 320 pixels per side. Its cost thus hardly depends on the size of the
/// video.
///
///     let detector = MotionDetector()
///     for frame in frames { print(try detector.start(frame, options: DetectionOptions()).wait()) }
package final class MotionDetector: Detector {
    package let capacity = 1
    package var labels: [String]? { [] }

    private let analyzer = Monitor<MotionAnalyzer?>(nil)

    package init() {}

    package func start(_ frame: Frame, options: DetectionOptions) throws -> DetectionPromise {
        let plane = frame.luma ?? LumaPlane.reduce(frame)
        let (width, height) = (frame.width, frame.height)
        let detections = analyzer.update { analyzer in
            let current: MotionAnalyzer
            if let kept = analyzer, kept.fits(plane) {
                current = kept
            } else {
                current = MotionAnalyzer(plane)
                analyzer = current
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

    package func reset() { analyzer.update { $0 = nil } }
}
