/// The name that is most likely meant by a misspelled one, for an error message that asks "did you mean 'person'?".
///
/// Compares without regard to case by the optimal string alignment distance: insertions, deletions, substitutions and
/// swapped neighbours each count 1. Takes time in O(*n* · *m* · *k*) for *k* names.
///
/// - Returns: The first of the names with the smallest distance; `nil` if that exceeds a third of the length of the
///   misspelled name (1 for names of up to five characters), because a distant name would mislead.
package func nearestName(to misspelled: String, in names: some Sequence<String>) -> String? {
    let wanted = Array(misspelled.lowercased())
    guard !wanted.isEmpty else { return nil }
    var nearest: String?
    var limit = max(1, wanted.count / 3)
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
