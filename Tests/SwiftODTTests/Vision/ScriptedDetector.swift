@testable import SwiftODT

/// A detector that answers as it is told, remembers what it was shown, and can be made to wait.
final class ScriptedDetector: Detector {
    struct Shown {
        let orientation: Orientation
        let time: Nanoseconds
        let format: PixelFormat
    }

    let capacity = 1
    private let answer: @Sendable (_ call: Int) throws -> [Detection]
    private let log = Monitor([Shown]())
    private let gate = Monitor(true)

    /// - Parameter answer: what is detected at the n-th call, from 0.
    init(_ answer: @escaping @Sendable (_ call: Int) throws -> [Detection]) { self.answer = answer }

    convenience init(_ detections: Detection...) { self.init { _ in detections } }

    var shown: [Shown] { log.update { $0 } }

    /// Answers wait from now on until it is opened.
    func close() { gate.update { $0 = false } }

    func open() { gate.update { $0 = true } }

    /// Returns when so many frames have been shown.
    func waitForCall(_ count: Int) { log.wait { $0.count >= count ? () : nil } }

    func start(_ frame: Frame, options: DetectionOptions) throws -> DetectionPromise {
        let call = log.update { log in
            log.append(Shown(orientation: frame.orientation, time: frame.time, format: frame.format))
            return log.count - 1
        }
        gate.wait { $0 ? () : nil }
        return DetectionPromise(try answer(call))
    }

    func reset() {}
}
