import SwiftODT

/// Limits how often the confidence and the score in labels change, so that they are readable. A value is shown for at
/// least 0.5 s. After that it changes if the new value differs by at least 5 percentage points, or in any case after 1
/// s. A label that does not change need not be drawn again, either.
///
/// If an object is coasting or was matched with a detection below the score threshold, its label keeps the latest score
/// above the threshold. A score below the configured threshold would look like an error.
struct LabelValueSmoother {
    private static let smallestStep = 0.05
    private static let maximumHoldTime: Nanoseconds = 1_000_000_000
    /// The time for which a value is shown at least, whatever the change. Scores can fluctuate by 20 percentage points
    /// from frame to frame, which would be unreadable.
    private static let minimumHoldTime: Nanoseconds = 500_000_000

    private struct Shown {
        var score: Double
        var confidence: Double?
        var time: Nanoseconds
    }

    private var shown: [Int: Shown] = [:]

    /// Replaces the values of objects that have an ID by the values to show. The stored values of IDs that are not
    /// among `objects` are removed.
    ///
    /// - Parameter threshold: The score threshold. Lower scores are not shown.
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
        // An unchanged value keeps its start time, so that a later change is shown without another delay.
        return change == 0 || standing < minimumHoldTime || (standing < maximumHoldTime && change < smallestStep)
    }
}
