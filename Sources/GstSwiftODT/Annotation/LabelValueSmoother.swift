import SwiftODT

/// Holds the confidence and score in labels for a readable time: a value is shown for at least 0.5 s. After that it
/// changes if it differs by 5 percentage points, or after 1 s. An unchanged label is also not drawn again.
///
/// An object that is coasting, or matched by a detection below the threshold, keeps the latest score that was above it,
/// because a score below the configured threshold looks like an error.
struct LabelValueSmoother {
    private static let smallestStep = 0.05
    private static let maximumHoldTime: Nanoseconds = 1_000_000_000
    /// The minimum applies to changes of any size: scores fluctuate by up to 20 percentage points from frame to frame,
    /// which is unreadable.
    private static let minimumHoldTime: Nanoseconds = 500_000_000

    private struct Shown {
        var score: Double
        var confidence: Double?
        var time: Nanoseconds
    }

    private var shown: [Int: Shown] = [:]

    /// Replaces the values of objects that have an ID by the held ones, and drops the held values of all other IDs.
    ///
    /// - Parameter threshold: the score from which a detection counts as strong.
    mutating func smooth(_ objects: inout [AnnotatedObject], threshold: Double = 0, at time: Nanoseconds) {
        var next: [Int: Shown] = [:]
        next.reserveCapacity(objects.count)
        for index in objects.indices {
            guard let id = objects[index].id else { continue }
            let isPlain = !objects[index].coasting && objects[index].score >= threshold
            let score = isPlain ? objects[index].score : shown[id]?.score ?? .nan
            let fresh = Shown(score: score, confidence: objects[index].confidence, time: time)
            let figures = shown[id].flatMap { Self.holds($0, against: fresh) ? $0 : nil } ?? fresh
            next[id] = figures
            objects[index].score = figures.score
            objects[index].confidence = figures.confidence
        }
        shown = next
    }

    mutating func reset() { shown.removeAll() }

    private static func holds(_ old: Shown, against fresh: Shown) -> Bool {
        guard (old.confidence == nil) == (fresh.confidence == nil), old.score.isNaN == fresh.score.isNaN else {
            return false
        }
        let change = max(
            abs(fresh.score - old.score), abs((fresh.confidence ?? 0) - (old.confidence ?? 0)))
        let standing = fresh.time - old.time
        // An unchanged value keeps its start time so that the next change need not wait.
        return change == 0 || standing < minimumHoldTime || (standing < maximumHoldTime && change < smallestStep)
    }
}
