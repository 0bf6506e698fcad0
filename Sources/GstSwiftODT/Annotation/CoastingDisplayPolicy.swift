import SwiftODT

/// Decides how long a coasting object is drawn.
///
/// A predicted box is accurate for a moment only, and the error grows with every frame without a detection. A box is
/// therefore hidden when its object has been coasting for 0.3 s.
struct CoastingDisplayPolicy {
    private static let moment: Nanoseconds = 300_000_000

    /// The time at which each object started coasting, by tracking ID.
    private var begun: [Int: Nanoseconds] = [:]

    /// Removes the objects that are not to be drawn. Objects without an ID are not tracked between frames and are kept:
    /// their boxes remain until the next result.
    mutating func filter(
        _ objects: inout [AnnotatedObject], as drawing: AnnotatorOptions.Coasting, at time: Nanoseconds
    ) {
        var next: [Int: Nanoseconds] = [:]
        objects.removeAll { object in
            guard object.coasting, let id = object.id else { return false }
            let start = min(begun[id] ?? time, time)
            next[id] = start
            return switch drawing {
            case .always: false
            case .never: true
            case .briefly: time - start >= Self.moment
            }
        }
        begun = next
    }

    mutating func reset() { begun.removeAll() }
}
