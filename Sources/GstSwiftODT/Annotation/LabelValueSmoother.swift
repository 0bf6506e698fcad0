import SwiftODT

/// Holds the figures that labels show, so that they can be read: a figure stands for half a second, then it is shown anew when it has
/// changed by five points, or after a second. A label that stays the same also costs nothing to draw again.
///
/// An object that is carried on, or held by a detection below the threshold, keeps the score that it was last plainly seen
/// with: a percentage below what was asked for reads as a mistake.
struct LabelValueSmoother {
    private static let smallestStep = 0.05
    private static let maximumHoldTime: Nanoseconds = 1_000_000_000
    /// However much it changes: detectors' scores tremble by twenty points, and nobody reads thirty figures a second.
    private static let minimumHoldTime: Nanoseconds = 500_000_000

    private struct Shown {
        var score: Double
        var confidence: Double?
        var time: Nanoseconds
    }

    private var shown: [Int: Shown] = [:]

    /// Puts the held figures into objects that have an id; forgets those that are not among them.
    ///
    /// - Parameter threshold: the score from which an object is plainly seen.
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
        // What would be shown as it is shown keeps its time: the next change need not wait for it.
        return change == 0 || standing < minimumHoldTime || (standing < maximumHoldTime && change < smallestStep)
    }
}
