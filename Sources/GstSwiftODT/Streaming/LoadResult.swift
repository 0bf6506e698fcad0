import SwiftODT

/// A component that was loaded in the background, with the diagnostics of loading it. The background task does not
/// retain the element, which may have been destroyed, so the diagnostics are reported later.
struct LoadResult<Part: Sendable>: Sendable {
    /// The features that are unavailable, and what replaces them.
    let problems: [ElementProblem]
    private let part: Part
    private let entries: [Diagnostics.Entry]

    /// - Parameter make: creates the component; its argument receives warnings about unavailable features.
    init(_ make: (_ warn: (ElementProblem) -> Void) throws -> Part) throws {
        var problems: [ElementProblem] = []
        (part, entries) = try Diagnostics.recording { try make { problems.append($0) } }
        self.problems = problems
    }

    /// Reports the diagnostics through an element and returns the component.
    func logged(by element: ElementHandle) -> Part {
        entries.forEach(element.log)
        for problem in problems { element.warn(problem) }
        return part
    }
}
