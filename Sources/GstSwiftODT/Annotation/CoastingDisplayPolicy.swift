import SwiftODT

/// Decides for how long a coasting object is drawn.
///
/// A predicted box is accurate only for a short time. Its error grows with every frame without a detection. The box is
/// therefore no longer drawn when its object has been coasting for 0.3 s.
struct CoastingDisplayPolicy {
    private static let moment: Nanoseconds = 300_000_000

    /// The time at which each coasting object started coasting, by tracking ID.
    private var begun: [Int: Nanoseconds] = [:]

    /// Removes the coasting objects that are no longer drawn. Objects without an ID cannot be matched from frame to
    /// frame, so they are kept until the next result.
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
