import Synchronization

@testable import SwiftODT

/// A classifier with results from a test. It records the boxes of its requests.
final class ScriptedClassifier: Classifier {
    let capacity: Int
    let threshold = 0.5
    private let asked = Mutex<[(box: Box, promise: ClassificationPromise)]>([])
    private let failure: ODTError?

    init(capacity: Int = 1, failure: ODTError? = nil) {
        self.capacity = capacity
        self.failure = failure
    }

    func start(_ frame: Frame, box: Box) throws -> ClassificationPromise {
        let promise = ClassificationPromise()
        asked.withLock { $0.append((box, promise)) }
        if let failure { throw failure }
        return promise
    }

    var boxes: [Box] { asked.withLock { $0.map(\.box) } }

    /// Completes the latest request.
    func answer(_ scores: [SwiftODT.Category: Double], label: Label? = nil, labelScore: Double = 0) {
        let answer = Classification(scores: .init(scores), label: label, labelScore: labelScore)
        asked.withLock { $0.last?.promise }?.fulfil(.success(answer))
    }
}

/// A classifier that returns its result immediately.
final class ReadyClassifier: Classifier {
    let capacity = 1
    let threshold = 0.5
    private let result: Classification

    init(_ scores: [SwiftODT.Category: Double], label: Label? = nil, labelScore: Double = 0) {
        result = Classification(scores: CategoryScores(scores), label: label, labelScore: labelScore)
    }

    func start(_ frame: Frame, box: Box) -> ClassificationPromise { ClassificationPromise(result) }
}

extension CategoryScores {
    init(_ scores: [SwiftODT.Category: Double]) {
        self.init()
        for (category, score) in scores { self[category] = score }
    }
}
