import Synchronization

/// Passes on the first complaints of a run, and leaves the rest to the log: a program that sets nonsense over and over is not to
/// fill a bus that nobody reads.
final class ComplaintLimit: Sendable {
    private static let most = 100
    private let count = Mutex(0)

    func tell(_ complaints: [Complaint], by element: ElementHandle) {
        for complaint in complaints {
            let isNew = count.withLock { count in
                count = min(count + 1, Self.most + 1)
                return count <= Self.most
            }
            if isNew { element.warn(complaint) } else { element.log(.warning, complaint.wholeText) }
        }
    }

    func reset() { count.withLock { $0 = 0 } }
}
