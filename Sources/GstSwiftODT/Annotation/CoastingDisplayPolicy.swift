import SwiftODT

/// Decides for how long an object that is not seen but carried on is drawn.
///
/// For a moment a box without a sighting says where the object still is. After that it says, more and more often, where it is
/// not: on a square with people who walk about, every second dashed box stood right after a tenth of a second, and every fifth
/// after four.
struct CoastingDisplayPolicy {
    private static let moment: Nanoseconds = 300_000_000

    /// Since when objects have been carried on, by their ids.
    private var begun: [Int: Nanoseconds] = [:]

    /// Leaves out the objects that are not to be drawn. Those without an id are never followed: what holds until the next answer stays.
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
