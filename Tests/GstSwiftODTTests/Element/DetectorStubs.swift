import Glibc

@testable import SwiftODT

/// A detector that returns each result after a fixed time, in sequence, like a slow network.
final class SlowDetector: Detector {
    let capacity: Int
    let inputSize: InputSize?
    private let delay: UInt32
    private let work = Monitor(Work())
    private let started = Monitor([(frame: Nanoseconds, view: DetectionRegion)]())

    private struct Work {
        var waiting: [(frame: Nanoseconds, promise: DetectionPromise)] = []
        /// The number of inferences without a result.
        var inFlight = 0
        var isOver = false
    }

    /// - Parameters:
    ///   - milliseconds: the time per result.
    ///   - inputSize: the network's input size, if the detector supports regions.
    init(milliseconds: Int, capacity: Int = 1, inputSize: InputSize? = nil) {
        delay = UInt32(milliseconds) * 1000
        self.capacity = capacity
        self.inputSize = inputSize
        for _ in 0..<capacity { launchWorker() }
    }

    /// The times of the frames that were inferred.
    var frames: [Nanoseconds] { started.read { $0.map(\.frame) } }

    /// The region of each inference.
    var views: [DetectionRegion] { started.read { $0.map(\.view) } }

    func start(_ frame: Frame, options: DetectionOptions) throws -> DetectionPromise {
        let promise = DetectionPromise()
        started.update { $0.append((frame.time, options.view)) }
        work.update { work in
            work.waiting.append((frame.time, promise))
            work.inFlight += 1
        }
        return promise
    }

    func reset() {}

    /// Blocks until an inference has been started.
    func waitForStart() { started.wait { $0.isEmpty ? nil : () } }

    /// Blocks until all started inferences have their results.
    func waitForResults() { work.wait { $0.inFlight == 0 ? () : nil } }

    /// Cancels pending results, as a network does.
    deinit {
        let waiting = work.update { work in
            work.isOver = true
            return work.waiting
        }
        for (_, promise) in waiting { promise.cancel() }
    }

    private func launchWorker() {
        let (work, delay) = (work, delay)
        DetachedThread.run {
            while true {
                work.wait { $0.isOver || !$0.waiting.isEmpty ? () : nil }
                let next = work.update { $0.isOver || $0.waiting.isEmpty ? nil : $0.waiting.removeFirst() }
                if work.read(\.isOver) { return }
                // Another worker may have taken the frame.
                guard let next else { continue }
                usleep(delay)
                // The position of the box identifies the frame.
                let x = Double(next.frame / 33_333_333 % 16)
                next.promise.fulfil(.success([Detection(box: Box(x: 4 + x, y: 8, width: 24, height: 24), score: 0.9)]))
                work.update { $0.inFlight -= 1 }
            }
        }
    }
}

/// A detector that returns its results when `answer` is called.
final class ControlledDetector: Detector {
    let capacity: Int
    private let asked = Monitor([(frame: Nanoseconds, promise: DetectionPromise)]())

    private let found: [Detection]

    /// - Parameter finds: whether results contain an object.
    init(capacity: Int = 1, finds: Bool = true) {
        self.capacity = capacity
        found = finds ? [Detection(box: Box(x: 8, y: 8, width: 24, height: 24), score: 0.9)] : []
    }

    /// The times of the frames that were inferred.
    var frames: [Nanoseconds] { asked.update { $0.map(\.frame) } }

    func start(_ frame: Frame, options: DetectionOptions) throws -> DetectionPromise {
        let promise = DetectionPromise()
        asked.update { $0.append((frame.time, promise)) }
        return promise
    }

    /// Returns the results of all frames so far.
    func answer() {
        for promise in asked.update({ $0.map(\.promise) }) { promise.fulfil(.success(found)) }
    }

    func reset() {}
}

/// A detector that returns the same result for each frame and counts the frames.
final class FixedDetector: Detector {
    let capacity = 1
    private let found: [Detection]
    private let count = Monitor(0)

    init(_ found: Detection...) { self.found = found }

    var asked: Int { count.read { $0 } }

    func start(_ frame: Frame, options: DetectionOptions) throws -> DetectionPromise {
        count.update { $0 += 1 }
        return DetectionPromise(found)
    }

    func reset() {}
}

/// A detector that returns scripted results.
final class ScriptedDetector: Detector {
    let capacity = 1
    let labels: [String]?
    let traits: DetectorTraits
    private let script: @Sendable (_ frame: Int) -> [Detection]
    private let count = Monitor(0)

    /// - Parameter script: returns the detections of a frame by its number, from 0.
    init(
        labels: [String]? = ["person", "dog", "car"], traits: DetectorTraits = DetectorTraits(),
        script: @escaping @Sendable (_ frame: Int) -> [Detection]
    ) {
        (self.labels, self.traits, self.script) = (labels, traits, script)
    }

    func start(_ frame: Frame, options: DetectionOptions) throws -> DetectionPromise {
        let number = count.update { count in
            count += 1
            return count - 1
        }
        return DetectionPromise(script(number).filter { $0.score >= options.scoreFloor })
    }

    func reset() {}
}

/// A detector that fails at the given frame.
final class FailingDetector: Detector {
    let capacity = 1
    private let left: Monitor<Int>

    init(after frames: Int) { left = Monitor(frames) }

    func start(_ frame: Frame, options: DetectionOptions) throws -> DetectionPromise {
        let isOver = left.update { left in
            left -= 1
            return left < 0
        }
        if isOver { throw ODTError(.failed, "the test detector has failed; restart it") }
        return DetectionPromise([])
    }

    func reset() {}
}
