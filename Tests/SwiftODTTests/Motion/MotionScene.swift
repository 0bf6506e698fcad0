@testable import SwiftODT

/// A synthetic video with ground truth: uniform shapes that move over a background, with configurable light and noise.
struct MotionScene {
    /// A moving shape. `center` returns its centre at a time, or `nil` while it is absent.
    struct Shape {
        var width: Double
        var height: Double
        var level: Double
        var isRound = false
        /// The share of light in the shadow beside it, 0 to 1; 1 is no shadow.
        var shadow = 1.0
        var center: @Sendable (_ seconds: Double) -> (x: Double, y: Double)?
    }

    var width = 160
    var height = 120
    var framesPerSecond = 15.0
    var seconds = 5.0
    /// Whether the background has a texture.
    var isTextured = true
    /// The standard deviation of the noise in grey levels.
    var noise = 0.0
    var gain: @Sendable (_ seconds: Double) -> Double = { _ in 1 }
    /// The camera's pan in pixels.
    var pan: @Sendable (_ seconds: Double) -> (x: Double, y: Double) = { _ in (0, 0) }
    var shapes: [Shape] = []

    /// The comparison of detections with the ground truth.
    struct Outcome {
        var hits = 0
        var misses = 0
        var falseAlarms = 0
        var overlap = 0.0
        /// The detections of each frame.
        var detections: [[Detection]] = []

        var recall: Double { Double(hits) / Double(max(1, hits + misses)) }
        var precision: Double { Double(hits) / Double(max(1, hits + falseAlarms)) }
        var meanOverlap: Double { overlap / Double(max(1, hits)) }
    }

    /// Runs the detector on the scene and compares its detections with the ground truth.
    ///
    /// Objects with less than half of their area in the picture count neither as hits nor as misses.
    /// - Parameter warmUp: the seconds at the start that are not evaluated.
    func run(_ detector: MotionDetector = MotionDetector(), warmUp: Double = 1) throws -> Outcome {
        let picture = TestPicture(.gray8, width: width, height: height)
        let painter = MotionPainter(self)
        var outcome = Outcome()
        for index in 0..<Int(seconds * framesPerSecond) {
            let time = Double(index) / framesPerSecond
            let promise = try picture.withFrame(time: Nanoseconds(time * 1e9)) { frame in
                painter.paint(time, into: frame)
                return try detector.start(frame, options: DetectionOptions(scoreFloor: 0.4))
            }
            let detections = try promise.wait()
            outcome.detections.append(detections)
            if time >= warmUp { score(detections, time, &outcome) }
        }
        return outcome
    }

    /// Returns the boxes of the shapes, clipped to the picture.
    func truth(_ time: Double) -> [(box: Box, isWhole: Bool)] {
        shapes.compactMap { shape in
            guard let center = shape.center(time) else { return nil }
            let box = Box(centerX: center.x, centerY: center.y, width: shape.width, height: shape.height)
            let seen = box.clipped(width: width, height: height)
            return seen.isEmpty ? nil : (seen, seen.area >= 0.5 * box.area)
        }
    }

    private func score(_ detections: [Detection], _ time: Double, _ outcome: inout Outcome) {
        var left = truth(time)
        for detection in detections {
            let best = left.indices.max { left[$0].box.iou(detection.box) < left[$1].box.iou(detection.box) }
            if let best, left[best].box.iou(detection.box) >= 0.5 {
                if left[best].isWhole {
                    outcome.hits += 1
                    outcome.overlap += left[best].box.iou(detection.box)
                }
                left.remove(at: best)
            } else if !left.contains(where: { !$0.isWhole && !$0.box.intersection(detection.box).isEmpty }) {
                outcome.falseAlarms += 1
            }
        }
        outcome.misses += left.filter(\.isWhole).count
    }
}
