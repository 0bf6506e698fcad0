import Synchronization

/// Posts the first 100 warnings of a run and only logs the others, so that a program that repeatedly sets invalid
/// properties does not fill an unread bus.
final class WarningLimit: Sendable {
    private static let maximum = 100
    private let count = Mutex(0)

    func post(_ problems: [ElementProblem], by element: ElementHandle) {
        for problem in problems {
            let isNew = count.withLock { count in
                count = min(count + 1, Self.maximum + 1)
                return count <= Self.maximum
            }
            if isNew { element.warn(problem) } else { element.log(.warning, problem.wholeText) }
        }
    }

    func reset() { count.withLock { $0 = 0 } }
}
