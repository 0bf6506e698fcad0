@testable import SwiftODT

/// A detector with scripted results. It records the frames that it receives, and it can be blocked.
final class ScriptedDetector: Detector {
    struct Shown {
        let orientation: Orientation
        let time: Nanoseconds
        let format: PixelFormat
        let scoreFloor: Double
    }

    let capacity = 1
    let labels: [String]?
    private let answer: @Sendable (_ call: Int) throws -> [Detection]
    private let log = Monitor([Shown]())
    private let gate = Monitor(true)

    /// - Parameter answer: returns the detections for the call with the given index, starting at 0.
    init(labels: [String]? = nil, _ answer: @escaping @Sendable (_ call: Int) throws -> [Detection]) {
        (self.labels, self.answer) = (labels, answer)
    }

    convenience init(_ detections: Detection..., labels: [String]? = nil) {
        self.init(labels: labels) { _ in detections }
    }

    var shown: [Shown] { log.update { $0 } }
    var scoreFloors: [Double] { shown.map(\.scoreFloor) }

    /// Blocks all following calls until ``open()``.
    func close() { gate.update { $0 = false } }

    func open() { gate.update { $0 = true } }

    /// Waits until the detector has received `count` frames.
    func waitForCall(_ count: Int) { log.wait { $0.count >= count ? () : nil } }

    func start(_ frame: Frame, options: DetectionOptions) throws -> DetectionPromise {
        let call = log.update { log in
            log.append(
                Shown(
                    orientation: frame.orientation, time: frame.time, format: frame.format,
                    scoreFloor: options.scoreFloor))
            return log.count - 1
        }
        gate.wait { $0 ? () : nil }
        return DetectionPromise(try answer(call))
    }

    func reset() {}
}
