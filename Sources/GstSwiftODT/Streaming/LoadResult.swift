import SwiftODT

/// A part that was made on a thread of its own, and what there is to tell of its making: whoever makes it holds on to no element,
/// which may be gone by then.
struct LoadResult<Part: Sendable>: Sendable {
    /// What could not be had, and what stands in for it.
    let problems: [ElementProblem]
    private let part: Part
    private let entries: [Diagnostics.Entry]

    /// - Parameter make: given whom to tell of what it has to do without.
    init(_ make: (_ warn: (ElementProblem) -> Void) throws -> Part) throws {
        var problems: [ElementProblem] = []
        (part, entries) = try Diagnostics.recording { try make { problems.append($0) } }
        self.problems = problems
    }

    /// The part, when an element has told of it.
    func logged(by element: ElementHandle) -> Part {
        entries.forEach(element.log)
        for problem in problems { element.warn(problem) }
        return part
    }
}
