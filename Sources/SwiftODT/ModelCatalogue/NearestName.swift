/// Returns the end of an error message, such as "did you mean 'person'?". `nil` if no name is near enough.
package func spellingSuggestion(for misspelled: String, in names: some Sequence<String>) -> String? {
    nearestName(to: misspelled, in: names).map { "did you mean '\($0)'?" }
}

/// Returns the name that the user probably meant.
///
/// Names are compared without regard to case, by the optimal string alignment distance: each insertion, deletion,
/// substitution and swap of neighbouring characters counts 1.
///
/// - Returns: the first name with the smallest distance. `nil` if this distance exceeds a third of the length of
///   `misspelled` (at least 1), or `most`.
/// - Complexity: O(*n* · *m*) per name, where *n* and *m* are the lengths of the compared names.
package func nearestName(to misspelled: String, in names: some Sequence<String>, within most: Int = .max) -> String? {
    let wanted = Array(misspelled.lowercased())
    guard !wanted.isEmpty else { return nil }
    var nearest: String?
    var limit = min(most, max(1, wanted.count / 3))
    for name in names {
        let candidate = Array(name.lowercased())
        guard abs(candidate.count - wanted.count) <= limit else { continue }
        let distance = editDistance(wanted, candidate)
        guard distance < limit || distance == limit && nearest == nil else { continue }
        (nearest, limit) = (name, distance)
    }
    return nearest
}

private func editDistance(_ first: [Character], _ second: [Character]) -> Int {
    var beforePrevious: [Int] = []
    var previous = Array(0...second.count)
    for (row, character) in first.enumerated() {
        var current = [row + 1]
        for (column, other) in second.enumerated() {
            var distance = min(previous[column + 1], current[column]) + 1
            distance = min(distance, previous[column] + (character == other ? 0 : 1))
            if row > 0, column > 0, character == second[column - 1], first[row - 1] == other {
                distance = min(distance, beforePrevious[column - 1] + 1)
            }
            current.append(distance)
        }
        (beforePrevious, previous) = (previous, current)
    }
    return previous[second.count]
}
