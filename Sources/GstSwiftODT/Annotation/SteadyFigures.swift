import SwiftODT

/// Holds the figures that labels show, so that they can be read: a figure is shown anew when it has changed by five points,
/// or half a second after the last time. A label that stays the same also costs nothing to draw again.
///
/// An object that is carried on, or held by a detection below the threshold, keeps the score that it was last plainly seen
/// with: a percentage below what was asked for reads as a mistake.
struct SteadyFigures {
    private static let smallestStep = 0.05
    private static let patience: Nanoseconds = 500_000_000

    private struct Shown {
        var score: Double
        var confidence: Double?
        var time: Nanoseconds
    }

    private var shown: [Int: Shown] = [:]

    /// Puts the held figures into objects that have an id; forgets those that are not among them.
    ///
    /// - Parameter threshold: the score from which an object is plainly seen.
    mutating func steady(_ objects: inout [AnnotatedObject], threshold: Double = 0, at time: Nanoseconds) {
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
        guard fresh.time - old.time < patience, abs(fresh.score - old.score) < smallestStep else { return false }
        return switch (old.confidence, fresh.confidence) {
        case (nil, nil): true
        case (let before?, let now?): abs(now - before) < smallestStep
        default: false
        }
    }
}
